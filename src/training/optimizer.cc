#include "training/optimizer.h"

#include <cmath>

#include "kernels/update.h"

namespace fovea {

namespace {
constexpr double beta1 = 0.9;
constexpr double beta2 = 0.999;
constexpr double epsilon = 1e-8;
}  // namespace

Optimizer::Optimizer(const std::string& kind, double momentum, std::size_t weights)
    : adam_(kind == "adam"), momentum_(momentum), first_(weights), second_(adam_ ? weights : 0) {}

void Optimizer::apply(const Step& step, std::size_t start, std::span<const Real> gradient, std::span<Real> weights) {
  const std::size_t count = gradient.size();
  const std::span<Real> first = std::span(first_).subspan(start, count);
  if (!adam_) {
    kernels::momentum({static_cast<Real>(step.rate), static_cast<Real>(momentum_), static_cast<Real>(step.factor)},
                      gradient, first, weights.subspan(start, count));
    return;
  }
  // m^ / (sqrt(v^) + eps) with m^ = m / (1 - beta1^t), v^ = v / (1 - beta2^t), both corrections folded into two
  // numbers.
  const double t = static_cast<double>(step.update);
  const double root = std::sqrt(1 - std::pow(beta2, t));
  kernels::adam({static_cast<Real>(step.rate * root / (1 - std::pow(beta1, t))), static_cast<Real>(beta1),
                 static_cast<Real>(beta2), static_cast<Real>(epsilon * root), static_cast<Real>(step.factor)},
                gradient, first, std::span(second_).subspan(start, count), weights.subspan(start, count));
}

std::vector<Optimizer::Memory> Optimizer::memories() {
  if (!adam_) return {{"velocity", first_}};
  return {{"first", first_}, {"second", second_}};
}

}  // namespace fovea
