// supervised: attention is told where to look, by its distance to alignments A* given with the data. The cross-entropy,
// -sum_ti A*_ti log(a_ti + 1e-6), is that of Liu, Utiyama, Finch & Sumita 2016, "Neural machine translation with
// supervised attention"; squares as in Mi, Wang & Ittycheriah 2016, "Supervised attentions for neural machine
// translation", of the steps for which anything is wanted.
#include <algorithm>

#include "attention/mechanism.h"
#include "base/as_size.h"
#include "models/objective.h"

namespace fovea {

namespace {

struct SupervisedSettings : Copied<SupervisedSettings, ObjectiveSettings> {
  using Copied::Copied;
  std::string form = "cross_entropy";
  double smoothing = 0;

  void fields(FieldVisitor& visit) override {
    Copied::fields(visit);
    visit("supervised_form", form, "that distance", one_of({"cross_entropy", "squared"}));
    visit("supervised_smoothing", smoothing, "share of the wanted weights spread over all positions", between(0, 0.9));
  }
  void check(const ModelOptions& options) const override {
    if (form != "cross_entropy" || !selects().find(options.attention.select).traits.may_be_negative) return;
    throw usage_error(
        "objective.supervised with attention.select = {}: its weights may be negative; set "
        "objective.supervised_form = squared",
        options.attention.select);
  }
  double link_smoothing() const override { return smoothing; }
};

class Supervised : public Objective {
 public:
  explicit Supervised(const ObjectiveParts& parts)
      : Objective(parts), squared_(static_cast<const SupervisedSettings&>(parts.settings).form == "squared") {}

 private:
  Tensor value(Pass& pass, const ObjectiveBatch& batch) const override {
    if (batch.alignment.empty()) return {};
    const Tensor weights = batch.forced.weights;
    check(static_cast<int>(batch.alignment.size()) == weights.shape().count(), "{} wanted weights for {}",
          batch.alignment.size(), weights.shape().text());
    Tensor wanted = pass.tape().make(weights.shape());
    std::ranges::copy(batch.alignment, wanted.data());
    return squared_ ? squares(pass, weights, wanted) : scale(sum(multiply(log(weights, Real(1e-6)), wanted)), -1);
  }

  static Tensor squares(Pass& pass, Tensor weights, Tensor wanted) {
    Tensor known = pass.tape().make(weights.shape());  // 1 in rows where anything is wanted
    const auto positions = as_size(weights.shape().last());
    for (std::size_t start = 0; start < known.values().size(); start += positions) {
      const bool any = std::ranges::any_of(wanted.values().subspan(start, positions), [](Real w) { return w > 0; });
      std::ranges::fill(known.values().subspan(start, positions), any ? Real(1) : Real(0));
    }
    const Tensor distance = multiply(add(weights, scale(wanted, -1)), known);
    return sum(multiply(distance, distance));
  }

  bool squared_;
};

}  // namespace

extern const ObjectiveKind Objective_supervised = {"supervised",
                                                   "the distance to the alignments given with the data",
                                                   "Liu 2016, Mi 2016",
                                                   made_objective<Supervised>,
                                                   {.holds_attention = true, .by_position = true, .needs_links = true},
                                                   objective_settings<SupervisedSettings>};

}  // namespace fovea
