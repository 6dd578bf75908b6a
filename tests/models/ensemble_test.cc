// Several models asked as one, against each of them asked alone.
#include "models/ensemble.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <optional>

#include "models/tiny_model.h"

namespace fovea::ensemble_test {
namespace {

using Values = std::vector<double>;

// What a model says of the next symbol, after the batch's inputs one by one.
struct Said {
  std::vector<Values> log_probabilities, gates, weights;  // of each step; weights of each step and look
};

Said say(const TinyModel& model, const StepModel& asked, const Side& inputs) {
  const auto values_of = [](Tensor x) { return Values(x.values().begin(), x.values().end()); };
  Said said;
  Arena arenas[2];
  State state;
  for (int t = 0; t < inputs.length; ++t) {
    Pass pass(model.parameters, arenas[t % 2]);
    const auto batch = as_size(inputs.batch);
    std::vector<int> all(batch);
    std::iota(all.begin(), all.end(), 0);
    const State now = t == 0 ? asked.start(pass) : state.rows(pass, all);  // a pass ends with its step
    const StepResult result = asked.step(pass, now, Ids(inputs.ids).subspan(as_size(t) * batch, batch));
    said.log_probabilities.push_back(values_of(result.log_probabilities));
    said.gates.push_back(values_of(result.gate));
    for (const StepLook& look : result.looks) said.weights.push_back(values_of(look.weights));
    for (const StepLook& look : result.pointing) said.weights.push_back(values_of(look.weights));
    state = result.state;
  }
  return said;
}

class EnsembleOf : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Generators, EnsembleOf, testing::Values("pointer_generator", "pointer"));

TEST_P(EnsembleOf, HasTheMeanOfProbabilitiesGatesAndLooks) {
  ModelOptions options = tiny_options();
  options.generator.kind = GetParam();
  options.attention.heads = 2;
  TinyModel one(options), two(options);
  for (Real& value : two.parameters.values()) value *= Real(-0.5);
  const Batch batch = one.batch();
  Arena kept[2], own[2][2];
  Pass first(one.parameters, kept[0]), second(two.parameters, kept[1]);
  const Said a = say(one, *one.network.begin(first, batch.source), batch.previous);
  const Said b = say(two, *two.network.begin(second, batch.source), batch.previous);
  std::vector<Ensemble::Member> members;
  members.push_back({&one.parameters, one.network.begin(first, batch.source), &own[0][0], &own[0][1]});
  members.push_back({&two.parameters, two.network.begin(second, batch.source), &own[1][0], &own[1][1]});
  const Said both = say(one, Ensemble(std::move(members)), batch.previous);
  const auto expect_mean = [](const auto& found, const auto& left, const auto& right, auto to, auto from) {
    ASSERT_EQ(found.size(), left.size());
    for (std::size_t t = 0; t < found.size(); ++t) {
      ASSERT_FALSE(found[t].empty());
      for (std::size_t i = 0; i < found[t].size(); ++i) {
        ASSERT_NEAR(found[t][i], from((to(left[t][i]) + to(right[t][i])) / 2), is_double ? 1e-9 : 1e-5)
            << t << " " << i;
      }
    }
  };
  const auto same = [](double x) { return x; };
  expect_mean(
      both.log_probabilities, a.log_probabilities, b.log_probabilities, [](double x) { return std::exp(x); },
      [](double x) { return std::log(x); });
  expect_mean(both.gates, a.gates, b.gates, same, same);
  expect_mean(both.weights, a.weights, b.weights, same, same);
}

// Sees as many positions as it is told to, reads its number from them, and has as many symbols as it is told to.
class Seeing : public StepModel {
 public:
  Seeing(int positions, Real number, int symbols = 3) : positions_(positions), number_(number), symbols_(symbols) {}

  int sources() const override { return 1; }
  State start(Pass&) const override { return {}; }
  StepResult step(Pass& pass, const State&, Ids) const override {
    const auto filled = [&](int size) {
      Tensor x = pass.tape().make({1, size});
      std::ranges::fill(x.values(), number_);
      return x;
    };
    StepResult result;
    result.log_probabilities = filled(symbols_);
    if (number_ > 0) result.gate = filled(1);
    result.looks = {{filled(positions_), filled(positions_), filled(2)}};
    return result;
  }
  void keep(Ids) override {}

 private:
  int positions_;
  Real number_;
  int symbols_;
};

// Two of them in one.
class Both {
 public:
  Both(std::unique_ptr<StepModel> one, std::unique_ptr<StepModel> two) {
    parameters_.allocate();
    std::vector<Ensemble::Member> members;
    members.push_back({&parameters_, std::move(one), &own_[0][0], &own_[0][1]});
    members.push_back({&parameters_, std::move(two), &own_[1][0], &own_[1][1]});
    ensemble_.emplace(std::move(members));
  }
  StepResult step() {
    const std::vector<std::int32_t> previous = {start};
    return ensemble_->step(pass_, ensemble_->start(pass_), previous);
  }

 private:
  Parameters parameters_;
  Arena arena_, own_[2][2];
  Pass pass_ = Pass(parameters_, arena_);
  std::optional<Ensemble> ensemble_;
};

// Looks at other positions have no mean: that of the first is shown, with the context that it read.
TEST(Ensemble, HasTheLooksOfTheFirstWhereTheOthersSeeOtherPositions) {
  for (const int positions : {4, 5}) {
    Both both(std::make_unique<Seeing>(4, Real(-1)), std::make_unique<Seeing>(positions, Real(-3)));
    const StepResult result = both.step();
    ASSERT_EQ(result.looks.size(), 1u);
    const Real wanted = positions == 4 ? -2 : -1;
    for (const Tensor part : {result.looks[0].scores, result.looks[0].weights, result.looks[0].context}) {
      for (const Real value : part.values()) EXPECT_EQ(value, wanted) << positions;
    }
    EXPECT_EQ(result.looks[0].weights.values().size(), 4u);
  }
}

TEST(Ensemble, OfDifferentSymbolsIsRefused) {
  Both both(std::make_unique<Seeing>(4, Real(-1), 3), std::make_unique<Seeing>(4, Real(-1), 4));
  EXPECT_THROW(both.step(), Error);
}

// A model that copies beside one that does not: the gate of the first is shown.
TEST(Ensemble, HasTheGateOfTheFirstWhereOthersHaveNone) {
  Both both(std::make_unique<Seeing>(4, Real(2)), std::make_unique<Seeing>(4, Real(-1)));
  EXPECT_EQ(both.step().gate.data()[0], 2);
}

}  // namespace
}  // namespace fovea::ensemble_test
