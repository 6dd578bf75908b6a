// diversity: |A A' - I|^2, the squared Frobenius norm: the rows of a structured summary look at different places, and
// each at few. Lin et al. 2017, "A structured self-attentive sentence embedding".
#include <algorithm>

#include "base/as_size.h"
#include "models/objective.h"

namespace fovea {

namespace {

class Diversity : public Objective {
 public:
  using Objective::Objective;

 private:
  Tensor value(Pass& pass, const ObjectiveBatch& batch) const override {
    const Tensor summary = batch.forced.encoded.summary;  // [rows, batch, positions]
    const int rows = summary.shape()[0], lines = summary.shape()[1];
    const auto all = pass.arena().array<std::uint8_t>(as_size(rows) * lines);
    std::ranges::fill(all, std::uint8_t(1));
    const Tensor products = dot_scores(summary, summary, 1, {all.data(), rows, lines});  // [rows, batch, rows]
    Tensor minus_one = pass.tape().make(products.shape());
    std::ranges::fill(minus_one.values(), Real(0));
    for (int row = 0; row < rows * lines; ++row) minus_one.data()[std::ptrdiff_t(row) * rows + row / lines] = -1;
    const Tensor apart = add(products, minus_one);
    return sum(multiply(apart, apart));
  }
};

struct DiversitySettings : Copied<DiversitySettings, ObjectiveSettings> {
  using Copied::Copied;

  void check(const ModelOptions& options) const override {
    if (encoders().find(options.encoder.kind).summarizes) return;
    throw usage_error(
        "objective.diversity with encoder.kind = {}: it holds the rows of a structured summary apart; set "
        "encoder.kind = structured, or leave it out",
        options.encoder.kind);
  }
};

}  // namespace

extern const ObjectiveKind Objective_diversity = {"diversity", "|A A' - I|^2 of a structured summary",
                                                  "Lin 2017",  made_objective<Diversity>,
                                                  {},          objective_settings<DiversitySettings>};

}  // namespace fovea
