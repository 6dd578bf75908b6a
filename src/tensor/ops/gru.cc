#include <algorithm>

#include "base/as_size.h"
#include "kernels/cells.h"
#include "kernels/pointwise.h"
#include "kernels/rows.h"
#include "tensor/ops.h"
#include "tensor/ops/products.h"
#include "tensor/ops/states.h"

namespace fovea {

Tensor gru(Tensor x, const GruWeights& weights, Tensor initial, Mask mask, Direction direction) {
  const int steps = x.shape()[0], batch = x.shape()[1], in = x.shape()[2], size = weights.state.shape()[0];
  const int width = 3 * size;
  check(steps > 0, "gru: no step");
  const bool projects = static_cast<bool>(weights.input);
  const Shape input = projects ? weights.input.shape() : Shape({in, in});
  check(input == Shape({in, width}) && weights.state.shape() == Shape({size, width}),
        "gru: weights {} and {} for inputs {}", input.text(), weights.state.shape().text(), x.shape().text());
  check(weights.input_bias.shape().count() == width && weights.state_bias.shape().count() == width,
        "gru: biases {} and {} for {} gates", weights.input_bias.shape().text(), weights.state_bias.shape().text(),
        width);
  check(!initial || initial.shape() == Shape({batch, size}), "gru: a first state that is not [{}, {}]", batch, size);
  check(mask.positions == steps && mask.batch == batch, "gru: a mask [{}, {}] for {}", mask.positions, mask.batch,
        x.shape().text());
  Tape& tape = x.tape();
  bool wants_gradient = false;
  for (const Tensor t : {x, weights.input, weights.input_bias, weights.state, weights.state_bias, initial}) {
    wants_gradient = wants_gradient || (t && t.wants_gradient());
  }
  const int rows = steps * batch;
  const int turn = direction == Direction::forward ? 1 : -1;
  const States h = make_states(tape, {steps, batch, size}, initial, direction, wants_gradient);
  Real* input_gates = x.data();  // [steps, batch, 3 size]
  Real* state_gates = tape.arena().array<Real>(as_size(rows) * width).data();
  if (projects) {
    input_gates = tape.arena().array<Real>(as_size(rows) * width).data();
    write_product({x.data(), rows, in}, packed_plain(weights.input), input_gates, kernels::Start::zero,
                  weights.input_bias.data());
  }
  const Right state_weight = packed_plain(weights.state);
  const auto cell_at = [=](int t) { return kernels::CellSize{batch, size, mask.data + std::ptrdiff_t(t) * batch}; };
  for (int i = 0, t = first_step(direction, steps); i < steps; ++i, t += turn) {
    const std::ptrdiff_t at = std::ptrdiff_t(t) * batch * width;
    write_product({h.previous(t), batch, size}, state_weight, state_gates + at, kernels::Start::zero,
                  weights.state_bias.data());
    kernels::gru_forward(cell_at(t), {input_gates + at, state_gates + at, h.previous(t), h.current(t)});
  }
  Tensor out = tape.view(h.all, std::ptrdiff_t(h.after) * h.stride, {steps, batch, size});
  if (!wants_gradient) return out;

  tape.record([=] {
    if (!h.all.has_gradient()) return;
    const Right state_transposed = packed_transposed(weights.state);
    // Both gates turn from values into gradients.
    for (int i = 0, t = last_step(direction, steps); i < steps; ++i, t -= turn) {
      const std::ptrdiff_t at = std::ptrdiff_t(t) * batch * width;
      kernels::gru_backward(cell_at(t), {input_gates + at, state_gates + at, h.previous(t), h.current_gradient(t),
                                         h.previous_gradient(t)});
      write_product({state_gates + at, batch, width}, state_transposed, h.previous_gradient(t), kernels::Start::keep);
    }
    if (initial && initial.wants_gradient()) {
      kernels::add({h.previous_gradient(first_step(direction, steps)), as_size(h.stride)}, initial.gradients());
    }
    const Real* previous_states = h.all.data() + std::ptrdiff_t(h.before) * h.stride;
    add_weight_gradient(weights.state, {previous_states, rows, size}, {state_gates, rows, width});
    if (weights.state_bias.wants_gradient()) {
      kernels::add_rows(state_gates, rows, width, weights.state_bias.gradient());
    }
    if (!projects) {
      if (x.wants_gradient()) kernels::add({input_gates, x.values().size()}, x.gradients());
      return;
    }
    add_weight_gradient(weights.input, {x.data(), rows, in}, {input_gates, rows, width});
    if (weights.input_bias.wants_gradient()) {
      kernels::add_rows(input_gates, rows, width, weights.input_bias.gradient());
    }
    if (x.wants_gradient()) {
      write_product({input_gates, rows, width}, packed_transposed(weights.input), x.gradient(), kernels::Start::keep);
    }
  });
  return out;
}

Tensor gru_step(Tensor input_gates, Tensor state_gates, Tensor previous_h) {
  const int batch = previous_h.shape()[0], size = previous_h.shape()[1];
  check(input_gates.shape() == Shape({batch, 3 * size}) && state_gates.shape() == input_gates.shape(),
        "gru_step: gates {} and {} for a state {}", input_gates.shape().text(), state_gates.shape().text(),
        previous_h.shape().text());
  Tape& tape = previous_h.tape();
  const bool wants_gradient =
      input_gates.wants_gradient() || state_gates.wants_gradient() || previous_h.wants_gradient();
  Tensor h = tape.make({batch, size}, wants_gradient);
  const std::span<Real> active = tape.arena().array<Real>(input_gates.values().size());
  std::ranges::copy(input_gates.values(), active.begin());
  const kernels::CellSize cell = {batch, size, nullptr};
  kernels::gru_forward(cell, {active.data(), state_gates.data(), previous_h.data(), h.data()});
  if (wants_gradient) {
    tape.record([=] {
      if (!h.has_gradient()) return;
      const std::span<Real> dstate = h.tape().arena().array<Real>(state_gates.values().size());
      std::ranges::copy(state_gates.values(), dstate.begin());
      const std::span<Real> dprevious = h.tape().arena().array<Real>(previous_h.values().size());
      std::ranges::fill(dprevious, Real(0));
      kernels::gru_backward(cell, {active.data(), dstate.data(), previous_h.data(), h.gradient(), dprevious.data()});
      if (input_gates.wants_gradient()) kernels::add(active, input_gates.gradients());
      if (state_gates.wants_gradient()) kernels::add(dstate, state_gates.gradients());
      if (previous_h.wants_gradient()) kernels::add(dprevious, previous_h.gradients());
    });
  }
  return h;
}

}  // namespace fovea
