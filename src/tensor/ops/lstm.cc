#include <algorithm>

#include "base/as_size.h"
#include "kernels/cells.h"
#include "kernels/pointwise.h"
#include "kernels/rows.h"
#include "tensor/ops.h"
#include "tensor/ops/products.h"
#include "tensor/ops/states.h"

namespace fovea {

LstmState lstm(Tensor x, const LstmWeights& weights, LstmState initial, Mask mask, Direction direction) {
  const int steps = x.shape()[0], batch = x.shape()[1], in = x.shape()[2], size = weights.state.shape()[0];
  const int width = 4 * size;
  check(steps > 0, "lstm: no step");
  const bool projects = static_cast<bool>(weights.input);
  const Shape input = projects ? weights.input.shape() : Shape({in, in});
  check(input == Shape({in, width}) && weights.state.shape() == Shape({size, width}),
        "lstm: weights {} and {} for inputs {}", input.text(), weights.state.shape().text(), x.shape().text());
  check(weights.bias.shape().count() == width, "lstm: a bias {} for {} gates", weights.bias.shape().text(), width);
  for (const Tensor first : {initial.h, initial.c}) {
    check(!first || first.shape() == Shape({batch, size}), "lstm: a first state that is not [{}, {}]", batch, size);
  }
  check(mask.positions == steps && mask.batch == batch, "lstm: a mask [{}, {}] for {}", mask.positions, mask.batch,
        x.shape().text());
  Tape& tape = x.tape();
  bool wants_gradient = false;
  for (const Tensor t : {x, weights.input, weights.state, weights.bias, initial.h, initial.c}) {
    wants_gradient = wants_gradient || (t && t.wants_gradient());
  }
  const int rows = steps * batch;
  const int turn = direction == Direction::forward ? 1 : -1;
  const States h = make_states(tape, {steps, batch, size}, initial.h, direction, wants_gradient);
  const States c = make_states(tape, {steps, batch, size}, initial.c, direction, wants_gradient);
  Real* gates = x.data();  // [steps, batch, 4 size]
  if (projects) {
    gates = tape.arena().array<Real>(as_size(rows) * width).data();
    write_product({x.data(), rows, in}, packed_plain(weights.input), gates, kernels::Start::zero, weights.bias.data());
  }
  const Right state_weight = packed_plain(weights.state);
  const auto cell_at = [=](int t) { return kernels::CellSize{batch, size, mask.data + std::ptrdiff_t(t) * batch}; };
  for (int i = 0, t = first_step(direction, steps); i < steps; ++i, t += turn) {
    Real* gates_t = gates + std::ptrdiff_t(t) * batch * width;
    write_product({h.previous(t), batch, size}, state_weight, gates_t, kernels::Start::keep);
    kernels::lstm_forward(cell_at(t), {gates_t, h.previous(t), c.previous(t), h.current(t), c.current(t)});
  }
  const LstmState out = {tape.view(h.all, std::ptrdiff_t(h.after) * h.stride, {steps, batch, size}),
                         tape.view(c.all, std::ptrdiff_t(c.after) * c.stride, {steps, batch, size})};
  if (!wants_gradient) return out;

  tape.record([=] {
    if (!h.all.has_gradient() && !c.all.has_gradient()) return;
    const std::size_t state_count = as_size(batch) * size;
    const std::span<Real> dc = x.tape().arena().array<Real>(state_count);
    std::ranges::fill(dc, Real(0));
    const Right state_transposed = packed_transposed(weights.state);
    // gates_t turns from activations into the gradient of the pre-activations.
    for (int i = 0, t = last_step(direction, steps); i < steps; ++i, t -= turn) {
      Real* gates_t = gates + std::ptrdiff_t(t) * batch * width;
      if (c.all.has_gradient()) kernels::add({c.current_gradient(t), state_count}, dc);
      kernels::lstm_backward(
          cell_at(t), {gates_t, c.previous(t), c.current(t), h.current_gradient(t), dc.data(), h.previous_gradient(t)});
      write_product({gates_t, batch, width}, state_transposed, h.previous_gradient(t), kernels::Start::keep);
    }
    const int first = first_step(direction, steps);
    if (initial.h && initial.h.wants_gradient()) {
      kernels::add({h.previous_gradient(first), state_count}, initial.h.gradients());
    }
    if (initial.c && initial.c.wants_gradient()) kernels::add(dc, initial.c.gradients());
    const RowsView dgates = {gates, rows, width};
    const Real* previous_states = h.all.data() + std::ptrdiff_t(h.before) * h.stride;
    add_weight_gradient(weights.state, {previous_states, rows, size}, dgates);
    if (!projects) {
      if (x.wants_gradient()) kernels::add({gates, x.values().size()}, x.gradients());
      return;
    }
    add_weight_gradient(weights.input, {x.data(), rows, in}, dgates);
    if (weights.bias.wants_gradient()) kernels::add_rows(gates, rows, width, weights.bias.gradient());
    if (x.wants_gradient()) {
      write_product({gates, rows, width}, packed_transposed(weights.input), x.gradient(), kernels::Start::keep);
    }
  });
  return out;
}

LstmState lstm_step(Tensor gates, Tensor previous_c) {
  const int batch = previous_c.shape()[0], size = previous_c.shape()[1];
  check(gates.shape() == Shape({batch, 4 * size}), "lstm_step: gates {} for a state {}", gates.shape().text(),
        previous_c.shape().text());
  Tape& tape = gates.tape();
  const bool wants_gradient = gates.wants_gradient() || previous_c.wants_gradient();
  const LstmState out = {tape.make({batch, size}, wants_gradient), tape.make({batch, size}, wants_gradient)};
  const std::span<Real> active = tape.arena().array<Real>(gates.values().size());
  std::ranges::copy(gates.values(), active.begin());
  const kernels::CellSize cell = {batch, size, nullptr};
  kernels::lstm_forward(cell, {active.data(), nullptr, previous_c.data(), out.h.data(), out.c.data()});
  if (wants_gradient) {
    tape.record([=] {
      if (!out.h.has_gradient() && !out.c.has_gradient()) return;
      // out.c's gradient becomes that of previous_c, active the gates' gradient.
      kernels::lstm_backward(
          cell, {active.data(), previous_c.data(), out.c.data(), out.h.gradient(), out.c.gradient(), nullptr});
      if (gates.wants_gradient()) kernels::add(active, gates.gradients());
      if (previous_c.wants_gradient()) kernels::add(out.c.gradients(), previous_c.gradients());
    });
  }
  return out;
}

}  // namespace fovea
