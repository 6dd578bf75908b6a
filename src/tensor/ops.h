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

// ops/linear.cc
struct Product {
  Tensor x;       // [..., in]
  Tensor weight;  // [in, out]
};
Tensor linear(Tensor x, Tensor weight, Tensor bias = {});                   // x W + b
Tensor add_products(Tensor base, std::initializer_list<Product> products);  // base + x1 W1 + x2 W2 + ...

// ops/arrange.cc
Tensor concat(std::initializer_list<Tensor> parts);  // side by side along the last axis
Tensor step(Tensor sequence, int t);                 // entry t of the first axis, sharing its memory
Tensor stack(std::span<const Tensor> steps);         // one more axis in front
Tensor as_shape(Tensor x, Shape shape);              // the same numbers in order
Tensor gather_rows(Tensor x, Ids rows);              // [rows, ...] entries of the first axis, any number of times
Tensor masked_mean(Tensor x, Mask mask);             // [positions, batch, size] -> [batch, size] over real positions

// ops/embedding.cc
Tensor embed(Tensor table, Ids ids, Shape leading);  // leading axes, then the table's columns

// ops/dropout.cc
struct Dropout {
  Real share = 0;                         // of the values set to zero; the rest grow by 1 / (1 - share)
  Random random;                          // of this place in the network and this step of training
  std::span<const std::int64_t> samples;  // [batch] which example each row is
};
Tensor dropout(Tensor x, const Dropout& dropout);  // x [steps, batch, size] or [batch, size]

// ops/lstm.cc, ops/gru.cc. A masked step keeps the state.
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

// ops/log_softmax.cc: each row by itself
Tensor log_softmax(Tensor logits);

// ops/cross_entropy.cc: the sum over rows, [1]
struct CrossEntropy {
  Real smoothing = 0;
  int ignored = -1;  // rows with this target do not count
};
Tensor cross_entropy(Tensor logits, Ids targets, CrossEntropy options);

}  // namespace fovea
