// x W + b
#pragma once

#include <string>

#include "layers/pass.h"

namespace fovea {

class Linear {
 public:
  Linear() = default;
  // `gain` makes the first weights smaller or larger.
  Linear(Parameters& parameters, const std::string& name, int in, int out, bool with_bias = true, double gain = 1)
      : weight_(parameters.add(name + ".weight", {in, out}, Initial::glorot(in, out, gain))) {
    if (with_bias) bias_ = parameters.add(name + ".bias", {out}, Initial::constant(0));
  }

  Tensor operator()(Pass& pass, Tensor x) const { return linear(x, pass(weight_), bias_ ? pass(bias_) : Tensor()); }

 private:
  ParameterId weight_;
  ParameterId bias_;
};

}  // namespace fovea
