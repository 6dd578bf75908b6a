// generate: every symbol comes from the vocabulary: logits = V tanh(W [s ; c ; y]).
#pragma once

#include "layers/linear.h"
#include "models/options.h"

namespace fovea {

// What the output layer sees of one or all steps; context is empty for a decoder without attention.
struct Readout {
  Tensor state;      // [..., decoder size]
  Tensor context;    // [..., memory size]
  Tensor embedding;  // [..., target embedding]
};

class Generate {
 public:
  Generate(Parameters& parameters, const OutputOptions& options, int state, int context, int embedding, int symbols);

  Tensor logits(Pass& pass, const Readout& readout) const;

 private:
  Linear state_;
  ParameterId context_;
  ParameterId embedding_;
  Linear choice_;
};

}  // namespace fovea
