#include "kernels/attention.h"

#include "tensor/ops.h"

namespace fovea {

namespace {

kernels::AttentionSize attention_size(const char* operation, Shape queries, Shape memory, Mask mask) {
  check(queries.axes() == 3 && memory.axes() == 3 && queries[1] == memory[1], "{}: queries {} over a memory {}",
        operation, queries.text(), memory.text());
  check(mask.positions == memory[0] && mask.batch == memory[1], "{}: a mask [{}, {}] for a memory {}", operation,
        mask.positions, mask.batch, memory.text());
  return {queries[0], queries[1], memory[0], memory[2], mask.data, mask.causal};
}

// With memory to gather rows in. Several queries read every row of the memory.
kernels::AttentionSize with_room(kernels::AttentionSize size, Tape& tape) {
  if (size.queries > 1) size.room = tape.arena().array<Real>(size.room_needed()).data();
  return size;
}

}  // namespace

Tensor additive_scores(Tensor queries, Tensor keys, Tensor v, Mask mask) {
  const auto size = attention_size("additive_scores", queries.shape(), keys.shape(), mask);
  check(queries.shape()[2] == size.size && v.shape().count() == size.size,
        "additive_scores: queries {}, keys {} and v {} differ in size", queries.shape().text(), keys.shape().text(),
        v.shape().text());
  Tape& tape = queries.tape();
  Tensor scores = tape.make({size.queries, size.batch, size.positions},
                            queries.wants_gradient() || keys.wants_gradient() || v.wants_gradient());
  kernels::additive_scores(size, queries.data(), keys.data(), v.data(), scores.data());
  if (scores.wants_gradient()) {
    tape.record([=] {
      if (!scores.has_gradient()) return;
      kernels::additive_scores_backward(
          size, queries.data(), keys.data(), v.data(),
          {scores.gradient(), queries.gradient_if_wanted(), keys.gradient_if_wanted(), v.gradient_if_wanted()});
    });
  }
  return scores;
}

Tensor dot_scores(Tensor queries, Tensor keys, Real factor, Mask mask) {
  Tape& tape = queries.tape();
  const auto size = with_room(attention_size("dot_scores", queries.shape(), keys.shape(), mask), tape);
  check(queries.shape()[2] == size.size, "dot_scores: queries {} and keys {} differ in size", queries.shape().text(),
        keys.shape().text());
  Tensor scores =
      tape.make({size.queries, size.batch, size.positions}, queries.wants_gradient() || keys.wants_gradient());
  kernels::dot_scores(size, queries.data(), keys.data(), factor, scores.data());
  if (scores.wants_gradient()) {
    tape.record([=] {
      if (!scores.has_gradient()) return;
      kernels::dot_scores_backward(size, queries.data(), keys.data(), factor,
                                   {scores.gradient(), queries.gradient_if_wanted(), keys.gradient_if_wanted()});
    });
  }
  return scores;
}

Tensor masked_softmax(Tensor scores, Mask mask) {
  const Shape& shape = scores.shape();
  check(shape.axes() == 3 && shape[2] == mask.positions && shape[1] == mask.batch,
        "masked_softmax: a mask [{}, {}] for scores {}", mask.positions, mask.batch, shape.text());
  const kernels::AttentionSize size = {shape[0], shape[1], shape[2], 0, mask.data, mask.causal};
  Tensor weights = scores.tape().make(shape, scores.wants_gradient());
  kernels::masked_softmax(size, scores.data(), weights.data());
  if (weights.wants_gradient()) {
    weights.tape().record([=] {
      if (!weights.has_gradient()) return;
      kernels::masked_softmax_backward(size, weights.data(), weights.gradient(), scores.gradient());
    });
  }
  return weights;
}

Tensor weighted_sum(Tensor weights, Tensor values, Mask mask) {
  const auto size = with_room(attention_size("weighted_sum", weights.shape(), values.shape(), mask), weights.tape());
  check(weights.shape()[2] == size.positions, "weighted_sum: weights {} over values {}", weights.shape().text(),
        values.shape().text());
  Tensor contexts =
      weights.tape().make({size.queries, size.batch, size.size}, weights.wants_gradient() || values.wants_gradient());
  kernels::weighted_sum(size, weights.data(), values.data(), contexts.data());
  if (contexts.wants_gradient()) {
    contexts.tape().record([=] {
      if (!contexts.has_gradient()) return;
      kernels::weighted_sum_backward(size, weights.data(), values.data(), contexts.gradient(),
                                     weights.gradient_if_wanted(), values.gradient_if_wanted());
    });
  }
  return contexts;
}

}  // namespace fovea
