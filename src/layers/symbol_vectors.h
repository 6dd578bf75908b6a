// Vectors of symbols, as encoders and decoders read them; frozen ones stay as they are in training.
#pragma once

#include <string>

#include "layers/embedding.h"

namespace fovea {

class SymbolVectors {
 public:
  SymbolVectors(Parameters& parameters, const std::string& name, int symbols, int size, double spread, bool frozen)
      : name_(name), frozen_(frozen), embedding_(parameters, name, symbols, size, spread) {}

  Tensor operator()(Pass& pass, Ids ids, Shape leading) const {
    const Tensor vectors = embedding_(pass, ids, leading);
    return frozen_ ? detach(vectors) : vectors;
  }
  // The same with some values dropped in training.
  Tensor dropped(Pass& pass, Ids ids, Shape leading, int first = 0) const {
    return pass.drop((*this)(pass, ids, leading), name_, first);
  }

  ParameterId table() const { return embedding_.table(); }

 private:
  std::string name_;
  bool frozen_;
  Embedding embedding_;
};

}  // namespace fovea
