// A recurrent cell, LSTM or GRU: over a whole sequence, or one step at a time where each step's input waits for the
// last.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "layers/symbol_products.h"

namespace fovea {

std::vector<std::string> cell_names();

// c is empty for a GRU.
struct CellState {
  Tensor h;  // [batch, size]
  Tensor c;
};

class Cell {
 public:
  Cell() = default;
  // `context` > 0 gives steps a second input of that size, beside the one that project() prepares.
  Cell(Parameters& parameters, const std::string& name, const std::string& kind, int in, int size, int context = 0);

  int size() const { return size_; }
  int gates() const { return (kind_ == Kind::lstm ? 4 : 3) * size_; }
  bool has_c() const { return kind_ == Kind::lstm; }

  struct Sequence {
    Tensor h;        // [steps, batch, size]
    CellState last;  // after each row's last real step
  };
  Sequence run(Pass& pass, Tensor x, CellState initial, Mask mask, Direction direction) const {
    return run(pass, x, pass(input_), initial, mask, direction);
  }
  // The same from what project() gives, which is used up.
  Sequence run_projected(Pass& pass, Tensor projected, CellState initial, Mask mask, Direction direction) const {
    return run(pass, projected, {}, initial, mask, direction);
  }

  // The input's share of the gates, [..., gates]: for all steps in one product where all inputs are known.
  Tensor project(Pass& pass, Tensor x) const;
  // What project() gives of symbols.
  std::unique_ptr<SymbolProducts> project_symbols(const SymbolVectors& vectors) const {
    return std::make_unique<SymbolProducts>(vectors, input_, bias_);
  }
  // One step from its projected input [batch, gates] and, if the cell has one, its context [batch, context].
  CellState step(Pass& pass, Tensor projected, Tensor context, CellState previous) const;

 private:
  Sequence run(Pass& pass, Tensor x, Tensor input, CellState initial, Mask mask, Direction direction) const;

  enum class Kind { lstm, gru };
  Kind kind_ = Kind::lstm;
  int size_ = 0;
  ParameterId input_;
  ParameterId bias_;
  ParameterId state_;
  ParameterId state_bias_;  // GRU only
  ParameterId context_;
};

}  // namespace fovea
