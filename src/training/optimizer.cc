#include "training/optimizer.h"

#include <algorithm>
#include <cmath>

#include "kernels/update.h"

namespace fovea {

namespace {
constexpr double beta1 = 0.9;
constexpr double epsilon = 1e-8;

// How much of the average stays. Early weights are soon forgotten: after t updates it reaches back over a tenth of
// them.
double kept(double averaging, double update) { return std::min(averaging, update / (update + 10)); }
}  // namespace

Optimizer::Optimizer(const TrainingOptions& options, std::size_t weights)
    : adam_(options.optimizer == "adam"),
      momentum_(options.momentum),
      beta2_(options.beta2),
      weight_decay_(options.weight_decay),
      averaging_(options.average),
      first_(weights),
      second_(adam_ ? weights : 0),
      average_(averaging_ > 0 ? weights : 0) {}

void Optimizer::apply(const Step& step, std::size_t start, std::span<const Real> gradient, std::span<Real> weights) {
  const std::size_t count = gradient.size();
  const std::span<Real> first = std::span(first_).subspan(start, count), changed = weights.subspan(start, count);
  const Real decay = static_cast<Real>(step.rate * weight_decay_), factor = static_cast<Real>(step.factor);
  const double t = static_cast<double>(step.update);
  if (adam_) {
    // m^ / (sqrt(v^) + eps) with m^ = m / (1 - beta1^t), v^ = v / (1 - beta2^t), both corrections folded into two
    // numbers.
    const double root = std::sqrt(1 - std::pow(beta2_, t));
    kernels::adam({static_cast<Real>(step.rate * root / (1 - std::pow(beta1, t))), static_cast<Real>(beta1),
                   static_cast<Real>(beta2_), static_cast<Real>(epsilon * root), factor, decay},
                  gradient, first, std::span(second_).subspan(start, count), changed);
  } else {
    kernels::momentum({static_cast<Real>(step.rate), static_cast<Real>(momentum_), factor, decay}, gradient, first,
                      changed);
  }
  if (average_.empty()) return;
  kernels::move_towards(static_cast<Real>(1 - kept(averaging_, t - 1)), changed,
                        std::span(average_).subspan(start, count));
}

std::vector<Optimizer::Slot> Optimizer::slots() {
  std::vector<Slot> slots = {{adam_ ? "first" : "velocity", first_}};
  if (adam_) slots.push_back({"second", second_});
  if (!average_.empty()) slots.push_back({"average", average_});
  return slots;
}

}  // namespace fovea
