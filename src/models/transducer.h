// The encoder-decoder: source in, target out.
#pragma once

#include <memory>

#include "models/decoders/rnn.h"
#include "models/encoders/rnn.h"
#include "models/outputs/generate.h"

namespace fovea {

class Transducer {
 public:
  // Adds its weights to `parameters`, which must outlive it.
  Transducer(Parameters& parameters, const ModelOptions& options, int source_symbols, int target_symbols);

  struct Loss {
    Tensor total;  // [1], summed over symbols: what training makes small
    int symbols = 0;
  };
  Loss loss(Pass& pass, const Batch& batch) const;

  // Answers a batch of sources step by step. Everything prepared here lives in `pass`, and `source` must stay.
  std::unique_ptr<StepModel> begin(Pass& pass, const Side& source) const;

 private:
  class Answering;

  RnnEncoder encoder_;
  RnnDecoder decoder_;
  Generate output_;
  double label_smoothing_;
};

}  // namespace fovea
