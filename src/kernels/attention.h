// Attention over a memory [positions, batch, size] from queries [queries, batch, size]; scores and weights are
// [queries, batch, positions]. A position whose mask is 0 has score 0, weight 0 and no gradient.
#pragma once

#include <cstdint>

#include "base/real.h"

namespace fovea::kernels {

struct AttentionSize {
  int queries = 0;
  int batch = 0;
  int positions = 0;
  int size = 0;                        // of a query, key or value, as the function needs it
  const std::uint8_t* mask = nullptr;  // [positions, batch]
};

// scores = v' tanh(query + key). The tanh is not kept: backward computes it again.
void additive_scores(AttentionSize a, const Real* queries, const Real* keys, const Real* v, Real* scores);
struct AdditiveGradient {
  const Real* dscores = nullptr;
  Real* dqueries = nullptr;  // each may be null
  Real* dkeys = nullptr;
  Real* dv = nullptr;
};
void additive_scores_backward(AttentionSize a, const Real* queries, const Real* keys, const Real* v,
                              AdditiveGradient gradient);

// weights = softmax of scores over the real positions; zeros where there is none.
void masked_softmax(AttentionSize a, const Real* scores, Real* weights);
void masked_softmax_backward(AttentionSize a, const Real* weights, const Real* dweights, Real* dscores);

// contexts [queries, batch, size] = sum over positions of weight * value.
void weighted_sum(AttentionSize a, const Real* weights, const Real* values, Real* contexts);
// Either gradient may be null.
void weighted_sum_backward(AttentionSize a, const Real* weights, const Real* values, const Real* dcontexts,
                           Real* dweights, Real* dvalues);

}  // namespace fovea::kernels
