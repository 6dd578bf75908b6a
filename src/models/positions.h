// Vectors that say where a symbol stands.
#pragma once

#include <string>
#include <vector>

#include "layers/pass.h"

namespace fovea {

std::vector<std::string> position_names();

class Positions {
 public:
  // `most` learned positions; beyond, the last one stands for all.
  Positions(Parameters& parameters, const std::string& name, const std::string& kind, int size, int most);

  bool none() const { return kind_ == Kind::none; }
  // [steps, batch, size]: the vector of each step's position, the same for all rows.
  Tensor vectors(Pass& pass, Shape leading, When when) const;

 private:
  enum class Kind { none, sinusoid, learned };
  Kind kind_;
  int size_;
  int most_;
  ParameterId table_;          // learned ones
  std::vector<double> turns_;  // of sinusoids: the angle that each column turns by from one position to the next
};

}  // namespace fovea
