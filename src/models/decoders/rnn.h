// A stack of recurrent layers that writes the target. Styles:
//   bahdanau  the state before a step asks, the context goes into the step: s_t = f(s_{t-1}, [y_{t-1} ; c_t]) and what
//             is chosen from is tanh(W [s_t ; c_t ; y_{t-1}]). Bahdanau, Cho & Bengio 2015.
//   luong     the state after a step asks: t_t = tanh(W [c_t ; s_t]); with input feeding s_t = f(s_{t-1}, [y_{t-1} ;
//             t_{t-1}]), without it all steps are taken at once. Luong, Pham & Manning 2015.
//   plain     no attention: all there is to know of the source is in s_0. Sutskever, Vinyals & Le 2014.
#pragma once

#include <optional>

#include "models/decoder.h"
#include "models/decoders/bridge.h"

namespace fovea {

class RnnDecoder : public Decoder {
 public:
  RnnDecoder(Parameters& parameters, const ModelOptions& options, const EncodedSizes& encoded, int symbols,
             StepInputs inputs);

  Sources prepare(Pass& pass, const Encoded& encoded) const override;
  int heads() const override { return attention_ ? attention_->heads() : 1; }
  State start(Pass& pass, const Encoded& encoded) const override;
  Step step(Pass& pass, const Sources& sources, const State& state, Ids previous, Tensor feedback) const override;
  TeacherForced teacher_forced(Pass& pass, const Encoded& encoded, const Sources& sources,
                               const PreviousSymbols& inputs, const Generator& generator,
                               const GeneratorSources& generator_sources) const override;
  DecoderSizes sizes() const override;
  const Attention* marginal() const override { return marginal_ ? &attention_->only() : nullptr; }
  Tensor position_part(Pass& pass, const Memory& memory) const override {
    return linear(pass.drop(memory.values, "decoder.context"), pass(context_part_));
  }
  Tensor features_by_position(Pass& pass, const Readout& readout, Tensor position_part) const override {
    return tanh(broadcast_add(dropped_features(pass, readout), position_part));
  }
  ParameterId table() const override { return symbols_.table(); }

 private:
  enum class Style { bahdanau, luong, plain };
  struct Input {
    Ids ids;           // [rows] the symbols written last
    Tensor embedded;   // [rows, embedding]
    Tensor projected;  // [rows, gates] its share of the first layer's gates
    Tensor extra;      // [rows, any] what else the first layer reads; empty: nothing
  };
  Step step_from(Pass& pass, const Sources& sources, const State& state, const Input& input) const;
  History history_of(Pass& pass, const Attention::Prepared& prepared, const State& state, const Input& input) const;
  std::vector<Tensor> kept_at_the_end(Pass& pass, const Attention::Prepared& prepared, std::span<const State> after,
                                      const Side& inputs) const;
  Attention::Attended attend(Pass& pass, const Sources& sources, const State& state, Tensor query, const Input& input,
                             Step& out) const;
  Tensor features(Pass& pass, const Readout& readout) const;
  Tensor gates_of_line(Pass& pass, const Encoded& encoded) const;
  Tensor dropped_features(Pass& pass, Readout readout, int step = 0) const;
  TeacherForced teacher_forced_stepwise(Pass& pass, const Encoded& encoded, const Sources& sources,
                                        const PreviousSymbols& inputs, const Generator& generator,
                                        const GeneratorSources& generator_sources) const;
  TeacherForced teacher_forced_at_once(Pass& pass, const Encoded& encoded, const Sources& sources,
                                       const Side& inputs) const;
  struct LayerNames {
    std::string h;  // in the state
    std::string c;
    std::string place;  // of what is dropped
  };
  bool feeds() const { return style_ == Style::luong && feeding_; }

  Style style_;
  bool feeding_;
  bool residual_;
  bool marginal_ = false;
  int size_;
  int symbol_count_;
  int embedding_size_;
  int features_size_;
  SymbolVectors symbols_;
  std::optional<SourceAttention> attention_;
  std::vector<Cell> cells_;
  std::vector<LayerNames> names_;
  std::unique_ptr<SymbolProducts> first_;  // what the first layer makes of each symbol
  ParameterId line_part_;                  // of its gates
  Bridge bridge_;
  Linear state_part_;  // of the features
  ParameterId context_part_;
  ParameterId embedding_part_;
};

}  // namespace fovea
