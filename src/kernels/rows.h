// Rows of logits: log-sum-exp, cross-entropy with label smoothing, log-probabilities; rows of anything: normalisation
// and column sums.
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
// dlogits += factor * (p - target distribution). If dlogits are the logits themselves, it takes their place.
void cross_entropy_backward(LogitRows logits, const std::int32_t* targets, Smoothing smoothing, const Real* log_sums,
                            Real factor, Real* dlogits);

// log_probabilities may be the logits themselves.
void log_softmax(LogitRows logits, Real* log_probabilities);

// sums [rows] = log sum_j exp(logits_j)
void log_sums(LogitRows logits, Real* sums);
// dlogits += dsums softmax(logits)
void log_sums_backward(LogitRows logits, const Real* sums, const Real* dsums, Real* dlogits);

// y = gain (x - mean) / sqrt(variance + 1e-5) + bias, mean and variance (divided by n) of each row (Ba 2016).
struct LayerNorm {
  const Real* x = nullptr;  // [rows, columns]
  int rows = 0;
  int columns = 0;
  const Real* gain = nullptr;  // [columns]
  Real* means = nullptr;       // [rows]: forward writes them, backward reads them
  Real* scales = nullptr;      // [rows], 1 / sqrt(variance + 1e-5), likewise
};
void layer_norm(LayerNorm norm, const Real* bias, Real* y);
// Adds to dx and dgain; either may be null. The bias gets the column sums of dy.
void layer_norm_backward(LayerNorm norm, const Real* dy, Real* dx, Real* dgain);

// sums [columns] += the rows added up.
void add_rows(const Real* data, int rows, int columns, Real* sums);

}  // namespace fovea::kernels
