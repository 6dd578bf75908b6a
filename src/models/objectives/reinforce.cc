// reinforce: REINFORCE (Williams 1992), as in Xu et al. 2015: the gradient of an expected reward over draws is the mean
// of (reward - baseline) d log p(draw). A draw is credited with what its own and later steps earn, since it has no part
// in earlier ones. The baseline is a prediction that follows the rewards by its own squared error, or their moving
// average; neither it nor the reward passes any gradient on. It is made from the state that asked where to look: one
// that knew what was seen would take away just what a draw is to be credited with.
#include <vector>

#include "base/as_size.h"
#include "layers/linear.h"
#include "models/objective.h"

namespace fovea {

Tensor average_baseline(Pass& pass, Mask steps, double expected) {
  Tensor earned = pass.tape().make({steps.positions, steps.batch, 1});
  for (int b = 0; b < steps.batch; ++b) {
    int left = 0;  // real steps from here on
    for (int t = steps.positions - 1; t >= 0; --t) {
      const int at = t * steps.batch + b;
      left += steps.data[at];
      earned.data()[at] = static_cast<Real>(left * expected);
    }
  }
  return earned;
}

Reinforced reinforce(Pass& pass, const Draws& draws, std::span<const Real> rewards, Mask steps) {
  const int length = steps.positions, batch = steps.batch;
  const int heads = draws.log_probability.shape()[1] / batch;
  Tensor earned = pass.tape().make({length, batch, 1});
  Tensor worth = pass.tape().make({length, batch * heads, 1});
  const Tensor real = step_mask(pass, steps, 1);
  std::vector<Real> later(as_size(batch), Real(0));
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

namespace {

struct ReinforceSettings : Copied<ReinforceSettings, ObjectiveSettings> {
  explicit ReinforceSettings(const ObjectiveKind& kind) : Copied(kind, 0.1) {}
  std::string baseline = "learned";
  double entropy = 0.01;
  double rationale_length = 0.01;
  double rationale_jumps = 0.01;

  void fields(FieldVisitor& visit) override {
    visit("reinforce", weight, "where positions are drawn: weight of what a draw was worth", at_least(0));
    visit("baseline", baseline,
          "where positions are drawn: what is to be expected, learned from the state, or the moving average of the "
          "log-likelihood (Xu 2015)",
          one_of({"learned", "average"}));
    visit("entropy", entropy, "where positions are drawn: weight of the entropy", at_least(0));
    visit("rationale_length", rationale_length, "what each chosen symbol of a rationale costs", at_least(0));
    visit("rationale_jumps", rationale_jumps, "what each begin and end of a chosen stretch costs", at_least(0));
  }
};

// What positions or a rationale, where they were drawn, were worth.
class Reinforce : public Objective {
 public:
  explicit Reinforce(const ObjectiveParts& parts)
      : Objective(parts), settings_(static_cast<const ReinforceSettings&>(parts.settings)) {
    if (parts.draws && settings_.baseline == "learned") {
      baseline_.emplace(parts.parameters, "objective.baseline", parts.state, 1);
    }
  }

  void add_terms(Pass& pass, const ObjectiveBatch& batch, std::vector<LossTerm>& terms) const override {
    if (!pass.training()) return;
    const auto weigh = [&](const char* name, Tensor value, double weight) {
      terms.push_back({name, scale(value, static_cast<Real>(weight))});
    };
    const Tensor log_p = batch.log_p();
    const Readout& readout = batch.forced.decoder.readout;
    if (readout.selected.drawn) {
      const Draws draws = {
          readout.selected.drawn, readout.selected.probabilities,
          baseline_ ? (*baseline_)(pass, detach(readout.asked)) : average_baseline(pass, batch.steps, batch.expected)};
      const Reinforced found = reinforce(pass, draws, log_p.values(), batch.steps);
      weigh("reinforce", found.surrogate, settings_.weight);
      if (baseline_) weigh("baseline", found.baseline, 1);
      weigh("entropy", found.entropy, settings_.entropy);
    }
    if (!batch.forced.rationale) return;
    const Rationale::Chosen& chosen = *batch.forced.rationale;
    const auto rewards = pass.arena().array<Real>(as_size(batch.steps.batch));
    const auto ones = pass.arena().array<std::uint8_t>(rewards.size());
    for (int b = 0; b < batch.steps.batch; ++b) {
      rewards[b] = static_cast<Real>(-settings_.rationale_length) * chosen.chosen[b] -
                   static_cast<Real>(settings_.rationale_jumps) * chosen.jumps[b];
      for (int t = 0; t < batch.steps.positions; ++t) rewards[b] += log_p.data()[t * batch.steps.batch + b];
      ones[b] = 1;
    }
    const Draws draws = {chosen.log_probability, {}, chosen.expected};
    const Reinforced found = reinforce(pass, draws, rewards, {ones.data(), 1, batch.steps.batch});
    weigh("rationale", found.surrogate, settings_.weight);
    weigh("rationale_baseline", found.baseline, 0.01);
  }

 private:
  ReinforceSettings settings_;
  std::optional<Linear> baseline_;  // from the state
};

}  // namespace

extern const ObjectiveKind Objective_reinforce = {
    "reinforce",         "-sum_t (sum_{t' >= t} log p(y_t') - b_t) log p(position drawn at t), or of a rationale",
    "Xu 2015, Lei 2016", made_objective<Reinforce>,
    {.of_draws = true},  objective_settings<ReinforceSettings>};

}  // namespace fovea
