#include "layers/cell.h"

#include "base/error.h"

namespace fovea {

std::vector<std::string> cell_names() { return {"lstm", "gru"}; }

Cell::Cell(Parameters& parameters, const std::string& name, const std::string& kind, int in, int size, int context)
    : kind_(kind == "gru" ? Kind::gru : Kind::lstm), size_(size) {
  const int gates = this->gates();
  input_ = parameters.add(name + ".input", {in, gates}, Initial::glorot(in + context, size));
  state_ = parameters.add(name + ".state", {size, gates}, Initial::glorot(size, size));
  bias_ = parameters.add(name + ".bias", {gates}, Initial::constant(0));
  if (kind_ == Kind::gru) state_bias_ = parameters.add(name + ".state_bias", {gates}, Initial::constant(0));
  if (context > 0) context_ = parameters.add(name + ".context", {context, gates}, Initial::glorot(in + context, size));
}

Cell::Sequence Cell::run(Pass& pass, Tensor x, Tensor input, CellState initial, Mask mask, Direction direction) const {
  const int last = direction == Direction::forward ? x.shape()[0] - 1 : 0;
  if (kind_ == Kind::lstm) {
    const LstmState states = lstm(x, {input, pass(state_), pass(bias_)}, {initial.h, initial.c}, mask, direction);
    return {states.h, {fovea::step(states.h, last), fovea::step(states.c, last)}};
  }
  const Tensor h = gru(x, {input, pass(bias_), pass(state_), pass(state_bias_)}, initial.h, mask, direction);
  return {h, {fovea::step(h, last), {}}};
}

Tensor Cell::project(Pass& pass, Tensor x) const { return linear(x, pass(input_), pass(bias_)); }

CellState Cell::step(Pass& pass, Tensor projected, Tensor context, CellState previous) const {
  if (kind_ == Kind::lstm) {
    const Tensor gates = context ? add_products(projected, {{context, pass(context_)}, {previous.h, pass(state_)}})
                                 : add_products(projected, {{previous.h, pass(state_)}});
    const LstmState next = lstm_step(gates, previous.c);
    return {next.h, next.c};
  }
  const Tensor from_input = context ? add_products(projected, {{context, pass(context_)}}) : projected;
  return {gru_step(from_input, linear(previous.h, pass(state_), pass(state_bias_)), previous.h), {}};
}

}  // namespace fovea
