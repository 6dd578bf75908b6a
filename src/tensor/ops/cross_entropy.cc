#include <algorithm>

#include "kernels/rows.h"
#include "tensor/ops.h"

namespace fovea {

// Beside the logits only their log-sums are kept; backward takes the exponential again, straight into the gradient.
Tensor cross_entropy(Tensor logits, Ids targets, CrossEntropy options) {
  const kernels::LogitRows rows = {logits.data(), logits.shape().rows(), logits.shape().last()};
  check(static_cast<int>(targets.size()) == rows.rows, "cross_entropy: {} targets for {}", targets.size(),
        logits.shape().text());
  Tape& tape = logits.tape();
  const auto kept = tape.arena().array<std::int32_t>(targets.size());
  std::ranges::copy(targets, kept.begin());
  for (const std::int32_t target : kept) {
    check(target == options.ignored || (target >= 0 && target < rows.columns), "cross_entropy: target {} of {}", target,
          rows.columns);
  }
  const bool in_place = options.in_place;
  const kernels::Smoothing smoothing = {options.smoothing, options.ignored};
  Real* log_sums = tape.arena().array<Real>(targets.size()).data();
  Tensor loss = tape.make({1}, logits.wants_gradient());
  *loss.data() = static_cast<Real>(kernels::cross_entropy(rows, kept.data(), smoothing, log_sums));
  if (loss.wants_gradient()) {
    tape.record([=] {
      if (!loss.has_gradient()) return;
      Real* dlogits = in_place ? logits.gradient_in_place() : logits.gradient();
      kernels::cross_entropy_backward(rows, kept.data(), smoothing, log_sums, *loss.gradient(), dlogits);
    });
  }
  return loss;
}

}  // namespace fovea
