// REINFORCE (Williams 1992), as in Xu et al. 2015: the gradient of an expected reward over draws is the mean of
// (reward - baseline) d log p(draw). A draw is credited with what its own and later steps earn, since it has no part in
// earlier ones. The baseline is a prediction that follows the rewards by its own squared error, or their moving
// average; neither it nor the reward passes any gradient on.
#include <vector>

#include "models/objectives.h"

namespace fovea {

Tensor average_baseline(Pass& pass, Mask steps) {
  Tensor expected = pass.tape().make({steps.positions, steps.batch, 1});
  for (int b = 0; b < steps.batch; ++b) {
    int left = 0;  // real steps from here on
    for (int t = steps.positions - 1; t >= 0; --t) {
      const int at = t * steps.batch + b;
      left += steps.data[at];
      expected.data()[at] = static_cast<Real>(left * pass.training_pass().expected);
    }
  }
  return expected;
}

Reinforced reinforce(Pass& pass, const Draws& draws, std::span<const Real> rewards, Mask steps) {
  const int length = steps.positions, batch = steps.batch;
  const int heads = draws.log_probability.shape()[1] / batch;
  Tensor earned = pass.tape().make({length, batch, 1});
  Tensor worth = pass.tape().make({length, batch * heads, 1});
  const Tensor real = step_mask(pass, steps, 1);
  std::vector<Real> later(static_cast<std::size_t>(batch), Real(0));
  for (int t = length - 1; t >= 0; --t) {
    for (int b = 0; b < batch; ++b) {
      const int at = t * batch + b;
      if (steps.data[at]) later[b] += rewards[at];
      earned.data()[at] = later[b];
      const Real surprise = steps.data[at] ? later[b] - draws.baseline.data()[at] : Real(0);
      for (int h = 0; h < heads; ++h) worth.data()[at * heads + h] = -surprise;
    }
  }
  Reinforced out;
  out.surrogate = sum(multiply(draws.log_probability, worth));
  const Tensor error = multiply(add(draws.baseline, scale(earned, -1)), real);
  out.baseline = sum(multiply(error, error));
  if (draws.probabilities) {
    const Tensor by_step = multiply(multiply(draws.probabilities, log(draws.probabilities, Real(1e-20))),
                                    step_mask(pass, repeat(pass, steps, heads), draws.probabilities.shape()[2]));
    out.entropy = sum(by_step);
  }
  return out;
}

}  // namespace fovea
