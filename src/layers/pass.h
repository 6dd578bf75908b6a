// One run of a model over one batch or shard: its tape, its view of the weights, and, in training, where their
// gradients go and what is dropped.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/random.h"
#include "layers/parameters.h"
#include "tensor/ops.h"

namespace fovea {

// What training adds to a pass.
struct TrainingPass {
  std::span<Real> gradients;              // laid out like Parameters::values(), to be added to; or none: notes are kept
  Random random;                          // of this step of training
  std::span<const std::int64_t> samples;  // [batch] which example each row is
  double dropout = 0;
};

// What prediction needs where it draws.
struct Drawing {
  Random random;
  std::span<const std::int64_t> samples;  // [batch] which draws are the source's own
};

// Weights that an attention uses instead of its own, in every row.
struct ForcedWeights {
  int layer = 0;
  int head = 0;
  std::span<const float> weights;  // [positions]
};

class Pass {
 public:
  // For prediction: nothing wants a gradient. The arena is reset.
  Pass(const Parameters& parameters, Arena& arena) : Pass(parameters, arena, nullptr) {}
  // For training.
  Pass(const Parameters& parameters, Arena& arena, const TrainingPass& training) : Pass(parameters, arena, &training) {}

  Tape& tape() { return tape_; }
  Arena& arena() { return tape_.arena(); }

  const Parameters& parameters() const { return parameters_; }
  Tensor operator()(ParameterId id);

  // While it lives, weights want no gradient, so that what is made of them is not recorded.
  class Unrecorded {
   public:
    explicit Unrecorded(Pass& pass) : pass_(pass) { pass_.recorded_ = false; }
    ~Unrecorded() { pass_.recorded_ = true; }
    Unrecorded(const Unrecorded&) = delete;
    Unrecorded& operator=(const Unrecorded&) = delete;

   private:
    Pass& pass_;
  };

  // While it lives, places are those of a part of the network with that name, which has what it drops to itself.
  class Inside {
   public:
    Inside(Pass& pass, std::string part) : pass_(pass) { pass_.part_ = std::move(part); }
    ~Inside() { pass_.part_.clear(); }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

   private:
    Pass& pass_;
  };

  // In prediction: what is drawn in training is drawn, too, where it would else be the most probable.
  void draw(const Drawing& drawing) { drawing_ = &drawing; }
  const Drawing* drawing() const { return drawing_; }

  // In prediction: for the steps of this pass. Who attends asks for those of its layer.
  void force(std::span<const ForcedWeights> weights) { forced_ = weights; }
  std::span<const ForcedWeights> forced() const { return forced_; }

  bool training() const { return training_ != nullptr; }
  const TrainingPass& training_pass() const { return *training_; }

  // What this pass, once its tape has noted them, knows of the gradient of each weight; valid as long as the arena.
  void weight_gradients(std::vector<WeightGradient>& out) const;

  // In training, or where prediction draws: the random numbers of a place in the network.
  Random random(std::string_view place) const;

  // Drops values in training. `place` names the spot in the network; x begins with the step `first`, so that a sequence
  // loses the same taken step by step and all at once.
  Tensor drop(Tensor x, std::string_view place, int first = 0);

 private:
  Pass(const Parameters& parameters, Arena& arena, const TrainingPass* training);

  const Parameters& parameters_;
  Tape tape_;
  const TrainingPass* training_;
  const Drawing* drawing_ = nullptr;
  std::span<const ForcedWeights> forced_;
  bool recorded_ = true;
  std::string part_;
  std::span<Tensor> weights_;  // made when first asked for, so that all uses of a weight meet in one tensor
};

}  // namespace fovea
