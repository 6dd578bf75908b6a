// Recurrent cells: one step each.
#pragma once

#include "attention/oracles/numbers.h"

namespace fovea::oracle {

// What the inputs add to the gates: W x + b, of a cell that reads one more W' context, and `more`, if there is any.
inline Row input_gates(const Weights& weights, const Row& x, const Row& context, const Row& more) {
  Row gates = plus(weights.times("input", x), weights.row("bias"));
  if (!more.empty()) gates = plus(gates, more);
  return context.empty() ? gates : plus(gates, weights.times("context", context));
}

struct Cells {
  Row h, c;
};

// Hochreiter & Schmidhuber 1997 with the forget gate of Gers 2000; gates: input, forget, candidate, output.
inline Cells lstm(const Weights& weights, const Row& x, const Row& context, const Cells& before, const Row& more = {}) {
  const Row gates = plus(input_gates(weights, x, context, more), weights.times("state", before.h));
  const std::size_t size = before.h.size();
  Cells after = {Row(size), Row(size)};
  for (std::size_t j = 0; j < size; ++j) {
    const double in = sigmoid(gates[j]), forget = sigmoid(gates[size + j]);
    const double candidate = std::tanh(gates[2 * size + j]), out = sigmoid(gates[3 * size + j]);
    after.c[j] = forget * before.c[j] + in * candidate;
    after.h[j] = out * std::tanh(after.c[j]);
  }
  return after;
}

// Cho 2014 with the reset gate after the product; gates: reset, update, candidate.
inline Row gru(const Weights& weights, const Row& x, const Row& context, const Row& before, const Row& more = {}) {
  const Row from_x = input_gates(weights, x, context, more);
  const Row from_h = plus(weights.times("state", before), weights.row("state_bias"));
  const std::size_t size = before.size();
  Row after(size);
  for (std::size_t j = 0; j < size; ++j) {
    const double reset = sigmoid(from_x[j] + from_h[j]), update = sigmoid(from_x[size + j] + from_h[size + j]);
    const double candidate = std::tanh(from_x[2 * size + j] + reset * from_h[2 * size + j]);
    after[j] = (1 - update) * candidate + update * before[j];
  }
  return after;
}

inline Cells cell(const std::string& kind, const Weights& weights, const Row& x, const Row& context,
                  const Cells& before, const Row& more = {}) {
  return kind == "gru" ? Cells{gru(weights, x, context, before.h, more), {}} : lstm(weights, x, context, before, more);
}

}  // namespace fovea::oracle
