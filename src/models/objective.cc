#include "models/objective.h"

#include <algorithm>
#include <fmt/core.h>

#include "attention/mechanism.h"

namespace fovea {

#define OBJECTIVE(name) extern const ObjectiveKind Objective_##name;
#include "models/objectives/objectives.def"
#undef OBJECTIVE

const Registry<ObjectiveKind>& objectives() {
  static const Registry<ObjectiveKind> list("objective", {
#define OBJECTIVE(name) &Objective_##name,
#include "models/objectives/objectives.def"
#undef OBJECTIVE
                                                         });
  return list;
}

void ObjectiveSettings::fields(FieldVisitor& visit) {
  visit(kind->name, weight, fmt::format("weight of {} ({})", kind->formula, kind->paper), at_least(0));
}

ObjectiveOptions::ObjectiveOptions()
    : MemberOptions([] {
        std::vector<std::unique_ptr<ObjectiveSettings>> all;
        for (const ObjectiveKind* kind : objectives()) all.push_back(kind->settings(*kind));
        return all;
      }()) {}

void ObjectiveOptions::fields(FieldVisitor& visit) {
  visit("label_smoothing", label_smoothing, "share of the probability spread over the vocabulary", between(0, 0.9));
  MemberOptions::fields(visit);
}

const ObjectiveSettings* ObjectiveOptions::asked(bool ObjectiveTraits::* trait) const {
  for (const auto& settings : members()) {
    if (settings->weight > 0 && settings->kind->traits.*trait) return settings.get();
  }
  return nullptr;
}

void ObjectiveOptions::leave_out(bool ObjectiveTraits::* trait) {
  for (const auto& settings : members()) {
    if (settings->kind->traits.*trait) settings->weight = 0;
  }
}

void Objective::add_terms(Pass& pass, const ObjectiveBatch& batch, std::vector<LossTerm>& terms) const {
  if (const Tensor found = value(pass, batch)) terms.push_back({name_, scale(found, weight_)});
}

void Objective::add_both(Pass& pass, Tensor forward, Tensor backward, std::vector<LossTerm>& terms) const {
  if (const Tensor found = value_of_both(pass, forward, backward)) terms.push_back({name_, scale(found, weight_)});
}

std::vector<std::unique_ptr<Objective>> make_objectives(Parameters& parameters, const ModelOptions& options,
                                                        const EncodedSizes& encoded, const DecoderSizes& decoder) {
  const bool draws = decoder.context > 0 && selects().find(options.attention.select).traits.draws;
  std::vector<std::unique_ptr<Objective>> all;
  for (const auto& settings : options.objective.members()) {
    const bool wanted = settings->kind->traits.of_draws ? draws || options.encoder.rationale : settings->weight > 0;
    if (!wanted) continue;
    all.push_back(settings->kind->make({parameters, options, *settings, encoded.memory, decoder.state, draws}));
  }
  return all;
}

Tensor step_mask(Pass& pass, Mask steps, int size) {
  Tensor ones = pass.tape().make({steps.positions, steps.batch, size});
  for (int row = 0; row < steps.positions * steps.batch; ++row) {
    std::fill_n(ones.data() + std::ptrdiff_t(row) * size, size, Real(steps.data[row]));
  }
  return ones;
}

Tensor total_attention(Pass& pass, Tensor weights, Mask steps) {
  return sum_steps(multiply(weights, step_mask(pass, steps, weights.shape()[2])));
}

}  // namespace fovea
