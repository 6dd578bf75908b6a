#include "training/judge.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/counted.h"

namespace fovea {

namespace {

constexpr const char* all_right = "every held-out line is right";

}  // namespace

double Judge::score(const ValidationReport& report) const {
  const std::optional<double> found = criterion_.find(report.metrics, report.held_out_loss);
  check(found.has_value(), "{} was not measured", criterion_.name());
  return *found;
}

// Long before a line is all right its symbols are more likely.
void Judge::compare(ValidationReport& report, const Progress& progress) const {
  const double found = score(report);
  report.metric = criterion_.name();
  report.best = progress.validations == 0 || criterion_.better(found, progress.best) ||
                (found == progress.best && report.held_out_loss < progress.best_loss);
}

void Judge::judge(ValidationReport& report, Progress& progress) const {
  ++progress.validations;
  if (report.best) {
    progress.metric = criterion_.name();
    progress.best = score(report);
    progress.best_loss = report.held_out_loss;
    progress.best_update = progress.update;
    progress.since_best = 0;
  } else {
    ++progress.since_best;
    const bool long_enough = progress.since_best % options_.decay_after == 0;
    if (options_.decay == "plateau" && long_enough && has_left_single_symbols(progress.best_loss))
      progress.rate_factor /= 2;
  }
  report.patience_left = patience_left(progress);
  progress.loss = 0;
  progress.symbols = 0;
  if (report.all_right && criterion_.metric()) {  // the loss may still fall
    progress.finished = all_right;
  } else if (patience_is_over(progress)) {
    progress.finished = fmt::format("{} brought nothing better", counted(progress.since_best, "validation"));
  }
  progress.validating = false;
}

void Judge::reconsider(Progress& progress) const {
  if (progress.finished != all_right && !patience_is_over(progress)) progress.finished.clear();
}

double Judge::learning_rate(const Progress& progress) const {
  const TrainingOptions& t = options_;
  const double update = static_cast<double>(progress.update + 1);
  double rate = t.learning_rate * progress.rate_factor;
  if (update < t.warmup) rate *= update / t.warmup;
  if (t.decay == "cosine") {
    rate *= (1 + std::cos(std::numbers::pi * std::min(1.0, (update - 1) / t.decay_updates))) / 2;
  }
  if (t.decay == "inverse_sqrt") {
    const double from = std::max(1, t.warmup);
    if (update > from) rate *= std::sqrt(from / update);
  }
  return rate;
}

int Judge::patience_left(const Progress& progress) const {
  return std::max(0, options_.patience - progress.since_best);
}

bool Judge::patience_is_over(const Progress& progress) const {
  return patience_left(progress) == 0 && progress.update - progress.best_update >= options_.patience_updates;
}

bool Judge::has_left_single_symbols(double loss) const {
  constexpr double clearly = 0.95;
  return loss < clearly * loss_of_single_symbols_;
}

}  // namespace fovea
