// Attention over a memory [positions, batch, size] from queries [queries, batch, size]; scores and weights are
// [queries, batch, positions]. A position that a query does not see has score 0, weight 0 and no gradient: one whose
// mask is 0 and, if causal >= 0, one beyond the query's own index + causal.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/as_size.h"
#include "base/real.h"

namespace fovea::kernels {

struct AttentionSize {
  int queries = 0;
  int batch = 0;
  int positions = 0;
  int size = 0;                        // of a query, key or value, as the function needs it
  const std::uint8_t* mask = nullptr;  // [positions, batch]
  int causal = -1;
  // room_needed() values to work in, or null. With it dot_scores and weighted_sum, forward and backward, first gather
  // the rows of an entry of the batch: far apart in memory, they push each other out of the cache.
  Real* room = nullptr;

  std::size_t room_needed() const {
    const auto rows = as_size(queries > positions ? queries : positions);
    return rows * as_size(size + positions);
  }
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

// scores = factor query' key
void dot_scores(AttentionSize a, const Real* queries, const Real* keys, Real factor, Real* scores);
struct DotGradient {
  const Real* dscores = nullptr;
  Real* dqueries = nullptr;  // either may be null
  Real* dkeys = nullptr;
};
void dot_scores_backward(AttentionSize a, const Real* queries, const Real* keys, Real factor, DotGradient gradient);

// weights = softmax of scores over the positions seen; zeros where there is none. A score below -1e29 is one not seen.
void masked_softmax(AttentionSize a, const Real* scores, Real* weights);
void masked_softmax_backward(AttentionSize a, const Real* weights, const Real* dweights, Real* dscores);

// contexts [queries, batch, size] = sum over positions of weight * value.
void weighted_sum(AttentionSize a, const Real* weights, const Real* values, Real* contexts);
// Either gradient may be null.
void weighted_sum_backward(AttentionSize a, const Real* weights, const Real* values, const Real* dcontexts,
                           Real* dweights, Real* dvalues);

}  // namespace fovea::kernels
