// The coverage penalty, by hand and against all answers there are.
#include <gtest/gtest.h>

#include "decoding/table_model.h"

namespace fovea::coverage_test {
namespace {

// "" has probability 0.5 and has looked at one position in one step; "1" has 0.25 and looked at both.
TEST(Coverage, PrefersWhatReadsAll) {
  const Table table = [](int, const Path& written) -> Row {
    if (written.empty()) return {std::log(0.5), std::log(0.5), -50, -50, -50, -50};
    return {std::log(0.5), -50, std::log(0.5), -50, -50, -50};
  };
  TableModel::Extras extras;
  extras.looks = [](int, const Path& written) -> TableModel::Looks {
    if (written.empty()) return {{0, 0, {0.8, 0.2, 0}}};
    return {{0, 0, {0.1, 0.5, 0.4}}};  // the last position is a pad
  };
  const std::vector<int> lengths = {2};
  const auto best = [&](double beta) {
    TableSearch o = options(4, 1, 0);
    set_field(o, fmt::format("coverage_penalty={}", beta));
    return find(table, o, {2}, extras, lengths)[0][0];
  };
  EXPECT_EQ(best(0).symbols, Path{});
  EXPECT_EQ(best(0.1).symbols, Path{});  // -0.693 + 0.1 log 0.16 = -0.876, against -1.386 + 0.1 log 0.63 = -1.433
  EXPECT_NEAR(best(0.1).score, std::log(0.5) + 0.1 * std::log(0.8 * 0.2), 1e-6);
  EXPECT_EQ(best(1).symbols, Path{1});  // -2.526 against -1.848: the step that stops has looked, too
  EXPECT_NEAR(best(1).score, std::log(0.25) + std::log(0.9 * 0.7), 1e-6);
}

// Weights that differ with everything; two heads above a layer that does not count.
TableModel::Extras random_looks(std::uint64_t seed, int first = 0) {
  TableModel::Extras extras;
  extras.looks = [seed, first](int source, const Path& written) {
    const Random random = random_at(seed, source + first, written).at(1);
    TableModel::Looks looks = {{0, 0, {1, 1, 1}}, {1, 0, {0, 0, 1}}, {1, 1, {0, 0, 1}}};
    for (std::uint64_t i = 0; i < 2; ++i) {
      looks[1].weights[i] = std::pow(random.uniform(i), 4);
      looks[2].weights[i] = std::pow(random.uniform(2 + i), 4);
    }
    return looks;
  };
  return extras;
}

double slow_penalty(const TableModel::Extras& extras, int source, int length, double beta, const Path& path,
                    bool stopped) {
  double sum = 0;
  for (int i = 0; i < length; ++i) {
    double looked = 0;
    for (std::size_t t = 0; t < path.size() + stopped; ++t) {
      const auto looks = extras.looks(source, Path(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(t)));
      looked += static_cast<double>(static_cast<Real>(looks[1].weights[i])) / 2;
      looked += static_cast<double>(static_cast<Real>(looks[2].weights[i])) / 2;
    }
    sum += std::log(std::max(std::min(looked, 1.0), 1e-6));
  }
  return beta * sum;
}

TEST(Coverage, AsWideAsTheLivingSearchFindsTheBest) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    for (const double power : {0.0, 1.0}) {
      TableSearch o = options(48, 48, power);  // see the test of search without
      o.never.push_back(3);
      set_field(o, "coverage_penalty=0.4");
      const auto extras = random_looks(seed);
      const std::vector<int> lengths = {1, 2};
      const auto found = find(random_table(seed), o, {6, 6}, extras, lengths);
      for (const int source : {0, 1}) {
        const auto all = enumerate(random_table(seed), source, o, 6, [&](const Path& path, bool stopped) {
          return slow_penalty(extras, source, lengths[source], 0.4, path, stopped);
        });
        ASSERT_EQ(found[source].size(), 48u);
        for (std::size_t i = 0; i < 48; ++i) {
          EXPECT_EQ(found[source][i].symbols, all[i].symbols) << "seed " << seed << ", answer " << i;
          EXPECT_NEAR(found[source][i].score, all[i].score, 1e-12);
        }
      }
    }
  }
}

TEST(Coverage, ASourcesAnswersDoNotDependOnTheOthers) {
  const Table table = random_table(6);
  std::vector<int> max_steps, lengths;
  for (int s = 0; s < 20; ++s) max_steps.push_back(1 + s * 7 % 6), lengths.push_back(1 + s % 2);
  for (const int beam : {1, 4}) {
    TableSearch o = options(beam, beam);
    set_field(o, "coverage_penalty=0.3");
    const auto together = find(table, o, max_steps, random_looks(6), lengths);
    for (int s = 0; s < 20; ++s) {
      const Table one = [&](int, const Path& written) { return table(s, written); };
      const auto alone = find(one, o, {max_steps[s]}, random_looks(6, s), std::span(lengths).subspan(s, 1))[0];
      ASSERT_EQ(alone.size(), together[s].size());
      for (std::size_t i = 0; i < alone.size(); ++i) {
        EXPECT_EQ(alone[i].symbols, together[s][i].symbols);
        EXPECT_EQ(alone[i].score, together[s][i].score);
      }
    }
  }
}

TEST(Coverage, RefusesWhatMakesNoSense) {
  TableSearch o = options(2, 1);
  set_field(o, "coverage_penalty=0.5");
  const std::vector<int> two = {2}, three = {3};
  EXPECT_NO_THROW(find(random_table(1), o, {3}, {}, two));
  EXPECT_THROW(find(random_table(1), o, {3}), Error) << "no lengths";
  EXPECT_THROW(find(random_table(1), o, {3}, {}, three), Error) << "more than there are positions";
  TableModel::Extras blind;
  blind.looks = [](int, const Path&) { return TableModel::Looks(); };
  EXPECT_THROW(find(random_table(1), o, {3}, blind, two), Error) << "no attention";
  EXPECT_THROW(set_field(o, "coverage_penalty=-0.5"), Error);
}

}  // namespace
}  // namespace fovea::coverage_test
