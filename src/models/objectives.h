// What training makes small beside the likelihood: one function each in objectives/. Values are sums over a batch.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "layers/linear.h"
#include "models/batch.h"
#include "models/decoder.h"

namespace fovea {

// One part of a loss.
struct LossTerm {
  std::string name;
  Tensor value;  // [1], its weight included
};

// objectives/coverage.cc; weights [steps, batch, positions], steps and positions that are not real count nothing.
Tensor total_attention(Pass& pass, Tensor weights, Mask steps);                // [batch, positions]: sum_t a_ti
Tensor coverage_penalty(Pass& pass, Tensor weights, Mask steps, Mask source);  // Xu 2015: sum_i (1 - sum_t a_ti)^2
Tensor repetition_penalty(Pass& pass, Tensor weights, Mask steps);  // See 2017: sum_ti min(a_ti, sum_{t'<t} a_t'i)
// Mi 2016: sum_i |cov_i|^2, what coverage embeddings [batch, heads * positions * size] hold at the end.
Tensor coverage_embedding_penalty(Pass& pass, Tensor embeddings, int heads, Mask source);
// objectives/diversity.cc: |A A' - I|^2 of a structured summary, [rows, batch, positions].
Tensor diversity_penalty(Pass& pass, Tensor summary);  // Lin 2017
// objectives/fertility.cc; fertilities [positions, batch, 1].
Tensor fertility_penalty(Pass& pass, Tensor weights, Tensor fertilities, Mask steps, Mask source);  // Cohn 2016
// objectives/supervised.cc; wanted [steps, batch, positions], rows of zeros count nothing.
Tensor supervised_cross_entropy(Pass& pass, Tensor weights, std::span<const Real> wanted);  // Liu 2016
Tensor supervised_squares(Pass& pass, Tensor weights, std::span<const Real> wanted);        // Mi 2016
// objectives/agreement.cc: -Tr(A_xy A_yx), weights [target, batch, source] and [source, batch, target].
Tensor disagreement(Pass& pass, Tensor forward, Tensor backward);  // Cohn 2016
// objectives/reinforce.cc: what draws were worth, see there.
struct Draws {
  Tensor log_probability;  // [steps, batch * heads, 1] of what was drawn
  Tensor probabilities;    // [steps, batch * heads, positions]; empty: no entropy
  Tensor baseline;         // [steps, batch, 1] what was to be expected
};
struct Reinforced {
  Tensor surrogate;  // [1]: its gradient is that of the expected reward
  Tensor baseline;   // [1]: squared error of the baseline
  Tensor entropy;    // [1]: minus the entropy; empty without probabilities
};
// The baseline that a moving average of the log-likelihood of a symbol gives: that of a step and all later ones.
Tensor average_baseline(Pass& pass, Mask steps);
// rewards [steps, batch]: of each step; a draw is worth what it and later steps earn.
Reinforced reinforce(Pass& pass, const Draws& draws, std::span<const Real> rewards, Mask steps);

// 1 for real steps, 0 for others, [steps, batch, size].
Tensor step_mask(Pass& pass, Mask steps, int size);

}  // namespace fovea
