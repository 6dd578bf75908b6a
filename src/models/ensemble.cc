#include "models/ensemble.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fovea {

namespace {

std::string prefix_of(std::size_t member) { return std::to_string(member) + "."; }

// Each value as `mean` makes it of those that stand in its place.
template <class Mean>
Tensor combine(Pass& pass, std::span<const Tensor> all, Mean mean) {
  const Tensor out = pass.tape().make(all[0].shape());
  std::vector<double> values(all.size());
  for (std::ptrdiff_t i = 0; i < out.shape().count(); ++i) {
    for (std::size_t m = 0; m < all.size(); ++m) values[m] = static_cast<double>(all[m].data()[i]);
    out.data()[i] = static_cast<Real>(mean(values));
  }
  return out;
}

double mean_of(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

// The greatest is taken out before, so that none vanishes.
double log_mean_exp(std::span<const double> values) {
  const double greatest = std::ranges::max(values);
  if (greatest == -std::numeric_limits<double>::infinity()) return greatest;
  double sum = 0;
  for (const double value : values) sum += std::exp(value - greatest);
  return greatest + std::log(sum / static_cast<double>(values.size()));
}

bool same_shape(std::span<const Tensor> all) {
  return std::ranges::all_of(all,
                             [&](Tensor x) { return bool(x) == bool(all[0]) && (!x || x.shape() == all[0].shape()); });
}

using Looks = std::vector<StepLook> StepResult::*;

bool same_maps(std::span<const StepResult> results, Looks looks) {
  return std::ranges::all_of(results, [&](const StepResult& result) {
    return std::ranges::equal(result.*looks, results[0].*looks, [](const StepLook& a, const StepLook& b) {
      return a.layer == b.layer && a.head == b.head && a.maps == b.maps && a.map == b.map &&
             a.weights.shape() == b.weights.shape();
    });
  });
}

std::vector<StepLook> mean_looks(Pass& pass, std::span<const StepResult> results, Looks which) {
  std::vector<StepLook> looks = results[0].*which;
  if (!same_maps(results, which)) return looks;
  for (Tensor StepLook::* part : {&StepLook::scores, &StepLook::weights, &StepLook::context}) {
    Tensor seen, mean;  // maps of one layer lie side by side in one tensor
    for (std::size_t i = 0; i < looks.size(); ++i) {
      std::vector<Tensor> all;
      for (const StepResult& result : results) all.push_back((result.*which)[i].*part);
      if (!all[0] || !same_shape(all)) continue;
      if (!seen || seen.data() != all[0].data()) mean = combine(pass, all, mean_of);
      seen = all[0];
      looks[i].*part = mean;
    }
  }
  return looks;
}

}  // namespace

Ensemble::Ensemble(std::vector<Member> members) : members_(std::move(members)), step_(std::make_unique<Step>()) {}

void Ensemble::begin_step(Pass& pass) const {
  step_->passes.clear();
  ++step_->number;
  for (const Member& member : members_) {
    step_->passes.push_back(std::make_unique<Pass>(*member.parameters, step_->number % 2 ? *member.odd : *member.even));
    if (pass.drawing()) step_->passes.back()->draw(*pass.drawing());
  }
}

State Ensemble::start(Pass& pass) const {
  begin_step(pass);
  step_->begun = true;
  State state;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    state.add(prefix_of(i), members_[i].model->start(*step_->passes[i]));
  }
  return state;
}

StepResult Ensemble::step(Pass& pass, const State& state, Ids previous) const {
  if (!step_->begun) begin_step(pass);
  step_->begun = false;
  std::vector<StepResult> results;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    results.push_back(members_[i].model->step(*step_->passes[i], state.part(prefix_of(i)), previous));
  }
  StepResult together;
  std::vector<Tensor> log_probabilities, gates;
  for (std::size_t i = 0; i < results.size(); ++i) {
    log_probabilities.push_back(results[i].log_probabilities);
    gates.push_back(results[i].gate);
    together.state.add(prefix_of(i), results[i].state);
  }
  check(same_shape(log_probabilities), "models of one ensemble have different symbols");
  together.log_probabilities = combine(pass, log_probabilities, log_mean_exp);
  if (gates[0]) together.gate = same_shape(gates) ? combine(pass, gates, mean_of) : gates[0];
  for (const Looks which : {&StepResult::looks, &StepResult::pointing})
    together.*which = mean_looks(pass, results, which);
  return together;
}

void Ensemble::keep(Ids sources) {
  for (const Member& member : members_) member.model->keep(sources);
}

}  // namespace fovea
