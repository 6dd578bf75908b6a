// Several models that answer as one: at each step the mean of their probabilities, log((1/n) sum_i p_i(y_t | y_<t, x)).
// Hansen & Salamon 1990, "Neural network ensembles"; for sequences Sutskever 2014.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "models/step_model.h"

namespace fovea {

class Ensemble : public StepModel {
 public:
  // Each has weights of its own and, since a pass clears its arena, two arenas that its steps use in turn.
  struct Member {
    const Parameters* parameters;
    std::unique_ptr<StepModel> model;
    Arena* even;
    Arena* odd;
  };
  // Of the same sources and the same symbols.
  explicit Ensemble(std::vector<Member> members);

  int sources() const override { return members_[0].model->sources(); }
  State start(Pass& pass) const override;
  // Where they looked is the mean, too, if they have the same maps; else where the first did.
  StepResult step(Pass& pass, const State& state, Ids previous) const override;
  void keep(Ids sources) override;
  Mask rationale() const override { return members_[0].model->rationale(); }

 private:
  void begin_step(Pass& pass) const;

  std::vector<Member> members_;
  // Of the step at hand: what it made stays until the step after the next.
  struct Step {
    std::vector<std::unique_ptr<Pass>> passes;
    int number = 0;
    bool begun = false;  // by start()
  };
  std::unique_ptr<Step> step_;
};

}  // namespace fovea
