// A recurrent decoder. With attention after Bahdanau 2015: the state before a step is the query, the context goes into
// the cell; plain (Sutskever 2014): no attention, all it knows of the source is its first state.
#pragma once

#include <optional>
#include <vector>

#include "attention/attention.h"
#include "layers/embedding.h"
#include "layers/state.h"
#include "models/decoders/bridge.h"
#include "models/outputs/generate.h"
#include "models/step_model.h"

namespace fovea {

class RnnDecoder {
 public:
  RnnDecoder(Parameters& parameters, const ModelOptions& options, int memory_size, int symbols);

  // What the steps need of the sources: none for a plain decoder.
  using Sources = std::optional<Attention::Prepared>;
  Sources prepare(Pass& pass, const Encoded& encoded) const;

  State start(Pass& pass, const Encoded& encoded) const;

  struct Step {
    Readout readout;  // [rows, ...]
    State state;
    std::vector<StepLook> looks;
  };
  // previous [rows]: the symbols written last.
  Step step(Pass& pass, const Sources& sources, const State& state, Ids previous) const;

  // All steps with the right symbols as inputs, or, where the pass samples, partly its own: logits [steps, batch,
  // symbols].
  Tensor teach(Pass& pass, const Encoded& encoded, const Side& inputs, const Generate& output) const;

  int context_size() const { return attention_ ? attention_->context_size() : 0; }

 private:
  Step step_from(Pass& pass, const Sources& sources, const State& state, Tensor embedded, Tensor projected) const;

  Embedding embedding_;
  std::optional<Attention> attention_;
  std::vector<Cell> cells_;
  Bridge bridge_;
};

}  // namespace fovea
