#include "layers/symbol_products.h"

#include <gtest/gtest.h>

#include <vector>

namespace fovea {
namespace {

std::vector<Real> copy(Tensor x) { return {x.values().begin(), x.values().end()}; }

struct Made {
  Made(int symbols, int in, int out)
      : table(parameters.add("table", {symbols, in}, Initial::uniform(1))),
        weight(parameters.add("weight", {in, out}, Initial::uniform(1))),
        bias(parameters.add("bias", {out}, Initial::uniform(1))),
        products(table, weight, bias) {
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
    return copy(linear(embed(pass(table), ids, {static_cast<int>(ids.size())}), pass(weight), pass(bias)));
  }

  Parameters parameters;
  ParameterId table;
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

TEST(SymbolProducts, RefuseWhatIsNoSymbol) {
  Made made(4, 3, 6);
  EXPECT_THROW(made.kept({4}), Error);
  EXPECT_THROW(made.kept({-1}), Error);
}

}  // namespace
}  // namespace fovea
