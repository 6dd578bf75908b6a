// A rationale: the few symbols of the source that are chosen as reasons; the encoder reads nothing else, so that what
// was not chosen cannot have mattered. Each symbol is chosen with a probability that a recurrent network of its own
// gives it: drawn in training, which learns by REINFORCE at a cost for length and jumps; in use, if it is above one
// half. The stop symbol is always read. Lei, Barzilay & Jaakkola 2016, "Rationalizing neural predictions".
#pragma once

#include "layers/linear.h"
#include "models/encoders/rnn.h"

namespace fovea {

class Rationale {
 public:
  Rationale(Parameters& parameters, const EncoderOptions& options, SourceShape shape);

  struct Chosen {
    Mask mask;                 // only the chosen symbols are real
    Tensor log_probability;    // [1, batch, 1] of the draw; empty in use
    Tensor expected;           // [1, batch, 1] what draws were worth so far; likewise
    std::vector<Real> chosen;  // [batch] how many
    std::vector<Real> jumps;   // [batch] how often a stretch begins or ends
  };
  Chosen choose(Pass& pass, const Side& source) const;

 private:
  std::unique_ptr<Input> input_;
  RecurrentStack stack_;
  Linear choice_;
  ParameterId expected_;  // counts in twenties
};

}  // namespace fovea
