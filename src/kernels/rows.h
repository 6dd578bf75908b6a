// Rows of logits: log-sum-exp, cross-entropy with label smoothing, log-probabilities, and column sums.
#pragma once

#include <cstdint>

#include "base/real.h"

namespace fovea::kernels {

struct LogitRows {
  const Real* data = nullptr;  // [rows, columns]
  int rows = 0;
  int columns = 0;
};

struct Smoothing {
  Real share = 0;    // of the probability, spread evenly over all columns
  int ignored = -1;  // a row with this target counts for nothing
};

// Returns the sum over rows of -log p, smoothed. log_sums [rows] is what backward needs beside the logits.
double cross_entropy(LogitRows logits, const std::int32_t* targets, Smoothing smoothing, Real* log_sums);
// dlogits += factor * (p - target distribution)
void cross_entropy_backward(LogitRows logits, const std::int32_t* targets, Smoothing smoothing, const Real* log_sums,
                            Real factor, Real* dlogits);

// log_probabilities may be the logits themselves.
void log_softmax(LogitRows logits, Real* log_probabilities);

// sums [columns] += the rows added up.
void add_rows(const Real* data, int rows, int columns, Real* sums);

}  // namespace fovea::kernels
