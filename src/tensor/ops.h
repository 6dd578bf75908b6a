// The operations. Sequences are [steps, batch, size], weights [in, out]. Each .cc in ops/ has the forward computation
// and, right under it, the backward one.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>

#include "base/random.h"
#include "tensor/tensor.h"

namespace fovea {

using Ids = std::span<const std::int32_t>;

// ops/pointwise.cc: equal shapes
Tensor add(Tensor a, Tensor b);
Tensor multiply(Tensor a, Tensor b);
Tensor scale(Tensor x, Real factor);
Tensor tanh(Tensor x);
Tensor sigmoid(Tensor x);
Tensor relu(Tensor x);
Tensor exp(Tensor x);
Tensor reciprocal(Tensor x);      // 1 / x
Tensor softplus(Tensor x);        // log(1 + e^x)
Tensor log(Tensor x, Real plus);  // log(x + plus)
Tensor shift(Tensor x, Real by);  // x + by
Tensor minimum(Tensor a, Tensor b);
Tensor detach(Tensor x);  // the same values; nothing flows back

// ops/rows.cc: the last axis is a row
Tensor add_row(Tensor x, Tensor row);         // x [..., n] + row [n]
Tensor scale_rows(Tensor x, Tensor factors);  // x [..., n] times factors [..., 1]
Tensor layer_norm(Tensor x, Tensor gain, Tensor bias);
Tensor unit_rows(Tensor x);                   // x / |x|, zeros for a row of zeros
Tensor log_sum(Tensor x);                     // [..., n] -> [..., 1]: log sum_j exp(x_j)
Tensor pick(Tensor x, Ids ids, int ignored);  // [..., n] -> [..., 1]: x[ids], 0 where the id is `ignored`
Tensor sum(Tensor x);                         // [1]
Tensor sum_steps(Tensor x);                   // [steps, ...] -> [...]

// ops/linear.cc
struct Product {
  Tensor x;       // [..., in]
  Tensor weight;  // [in, out]
};
Tensor linear(Tensor x, Tensor weight, Tensor bias = {});                   // x W + b
Tensor add_products(Tensor base, std::initializer_list<Product> products);  // base + x1 W1 + x2 W2 + ...
Tensor linear_transposed(Tensor x, Tensor weight, Tensor bias);             // x W' + b

// ops/arrange.cc
Tensor concat(std::initializer_list<Tensor> parts);  // side by side along the last axis
Tensor columns(Tensor x, int start, int count);      // [..., n] -> [..., count]: part of the last axis
Tensor step(Tensor sequence, int t);                 // entry t of the first axis, sharing its memory
Tensor stack(std::span<const Tensor> steps);         // one more axis in front
Tensor as_shape(Tensor x, Shape shape);              // the same numbers in order
Tensor gather_rows(Tensor x, Ids rows);              // [rows, ...] entries of the first axis, any number of times
Tensor masked_mean(Tensor x, Mask mask);             // [positions, batch, size] -> [batch, size] over real positions

// ops/axes.cc
Tensor gather_batch(Tensor x, Ids rows);  // [steps, rows, size]: entries of the second axis, any number of times
Tensor join_steps(Tensor a, Tensor b);    // one after the other along the first axis
Tensor swap_axes(Tensor x);               // [a, b, c] -> [b, a, c]

// ops/embedding.cc
Tensor embed(Tensor table, Ids ids, Shape leading);  // leading axes, then the table's columns

// ops/dropout.cc
struct Dropout {
  Real share = 0;                         // of the values set to zero; the rest grow by 1 / (1 - share)
  Random random;                          // of this place in the network and this step of training
  std::span<const std::int64_t> samples;  // [batch] which example each row is
  int first = 0;                          // the step that x begins with
};
Tensor dropout(Tensor x, const Dropout& dropout);  // x [steps, batch, size] or [batch, size]

// ops/lstm.cc, ops/gru.cc. A masked step keeps the state. Without input weights x is the inputs' share of the gates,
// bias included, and is used up.
enum class Direction { forward, backward };
struct LstmWeights {
  Tensor input;  // [in, 4 size]: input, forget, candidate, output
  Tensor state;  // [size, 4 size]
  Tensor bias;   // [4 size]
};
struct LstmState {
  Tensor h;
  Tensor c;
};
// h and c of every step; h0 and c0 may be empty: zeros.
LstmState lstm(Tensor x, const LstmWeights& weights, LstmState initial, Mask mask, Direction direction);
LstmState lstm_step(Tensor gates, Tensor previous_c);  // gates [batch, 4 size] before their activation

struct GruWeights {
  Tensor input;       // [in, 3 size]: reset, update, candidate
  Tensor input_bias;  // [3 size]
  Tensor state;       // [size, 3 size]
  Tensor state_bias;  // [3 size]
};
Tensor gru(Tensor x, const GruWeights& weights, Tensor initial, Mask mask, Direction direction);
Tensor gru_step(Tensor input_gates, Tensor state_gates, Tensor previous_h);

// ops/attention.cc: queries [queries, batch, size], memory [positions, batch, size], scores [queries, batch, positions]
Tensor additive_scores(Tensor queries, Tensor keys, Tensor v, Mask mask);
Tensor masked_softmax(Tensor scores, Mask mask);
Tensor weighted_sum(Tensor weights, Tensor values, Mask mask);
Tensor dot_scores(Tensor queries, Tensor keys, Real factor, Mask mask);  // factor q' k

// ops/selections.cc: from scores to weights, each [queries, batch, positions]. What a query does not see weighs
// nothing.
Tensor sparsemax(Tensor scores, Mask mask);       // Martins & Astudillo 2016
Tensor entmax(Tensor scores, Mask mask);          // with alpha = 1.5, Peters, Niculae & Martins 2019
Tensor masked_sigmoid(Tensor scores, Mask mask);  // each position by itself
// `soft` with the values of `hard`, which takes no gradient: it all flows to `soft` (straight-through).
Tensor straight_through(Tensor hard, Tensor soft);
// Scores outside centre - width .. centre + width become so low that no weight is left; centres [queries, batch, 1]
// are rounded and held inside the row's real positions.
Tensor keep_window(Tensor scores, Tensor centres, int width, Mask mask);
// exp(-(i - centre)^2 / (2 deviation^2)) [queries, batch, positions]; the gradient flows to the centres.
Tensor gaussian_window(Tensor centres, Real deviation, Mask mask);
// From where the walk was, `before` [queries, batch, positions], it goes right over the real positions and stops at i
// with probability stops_i: a_i = stops_i q_i, q_i = (1 - stops_{i-1}) q_{i-1} + before_i. Weights sum to at most one.
Tensor walk(Tensor stops, Tensor before, Mask mask);
// a_i = sum_{j <= i} before_j exp(e_i) / sum_{k >= j} exp(e_k) over real positions: stays or jumps right.
Tensor jump(Tensor scores, Tensor before, Mask mask);
// Bayes: how likely the symbol is, log sum_i prior_i exp(log_likelihood_i), [queries, batch, 1], and where it then was.
struct Posterior {
  Tensor log_sum;  // [queries, batch, 1]
  Tensor weights;  // [queries, batch, positions], sum to one
};
Posterior posterior(Tensor prior, Tensor log_likelihoods, Mask mask);

// ops/positions.cc: what depends on where queries and positions stand. Query q stands at step first + q * stride:
// stride 1 for the steps of a sequence, 0 for alternatives at one step.
struct When {
  int first = 0;
  int stride = 1;
};
// x [queries, batch, 2 reach + 1] by distance -> [queries, batch, positions]: x at i - step, held inside -reach ..
// reach.
Tensor relative_bias(Tensor x, int positions, When when);
Tensor rotate(Tensor x, When when);  // rotary positions (Su 2021): x [steps, batch, size], size even

// ops/pairs.cc: every query with every position, as a sequence [positions, queries * batch, size] of its own.
Tensor broadcast_add(Tensor queries, Tensor keys);
Tensor broadcast_multiply(Tensor queries, Tensor keys);
Tensor from_pairs(Tensor x, int queries);  // [positions, queries * batch, 1] -> scores [queries, batch, positions]
Tensor to_pairs(Tensor scores);            // and back: [queries, batch, positions] -> [positions, queries * batch, 1]
// Each position with its neighbours side by side, [positions, batch, size] -> [positions, batch, width size]; zeros for
// what is not real. The middle of the window, (width - 1) / 2, is the position itself.
Tensor windows(Tensor x, int width, Mask mask);
Tensor unit_sequences(Tensor x, Mask mask);  // x / |x|, the norm taken over a row's real positions; zeros elsewhere

// ops/pictures.cc: x [columns, rows, batch, channels]; of each row of the batch the first so many columns are its
// picture. Each pixel with its neighbours side by side, column by column: [columns, rows, batch, size size channels],
// size odd; zeros for what is outside the picture.
Tensor picture_windows(Tensor x, int size, Ids real_columns);
// The largest of each block: [columns / across, rows / down, batch, channels]. Both must divide.
Tensor max_pool(Tensor x, int across, int down);

// ops/copy_map.cc: what positions stand for among the target's symbols: position i of row b for each symbols[k] with
// shares[k], k from starts[i batch + b] to starts[i batch + b + 1].
struct CopyMapView {
  std::span<const std::int32_t> starts;  // [positions * batch + 1]
  std::span<const std::int32_t> symbols;
  std::span<const Real> shares;
  int width = 0;  // how many symbols there are, those that only a source has counted
};
Tensor scatter_to_vocabulary(Tensor weights,
                             const CopyMapView& copy_map);  // [queries, batch, positions] -> [queries, batch, width]
// log(gate softmax(logits) + extra): logits [..., n], gate [..., 1], extra [..., width], width >= n. No log below
// 1e-30.
Tensor log_mixture(Tensor logits, Tensor gate, Tensor extra);

// ops/log_softmax.cc: each row by itself
Tensor log_softmax(Tensor logits);

// ops/cross_entropy.cc: the sum over rows, [1]
struct CrossEntropy {
  Real smoothing = 0;
  int ignored = -1;       // rows with this target do not count
  bool in_place = false;  // on the way back the logits turn into their gradient: nothing else may read them
};
Tensor cross_entropy(Tensor logits, Ids targets, CrossEntropy options);

}  // namespace fovea
