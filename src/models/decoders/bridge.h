// From what the encoder leaves to the decoder's first state:
//   zero     nothing
//   last     the encoder's last states, layer by layer from the top; with tanh(W h + b) where the sizes differ
//   mean     tanh(W mean_i h_i + b)
//   learned  the same for every source
#pragma once

#include <string>
#include <vector>

#include "layers/linear.h"
#include "models/encoder.h"

namespace fovea {

std::vector<std::string> bridge_names();
bool bridge_reads_source(std::string_view name);

class Bridge {
 public:
  Bridge(Parameters& parameters, const std::string& name, const DecoderOptions& options, const EncodedSizes& encoded);

  // One state for each layer.
  std::vector<CellState> states(Pass& pass, const Encoded& encoded) const;

 private:
  enum class Kind { zero, last, mean, learned };
  Tensor first(Pass& pass, const Encoded& encoded, Tensor last, std::size_t index) const;

  Kind kind_;
  int layers_;
  int size_;
  bool has_c_;
  std::vector<Linear> maps_;  // for each h, then for each c
  std::vector<ParameterId> learned_;
};

}  // namespace fovea
