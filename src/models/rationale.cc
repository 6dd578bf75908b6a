#include "models/rationale.h"

#include <algorithm>
#include <cmath>

#include "base/as_size.h"

namespace fovea {

Rationale::Rationale(Parameters& parameters, const EncoderOptions& options, SourceShape shape)
    : input_(make_input(parameters, "rationale.embedding", options, shape)),
      stack_(parameters, "rationale", options.cell, {input_->size(), options.size, 1, true, false}),
      choice_(parameters, "rationale.choice", stack_.size(), 1),
      expected_(parameters.add("rationale.baseline", {1}, Initial::constant(0))) {}

Rationale::Chosen Rationale::choose(Pass& pass, const Side& source) const {
  const Tensor x = input_->vectors(pass, source).dropped(pass);
  // A symbol is read unless there is reason not to: half of them at the start would leave little to learn from.
  const Tensor logits = shift(choice_(pass, stack_.run(pass, x, source.mask()).memory.values), 1);
  const auto real = pass.arena().array<std::uint8_t>(source.real.size());
  std::ranges::copy(source.real, real.begin());
  Chosen out{{real.data(), source.length, source.batch},
             {},
             {},
             std::vector<Real>(as_size(source.batch)),
             std::vector<Real>(as_size(source.batch))};
  Tensor sign = pass.tape().make(logits.shape());  // log p(z) = -softplus(-logit) if chosen, -softplus(logit) if not
  Tensor counts = pass.tape().make(logits.shape());
  for (int b = 0; b < source.batch; ++b) {
    int length = 0;
    for (int i = 0; i < source.length; ++i) length += source.real[as_size(i) * source.batch + b];
    bool before = false;
    for (int i = 0; i < source.length; ++i) {
      const std::size_t at = as_size(i) * source.batch + b;
      const double p = 1 / (1 + std::exp(-static_cast<double>(logits.data()[at])));
      const bool free = i + 1 < length;  // neither the stop symbol nor a pad
      const double u = pass.training() ? pass.random("rationale")
                                             .at(static_cast<std::uint64_t>(pass.training_pass().samples[b]))
                                             .uniform(static_cast<std::uint64_t>(i))
                                       : 0.5;
      const bool chosen = free && u < p;
      sign.data()[at] = chosen ? Real(-1) : Real(1);
      counts.data()[at] = free ? Real(-1) : Real(0);
      if (!free) continue;
      real[at] = chosen;
      out.chosen[b] += chosen ? Real(1) : Real(0);
      out.jumps[b] += chosen != before ? Real(1) : Real(0);
      before = chosen;
    }
  }
  if (pass.training()) {
    const Tensor logs = multiply(softplus(multiply(logits, sign)), counts);  // [length, batch, 1]
    out.log_probability = as_shape(sum_steps(logs), {1, source.batch, 1});
    Tensor zeros = pass.tape().make({1, source.batch, 1});
    std::ranges::fill(zeros.values(), Real(0));
    out.expected = scale(add_row(zeros, pass(expected_)), 20);
  }
  return out;
}

}  // namespace fovea
