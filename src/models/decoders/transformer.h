// A Transformer that writes the target: each layer attends to the symbols written so far and to the source. In training
// all steps are taken at once under a causal mask; one by one, keys and values of earlier steps are kept in the state.
// Vaswani et al. 2017.
#pragma once

#include <optional>

#include "models/decoder.h"
#include "models/positions.h"
#include "models/transformer.h"

namespace fovea {

class TransformerDecoder : public Decoder {
 public:
  TransformerDecoder(Parameters& parameters, const ModelOptions& options, const EncodedSizes& encoded, int symbols,
                     StepInputs inputs);

  Sources prepare(Pass& pass, const Encoded& encoded) const override;
  int heads() const override { return reads_ ? layers_[0]->cross_attention().heads() : 1; }
  State start(Pass& pass, const Encoded& encoded) const override;
  Step step(Pass& pass, const Sources& sources, const State& state, Ids previous, Tensor feedback) const override;
  TeacherForced teacher_forced(Pass& pass, const Encoded& encoded, const Sources& sources,
                               const PreviousSymbols& inputs, const Generator& generator,
                               const GeneratorSources& generator_sources) const override;
  DecoderSizes sizes() const override { return {size_, size_, reads_ ? size_ : 0, size_}; }
  ParameterId table() const override { return symbols_.table(); }

 private:
  // line [batch, size]: what is added to every step; empty: nothing.
  Tensor embed_at(Pass& pass, Ids ids, Shape leading, When when, Tensor line) const;
  Tensor vectors_of_line(Pass& pass, const Encoded& encoded) const;  // empty if the model reads no features
  Readout read(Pass& pass, Tensor embedded, const TransformerLayer::Made& last) const;
  // All steps at once.
  Readout run(Pass& pass, const Sources& sources, Ids ids, const Side& inputs, Tensor line) const;
  Ids own_inputs(Pass& pass, Sources sources, const PreviousSymbols& inputs, Tensor line, const Generator& generator,
                 GeneratorSources generator_sources) const;

  // The part of the sources that a layer attends to; empty without any.
  SourceAttention::Prepared of_layer(const Sources& sources, std::size_t layer) const;

  int size_;
  int symbol_count_;
  bool reads_;  // there is a source
  SymbolVectors symbols_;
  std::optional<Linear> widen_;
  Positions positions_;
  ParameterId line_part_;
  std::vector<std::unique_ptr<TransformerLayer>> layers_;
  std::optional<LayerNorm> last_norm_;
};

}  // namespace fovea
