// The encoder-decoder: source in, target out.
#pragma once

#include <memory>
#include <optional>

#include "models/decoder.h"
#include "models/join.h"
#include "models/line_features.h"
#include "models/marginal.h"
#include "models/objective.h"
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

  // How much each position of the source changes the log-probability of the target's symbol in one step of each row,
  // steps[b] of row b: the gradient with respect to the position's vector, times that vector. [batch][positions], those
  // that are real, source after source. Denil, Demiraj & de Freitas 2014; Simonyan, Vedaldi & Zisserman 2013.
  std::vector<std::vector<float>> saliency(Pass& pass, const Batch& batch, std::span<const int> steps) const;

  // Whether the generator's own weights are looked at: symbols are chosen by them alone, or they are over the model's
  // own past, to which there is no attention.
  bool points() const { return copies_own_past_ || !generator_->writes_vocabulary(); }

  // Answers a batch of sources step by step. Everything prepared here lives in `pass`, and `source` must stay.
  std::unique_ptr<StepModel> begin(Pass& pass, const SourceBatch& source) const;

 private:
  class Answering;
  // Where `vectors` are asked for, those of each source become the beginning of the tape, and want a gradient.
  using Vectors = std::vector<Tensor>;
  InputVectors read(Pass& pass, std::size_t source, const Side& side, Vectors* vectors) const;
  Encoded encode(Pass& pass, const SourceBatch& source, Mask mask, Vectors* vectors = nullptr) const;
  Encoded encode_all(Pass& pass, const SourceBatch& source, Vectors* vectors) const;
  TeacherForced teacher_forced(Pass& pass, const SourceBatch& source, const PreviousSymbols& previous,
                               const Side& targets, Vectors* vectors = nullptr) const;
  Loss loss_of(Pass& pass, const Side& targets, ObjectiveBatch seen) const;
  Tensor nll(Pass& pass, const TeacherForced& forced, const Side& targets) const;
  GeneratorSources prepare_generator(Pass& pass, const Encoded& encoded, const SourceBatch& source) const;

  double label_smoothing_;
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
  std::vector<std::unique_ptr<Objective>> objectives_;
  bool copies_own_past_ = false;
  std::unique_ptr<EncoderDecoder> reverse_;  // trained together with this one
};

// The options of the model that comes out of the other direction.
ModelOptions reverse_options(ModelOptions options);

}  // namespace fovea
