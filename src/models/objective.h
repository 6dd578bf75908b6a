// What training makes small beside the likelihood. An objective is one file in objectives/ that defines an entry, and
// one line in objectives.def. Values are sums over a batch.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/batch.h"
#include "models/decoder.h"
#include "models/rationale.h"

namespace fovea {

// One part of a loss.
struct LossTerm {
  std::string name;
  Tensor value;  // [1], its weight included
};

// A batch taken through a model with the right symbols as previous.
struct TeacherForced {
  Encoded encoded;
  Decoder::TeacherForced decoder;
  GeneratorSources sources;
  Tensor log_probabilities;  // [steps, batch, 1] of the target's symbols, where a sum over positions gave them
  Tensor weights;            // [steps, batch, positions], the mean over heads; empty without attention
  std::optional<Rationale::Chosen> rationale;
};

// What an objective sees of it. Steps and positions that are not real count nothing.
struct ObjectiveBatch {
  const TeacherForced& forced;
  Mask steps;                            // of the target
  std::span<const Real> alignment = {};  // [steps, batch, positions] wanted weights, rows of zeros: not known
  double expected = 0;                   // see Batch
  std::function<Tensor()> log_p = {};    // [steps, batch, 1] of the target's symbols, 0 for steps that are not real

  Mask source() const { return forced.encoded.memory.mask; }
};

class Objective {
 public:
  explicit Objective(const ObjectiveParts& parts)
      : name_(parts.settings.kind->name), weight_(static_cast<Real>(parts.settings.weight)) {}
  virtual ~Objective() = default;

  // One term of its name, unless there are others.
  virtual void add_terms(Pass& pass, const ObjectiveBatch& batch, std::vector<LossTerm>& terms) const;
  // Of one that trains both directions: how far apart the weights of both are, [target, batch, source] and
  // [source, batch, target].
  void add_both(Pass& pass, Tensor forward, Tensor backward, std::vector<LossTerm>& terms) const;

 protected:
  // [1], without its weight; empty: there is nothing to say.
  virtual Tensor value(Pass&, const ObjectiveBatch&) const { return {}; }
  virtual Tensor value_of_both(Pass&, Tensor /*forward*/, Tensor /*backward*/) const { return {}; }

 private:
  std::string name_;
  Real weight_;
};

template <class Made>
std::unique_ptr<Objective> made_objective(const ObjectiveParts& parts) {
  return std::make_unique<Made>(parts);
}

// Those that are asked for. `parts.settings` is each one's own.
std::vector<std::unique_ptr<Objective>> make_objectives(Parameters& parameters, const ModelOptions& options,
                                                        const EncodedSizes& encoded, const DecoderSizes& decoder);

// 1 for real steps, 0 for others, [steps, batch, size].
Tensor step_mask(Pass& pass, Mask steps, int size);
// [batch, positions]: sum_t a_ti of weights [steps, batch, positions]
Tensor total_attention(Pass& pass, Tensor weights, Mask steps);

// objectives/reinforce.cc: what draws were worth, see there.
struct Draws {
  Tensor log_probability;  // [steps, batch * heads, 1] of what was drawn
  Tensor probabilities;    // [steps, batch * heads, positions]; empty: no entropy
  Tensor baseline;         // [steps, batch, 1] what was to be expected
};
struct Reinforced {
  Tensor surrogate;  // [1]: its gradient is that of the expected reward
  Tensor baseline;   // [1]: squared error of the baseline
  Tensor entropy;    // [1]: minus the entropy; empty without probabilities
};
// The baseline that a moving average of the log-likelihood of a symbol gives: what a step and all later ones may earn.
Tensor average_baseline(Pass& pass, Mask steps, double expected);
// rewards [steps, batch]: of each step; a draw is worth what it and later steps earn.
Reinforced reinforce(Pass& pass, const Draws& draws, std::span<const Real> rewards, Mask steps);

}  // namespace fovea
