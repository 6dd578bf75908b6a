// What writes a target, one symbol after the other. A decoder is one file in decoders/ that defines an entry, and one
// line in decoders.def.
#pragma once

#include <memory>
#include <vector>

#include "models/batch.h"
#include "models/encoder.h"
#include "models/generator.h"
#include "models/readout.h"
#include "models/source_attention.h"
#include "models/step_model.h"

namespace fovea {

struct DecoderSizes {
  int features = 0;
  int state = 0;
  int context = 0;  // 0: no attention
  int embedding = 0;
};

class Decoder {
 public:
  virtual ~Decoder() = default;

  // What the steps need of the sources: one entry for each attention.
  using Sources = std::vector<Attention::Prepared>;
  virtual Sources prepare(Pass& pass, const Encoded& encoded) const = 0;
  virtual int heads() const = 0;

  virtual State start(Pass& pass, const Encoded& encoded) const = 0;

  struct Step {
    Readout readout;  // [hypotheses, sources, any]
    State state;
    std::vector<StepLook> looks;
    std::vector<StepLook> self_looks;  // see StepResult
  };
  // previous [rows]: the symbols written last; feedback [rows, any]: what the generator gives back, if anything.
  virtual Step step(Pass& pass, const Sources& sources, const State& state, Ids previous, Tensor feedback) const = 0;

  struct TeacherForced {
    Readout readout;             // of all steps
    Generator::Written written;  // where a step had to wait for what the one before wrote
    std::vector<Tensor> kept;    // by biases, after each row's last real step and what it wrote: [batch, any]
  };
  // All steps with the right symbols as inputs, or, where they are sampled, partly the model's own.
  virtual TeacherForced teacher_forced(Pass& pass, const Encoded& encoded, const Sources& sources,
                                       const PreviousSymbols& inputs, const Generator& generator,
                                       const GeneratorSources& generator_sources) const = 0;

  virtual DecoderSizes sizes() const = 0;
  // The attention whose weights are a prior over positions; null unless the selection mixes outputs.
  virtual const Attention* marginal() const { return nullptr; }
  // For such: what each position adds to the features, [positions, batch, features], and the features of every step
  // with every position as its context, [positions, steps * batch, features].
  virtual Tensor position_part(Pass&, const Memory&) const { return {}; }
  virtual Tensor features_by_position(Pass&, const Readout&, Tensor) const { return {}; }
  virtual ParameterId table() const = 0;
};

// Sizes of what else each step reads; 0: nothing.
struct StepInputs {
  int feedback = 0;       // what the generator gives back
  int line_features = 0;  // what holds for the whole line
};

struct DecoderKind {
  std::string_view name;
  std::string_view formula;
  std::string_view paper;
  std::unique_ptr<Decoder> (*make)(Parameters& parameters, const ModelOptions& options, const EncodedSizes& encoded,
                                   int symbols, StepInputs inputs);
  bool recurrent = false;  // decoder.style, feeding and bridge are for those; the others attend in each layer
  InnerAttention inner = {};
  bool starts_unsteadily = false;  // it wants a learning rate that rises at first
  bool scales_vectors = false;     // it multiplies the vectors of symbols by sqrt(size)
};
const Registry<DecoderKind>& decoders();

template <class Made>
std::unique_ptr<Decoder> made_decoder(Parameters& parameters, const ModelOptions& options, const EncodedSizes& encoded,
                                      int symbols, StepInputs inputs) {
  return std::make_unique<Made>(parameters, options, encoded, symbols, inputs);
}

std::unique_ptr<Decoder> make_decoder(Parameters& parameters, const ModelOptions& options, const EncodedSizes& encoded,
                                      int symbols, StepInputs inputs);

// x [steps, batch, any] + same [batch, any]
Tensor add_to_each_step(Tensor x, Tensor same);

// Whether some of the inputs are the model's own choice, and whether row b of step t is.
bool samples(const Pass& pass, const PreviousSymbols& inputs);
bool reads_own_choice(const Pass& pass, const PreviousSymbols& inputs, int t, int b);
// The symbol that row `row` of log-probabilities [.., symbols] makes most probable.
std::int32_t most_probable_symbol(Tensor log_probabilities, int row);

// Symbols that only a source has are read as unknown.
std::span<std::int32_t> known_symbols(Pass& pass, Ids ids, int symbols);

// What each head of an attention looked at.
void add_looks(const Attention::Attended& attended, int heads, int layer, std::vector<StepLook>& looks);

}  // namespace fovea
