// A stack of recurrent layers, reading in one direction or both: h_i = [forward_i ; backward_i]. Schuster & Paliwal
// 1997; as in Bahdanau 2015.
#pragma once

#include "models/encoder.h"

namespace fovea {

class RecurrentStack {
 public:
  struct Sizes {
    int in = 0;
    int size = 0;  // in each direction
    int layers = 1;
    bool bidirectional = true;
    bool residual = false;  // from the second layer on
    bool dropped = true;    // values of each layer in training; not where rows are no rows of the batch
  };
  RecurrentStack(Parameters& parameters, const std::string& name, const std::string& cell, const Sizes& sizes);

  // x [positions, batch, in]
  Encoded run(Pass& pass, Tensor x, Mask mask) const { return run(pass, x, {}, mask); }
  // The same from what the first layer makes of symbols: one for each direction.
  using Products = std::vector<std::unique_ptr<SymbolProducts>>;
  Products project_symbols(const SymbolVectors& vectors) const;
  Encoded run_projected(Pass& pass, std::span<const Tensor> projected, Mask mask) const {
    return run(pass, {}, projected, mask);
  }

  int size() const { return directions_ * size_; }
  bool has_c() const { return cells_[0].has_c(); }

 private:
  Encoded run(Pass& pass, Tensor x, std::span<const Tensor> projected, Mask mask) const;

  std::string name_;
  int size_;
  int directions_;
  bool residual_;
  bool dropped_;
  std::vector<Cell> cells_;  // layer by layer, forward then backward
};

class RnnEncoder : public Encoder {
 public:
  RnnEncoder(Parameters& parameters, const ModelOptions& options, const Input& input);

  Encoded encode(Pass& pass, const InputVectors& x, Mask mask) const override;
  int memory_size() const override { return stack_.size(); }
  bool has_c() const override { return stack_.has_c(); }

 private:
  RecurrentStack stack_;
  RecurrentStack::Products first_;
};

}  // namespace fovea
