// The features of a line (inflection tags, a language, a style): a vector each, whose sum every step of the decoder
// reads.
#pragma once

#include <string>

#include "layers/embedding.h"
#include "models/batch.h"

namespace fovea {

class LineFeatures {
 public:
  LineFeatures(Parameters& parameters, const std::string& name, int symbols, int size)
      : vectors_(parameters, name, symbols, size, 0.1), name_(name) {}

  // [batch, size]; zeros for a line without any.
  Tensor operator()(Pass& pass, const FeatureIds& features) const {
    const Mask mask = {features.real.data(), features.length, features.batch};
    Tensor ones = pass.tape().make({1, features.batch, features.length});
    for (Real& value : ones.values()) value = 1;
    const Tensor all = vectors_(pass, features.ids, {features.length, features.batch});
    const Tensor sum = weighted_sum(ones, all, mask);
    return pass.drop(as_shape(sum, {features.batch, sum.shape().last()}), name_);
  }

 private:
  Embedding vectors_;
  std::string name_;
};

}  // namespace fovea
