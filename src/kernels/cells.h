// The pointwise part of LSTM and GRU cells for one step of a batch. A row whose mask is 0 keeps its state.
#pragma once

#include <cstdint>

#include "base/real.h"

namespace fovea::kernels {

struct CellSize {
  int batch = 0;
  int size = 0;
  const std::uint8_t* mask = nullptr;  // [batch], or none: all rows are real
};

// Gates in the order input, forget, candidate, output, each [size], side by side in rows of 4 * size.
struct LstmStep {
  Real* gates = nullptr;  // [batch, 4 size] before: pre-activations; after: activations
  const Real* previous_h = nullptr;
  const Real* previous_c = nullptr;
  Real* h = nullptr;
  Real* c = nullptr;
};
void lstm_forward(CellSize cell, LstmStep step);

struct LstmStepGradient {
  Real* gates = nullptr;  // [batch, 4 size] before: activations; after: gradient of the pre-activations
  const Real* previous_c = nullptr;
  const Real* c = nullptr;
  const Real* dh = nullptr;
  Real* dc = nullptr;           // before: gradient of c; after: gradient of previous_c
  Real* dprevious_h = nullptr;  // added to, where a masked row passes its gradient on
};
void lstm_backward(CellSize cell, LstmStepGradient step);

// Gates in the order reset, update, candidate; candidate = tanh(input + reset * state).
struct GruStep {
  Real* input_gates = nullptr;        // [batch, 3 size] before: from the input; after: activations
  const Real* state_gates = nullptr;  // [batch, 3 size] from the previous state
  const Real* previous_h = nullptr;
  Real* h = nullptr;
};
void gru_forward(CellSize cell, GruStep step);

struct GruStepGradient {
  Real* input_gates = nullptr;  // before: activations; after: gradient
  Real* state_gates = nullptr;  // before: as in forward; after: gradient
  const Real* previous_h = nullptr;
  const Real* dh = nullptr;
  Real* dprevious_h = nullptr;  // added to
};
void gru_backward(CellSize cell, GruStepGradient step);

}  // namespace fovea::kernels
