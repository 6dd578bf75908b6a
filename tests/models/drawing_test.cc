// Where positions are drawn, no gradient flows through a draw: training takes that of
//   -sum_t log p(y_t) - lambda_r sum_t (earned_t - baseline_t) log p(position_t) + sum_t (baseline_t - earned_t)^2
//   - lambda_e H
// in which what a draw earned, what was expected of it in the second sum, and the states that the baseline reads are
// numbers and not functions of the weights. Xu et al. 2015.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/as_size.h"
#include "models/oracles/objectives.h"
#include "models/tiny_model.h"

namespace fovea::drawing_test {
namespace {

constexpr double reinforce_weight = 0.7;

ModelOptions drawing_options(int heads) {
  ModelOptions options = tiny_options();
  options.attention.select = "hard";
  options.attention.soft_share = 0.4;
  options.attention.heads = heads;
  set_field(options.objective, fmt::format("reinforce={}", reinforce_weight));
  set_field(options.objective, "entropy=0.3");
  return options;
}

// What does not change with the weights.
struct Held {
  oracle::Rows states;
  oracle::Row earned, expected;
};

class DrawnModel {
 public:
  explicit DrawnModel(const ModelOptions& options) : options_(options), model_(options), batch_(model_.batch()) {}

  Parameters& parameters() { return model_.parameters; }

  std::vector<Held> hold() const {
    std::vector<Held> all;
    for (int b = 0; b < batch_.source.batch; ++b) {
      const oracle::Model told_model = asked(b);
      const oracle::Example example = oracle::example_of(batch_, b);
      const oracle::Told told = oracle::tell(told_model, example);
      Held& held = all.emplace_back();
      for (std::size_t t = 0; t < told.steps.size(); ++t) {
        held.states.push_back(told.steps[t].readout.asked);
        held.earned.push_back(oracle::objective::earned(told, t));
        held.expected.push_back(oracle::objective::expected(told, t));
      }
    }
    return all;
  }

  double loss(const std::vector<Held>& all) const {
    double sum = 0;
    for (int b = 0; b < batch_.source.batch; ++b) {
      const oracle::Model told_model = asked(b);
      const oracle::Example example = oracle::example_of(batch_, b);
      const oracle::Told told = oracle::tell(told_model, example);
      const Held& held = all[as_size(b)];
      sum += oracle::objective::nll(told) + oracle::objective::entropy(told);
      for (std::size_t t = 0; t < told.steps.size(); ++t) {
        const double baseline = told_model.weights().affine("objective.baseline", held.states[t])[0];
        sum += std::pow(baseline - held.earned[t], 2);
        sum -= reinforce_weight * (held.earned[t] - held.expected[t]) * oracle::objective::log_drawn(told, t);
      }
    }
    return sum;
  }

  std::vector<Real> gradient() {
    std::vector<Real> found(as_size(model_.parameters.count()));
    model_.terms(batch_, found);
    return found;
  }

 private:
  oracle::Model asked(int b) const {
    oracle::Model told = {model_.parameters, options_};
    told.random = TinyModel::random;
    told.expected = TinyModel::expected;
    told.sample = static_cast<std::uint64_t>(batch_.samples[as_size(b)]);
    return told;
  }

  ModelOptions options_;
  TinyModel model_;
  Batch batch_;
};

TEST(Drawing, TakesTheGradientOfXu2015) {
  for (const int heads : {1, 2}) {
    DrawnModel drawing(drawing_options(heads));
    const std::vector<Held> held = drawing.hold();
    const std::vector<Real> gradient = drawing.gradient();
    // The oracle's values are those of double even where the weights are float.
    const auto all = some_of(numbers_of(drawing.parameters(), gradient), is_double ? 8 : 6);
    const Difference error = largest_loss_gradient_error(all, [&] { return drawing.loss(held); });
    EXPECT_LE(error.size, gradient_tolerance) << error.where << ", heads " << heads;
  }
}

}  // namespace
}  // namespace fovea::drawing_test
