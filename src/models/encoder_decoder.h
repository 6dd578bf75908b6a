// The encoder-decoder: source in, target out.
#pragma once

#include <memory>
#include <optional>

#include "models/decoder.h"
#include "models/join.h"
#include "models/line_features.h"
#include "models/marginal.h"
#include "models/objectives.h"
#include "models/rationale.h"

namespace fovea {

class EncoderDecoder {
 public:
  // Adds its weights to `parameters`, which must outlive it. Throws a usage_error where the options contradict each
  // other.
  struct Symbols {
    std::vector<SourceShape> sources;  // none: it decodes only
    int target = 0;
    int features = 0;  // of lines; 0: there are none
  };
  EncoderDecoder(Parameters& parameters, const ModelOptions& options, const Symbols& symbols);

  struct Loss {
    Tensor total;                 // [1], summed over symbols: what training makes small
    std::vector<LossTerm> terms;  // what it is the sum of; the nll first
    int symbols = 0;
  };
  Loss loss(Pass& pass, const Batch& batch) const;

  // Where the model looks while it is given the target: [steps, batch, positions]; empty without attention.
  Tensor look(Pass& pass, const Batch& batch) const;

  // Answers a batch of sources step by step. Everything prepared here lives in `pass`, and `source` must stay.
  std::unique_ptr<StepModel> begin(Pass& pass, const SourceBatch& source) const;

 private:
  class Answering;
  Encoded encode(Pass& pass, const SourceBatch& source, Mask mask) const;
  Encoded encode_all(Pass& pass, const SourceBatch& source) const;
  struct TeacherForced;
  TeacherForced teacher_forced(Pass& pass, const SourceBatch& source, const Side& previous, const Side& targets) const;
  Loss loss_of(Pass& pass, const TeacherForced& forced, const Batch& batch, const Side& targets) const;
  Tensor nll(Pass& pass, const TeacherForced& forced, const Side& targets) const;
  void add_draws(Pass& pass, const TeacherForced& forced, const Side& targets, Loss& loss) const;
  GeneratorSources prepare_generator(Pass& pass, const Encoded& encoded, const SourceBatch& source) const;

  ObjectiveOptions objective_;
  int symbols_;
  std::optional<Rationale> rationale_;
  struct SourceEncoder {
    std::unique_ptr<Input> input;
    std::unique_ptr<Encoder> encoder;
  };
  std::vector<SourceEncoder> sources_;
  std::unique_ptr<Join> join_;  // of several that are attended to as one
  std::optional<LineFeatures> line_features_;
  std::unique_ptr<Decoder> decoder_;
  std::unique_ptr<Generator> generator_;
  std::optional<Marginal> marginal_;
  std::optional<Linear> fertility_;  // of the objective of that name
  std::optional<Linear> baseline_;   // of draws, from the state
  ParameterId rationale_baseline_;   // of a rationale
  bool draws_ = false;
  bool copies_own_past_ = false;
  std::unique_ptr<EncoderDecoder> reverse_;  // trained together with this one
};

// The options of the model that comes out of the other direction.
ModelOptions reverse_options(ModelOptions options);

}  // namespace fovea
