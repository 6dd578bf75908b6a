#include "layers/symbol_products.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/as_size.h"

namespace fovea::symbol_products_test {
namespace {

std::vector<Real> copy(Tensor x) { return {x.values().begin(), x.values().end()}; }

struct Made {
  Made(int symbols, int in, int out)
      : vectors(parameters, "symbols", symbols, in, 0.1, false),
        weight(parameters.add("weight", {in, out}, Initial::uniform(1))),
        bias(parameters.add("bias", {out}, Initial::uniform(1))),
        products(vectors, weight, bias) {
    parameters.allocate();
    parameters.initialise(1);
  }
  std::vector<Real> kept(const std::vector<std::int32_t>& ids) {
    Arena arena;
    Pass pass(parameters, arena);
    return copy(products(pass, ids, {static_cast<int>(ids.size())}));
  }
  std::vector<Real> computed(const std::vector<std::int32_t>& ids) {
    Arena arena;
    Pass pass(parameters, arena);
    return copy(linear(vectors(pass, ids, {static_cast<int>(ids.size())}), pass(weight), pass(bias)));
  }

  Parameters parameters;
  SymbolVectors vectors;
  ParameterId weight;
  ParameterId bias;
  SymbolProducts products;
};

TEST(SymbolProducts, AreTheBitsOfTheProductNewOrKept) {
  Made made(9, 5, 19);
  for (const std::vector<std::int32_t>& ids :
       {std::vector<std::int32_t>{3}, {4, 3, 4, 8, 0, 3}, {8, 8}, {0, 1, 2, 3, 4, 5, 6, 7, 8}, {7, 1}, {}}) {
    EXPECT_EQ(made.kept(ids), made.computed(ids));
  }
}

TEST(SymbolProducts, FollowTheWeights) {
  Made made(4, 3, 6);
  const std::vector<std::int32_t> ids = {2, 1};
  const auto before = made.kept(ids);
  for (Real& value : made.parameters.values()) value += Real(0.25);
  made.parameters.invalidate_packed();
  EXPECT_NE(made.kept(ids), before);
  EXPECT_EQ(made.kept(ids), made.computed(ids));
  for (Real& value : made.parameters.values()) value -= Real(0.5);
  Workers workers(2);
  made.parameters.refresh_packed(workers);
  EXPECT_EQ(made.kept(ids), made.computed(ids));
}

// 4,100 rows of 4,096 are more than is kept.
TEST(SymbolProducts, OfRareSymbolsAreComputedAnew) {
  Made made(4100 * sizeof(float) / sizeof(Real), 1, 4096);
  const std::int32_t last = made.parameters.entries()[0].shape[0] - 1;
  for (int round = 0; round < 2; ++round) {
    const std::vector<std::int32_t> ids = {last, 3, last - 1, last};
    EXPECT_EQ(made.kept(ids), made.computed(ids));
  }
}

TEST(SymbolProducts, AreSharedByWorkers) {
  Made made(50, 16, 64);
  std::vector<std::int32_t> all(50);
  for (std::int32_t i = 0; i < 50; ++i) all[i] = i;
  const auto expected = made.computed(all);
  Workers workers(4);
  for (int round = 0; round < 20; ++round) {
    made.parameters.invalidate_packed();
    std::vector<std::vector<Real>> found(16);
    workers.run(16, [&](int task, int) { found[task] = made.kept(all); });
    for (const auto& one : found) ASSERT_EQ(one, expected);
  }
}

// What flows back to a symbol is summed before it is multiplied, so the last bits may differ.
TEST(SymbolProducts, PassBackWhatTheProductOfEveryPositionDoes) {
  Made made(9, 5, 19);
  const std::vector<std::int32_t> ids = {3, 3, 8, 0, 8, 3, 3, 8};
  const auto gradient = [&](bool by_symbol) {
    Arena arena;
    std::vector<Real> gradients(as_size(made.parameters.count()));
    const TrainingPass training = {gradients, Random(1, Purpose::dropout), {}};
    Pass pass(made.parameters, arena, training);
    const Tensor y = by_symbol ? made.products(pass, ids, {4, 2})
                               : linear(made.vectors(pass, ids, {4, 2}), pass(made.weight), pass(made.bias));
    EXPECT_EQ(y.shape(), Shape({4, 2, 19}));
    EXPECT_EQ(copy(y), made.computed(ids));
    pass.tape().backward(sum(multiply(y, y)));
    return gradients;
  };
  const auto found = gradient(true), expected = gradient(false);
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-4) << i;
  EXPECT_NE(expected, std::vector<Real>(expected.size()));
}

TEST(SymbolProducts, ServeTrainingWhereNothingIsDroppedAndSymbolsComeAgain) {
  Made made(9, 5, 19);
  Arena arena;
  std::vector<Real> gradients(as_size(made.parameters.count()));
  const std::vector<std::int32_t> often = {3, 8, 8, 3}, seldom = {3, 8, 8, 1};
  TrainingPass training = {gradients, Random(1, Purpose::dropout), {}};
  EXPECT_TRUE(made.products.serves(Pass(made.parameters, arena, training), often));
  EXPECT_FALSE(made.products.serves(Pass(made.parameters, arena, training), seldom));
  EXPECT_TRUE(made.products.serves(Pass(made.parameters, arena), seldom));
  training.dropout = 0.1;
  EXPECT_FALSE(made.products.serves(Pass(made.parameters, arena, training), often));
}

TEST(SymbolProducts, RefuseWhatIsNoSymbol) {
  Made made(4, 3, 6);
  EXPECT_THROW(made.kept({4}), Error);
  EXPECT_THROW(made.kept({-1}), Error);
}

}  // namespace
}  // namespace fovea::symbol_products_test
