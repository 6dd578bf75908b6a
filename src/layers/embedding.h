// A learned vector for every symbol.
#pragma once

#include <string>

#include "layers/pass.h"

namespace fovea {

class Embedding {
 public:
  Embedding() = default;
  Embedding(Parameters& parameters, const std::string& name, int entries, int size, double spread)
      : table_(parameters.add(name + ".table", {entries, size}, Initial::uniform(spread))) {}

  // ids [leading...] -> [leading..., size]
  Tensor operator()(Pass& pass, Ids ids, Shape leading) const { return embed(pass(table_), ids, leading); }

  ParameterId table() const { return table_; }

 private:
  ParameterId table_;
};

}  // namespace fovea
