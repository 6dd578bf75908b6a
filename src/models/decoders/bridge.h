// From the encoder to the decoder's first state.
//   zero     zeros
//   last     the encoder's last states, as they are where sizes agree (Sutskever 2014), else tanh(W h + b)
//   mean     tanh(W mean(memory) + b)
//   learned  a vector of its own
#pragma once

#include <string>
#include <vector>

#include "layers/linear.h"
#include "models/encoders/rnn.h"

namespace fovea {

std::vector<std::string> bridge_names();

class Bridge {
 public:
  Bridge() = default;
  Bridge(Parameters& parameters, const std::string& name, const DecoderOptions& options, const EncoderOptions& encoder);

  // One state per layer of the decoder.
  std::vector<CellState> states(Pass& pass, const Encoded& encoded) const;

 private:
  Tensor first(Pass& pass, const Encoded& encoded, const std::vector<Tensor>& last, std::size_t index) const;

  enum class Kind { zero, last, mean, learned };
  Kind kind_ = Kind::zero;
  int layers_ = 0;
  int size_ = 0;
  bool has_c_ = false;
  std::vector<Linear> maps_;          // last with unequal sizes, and mean: h of each layer, then c of each layer
  std::vector<ParameterId> learned_;  // likewise
};

}  // namespace fovea
