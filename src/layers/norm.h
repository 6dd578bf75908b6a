// Layer normalisation: (x - mean) / deviation of each row, times a gain, plus a bias. Ba, Kiros & Hinton 2016.
#pragma once

#include <string>

#include "layers/pass.h"

namespace fovea {

class LayerNorm {
 public:
  LayerNorm(Parameters& parameters, const std::string& name, int size)
      : gain_(parameters.add(name + ".gain", {size}, Initial::constant(1))),
        bias_(parameters.add(name + ".bias", {size}, Initial::constant(0))) {}

  Tensor operator()(Pass& pass, Tensor x) const { return layer_norm(x, pass(gain_), pass(bias_)); }

 private:
  ParameterId gain_;
  ParameterId bias_;
};

}  // namespace fovea
