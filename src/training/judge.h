// What held-out figures decide about a run: whether a model is the best so far, when the learning rate falls, when
// patience ends.
#pragma once

#include "tasks/config.h"
#include "tasks/criterion.h"
#include "training/observer.h"
#include "training/progress.h"

namespace fovea {

class Judge {
 public:
  Judge(const TrainingOptions& options, double loss_of_single_symbols)
      : options_(options), criterion_(options.metric), loss_of_single_symbols_(loss_of_single_symbols) {}

  // Says in the report whether the model is the best so far.
  void compare(ValidationReport& report, const Progress& progress) const;
  // What a validation, compared before, means for the run.
  void judge(ValidationReport& report, Progress& progress) const;
  // Of a run that goes on with more patience than it had: it is not over any more.
  void reconsider(Progress& progress) const;

  double learning_rate(const Progress& progress) const;  // of the next update
  int patience_left(const Progress& progress) const;     // validations
  // Whether a model of this held-out loss knows more than how frequent the target's symbols are.
  bool has_left_single_symbols(double loss) const;

 private:
  double score(const ValidationReport& report) const;
  bool patience_is_over(const Progress& progress) const;

  TrainingOptions options_;
  Criterion criterion_;
  double loss_of_single_symbols_;
};

}  // namespace fovea
