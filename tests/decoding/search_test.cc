// Search over hand-made distributions, where the best answer can be found by trying all.
#include "decoding/search.h"
#include "base/as_size.h"
#include "decoding/writable.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <vector>

#include "decoding/table_model.h"

namespace fovea::search_test {
namespace {

int code_of(const Path& written) {
  int code = start;
  for (const std::int32_t symbol : written) code = code * symbols + symbol;
  return code;
}

void expect_answers(const std::vector<Answer>& found, std::span<const Answer> wanted) {
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].symbols, wanted[i].symbols) << "answer " << i;
    EXPECT_DOUBLE_EQ(found[i].score, wanted[i].score) << "answer " << i;
    EXPECT_EQ(found[i].finished, wanted[i].finished) << "answer " << i;
  }
}

TEST(Search, WideEnoughItFindsAllThereIs) {
  for (const double power : {0.0, 0.6, 1.0, 2.0}) {
    const TableSearch o = options(200, 200, power);
    const Table table = random_table(1);
    const auto found = find(table, o, {4, 4, 2});
    for (const int source : {0, 1, 2}) expect_answers(found[source], enumerate(table, source, o, source == 2 ? 2 : 4));
  }
}

TEST(Search, AsWideAsTheLivingItFindsTheBest) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    for (const double power : {0.0, 1.0, 2.0}) {
      TableSearch o = options(48, 48, power);  // as many as can follow the fifth symbol, so none is lost before
      o.never.push_back(3);
      const auto all = enumerate(random_table(seed), 0, o, 6);
      expect_answers(find_one(random_table(seed), o, 6), std::span(all).first(48));
    }
  }
}

// Two short answers of score -1 fill the list; what is left has -3 after two symbols, but costs nothing from there on.
TEST(Search, GoesOnWhileALongerAnswerMayWin) {
  const Table table = [](int, const Path& written) -> Row {
    if (written.empty()) return {-1, -1.5, -9, -9, -9, -9};
    if (written.size() == 1) return {-0.5, -1.5, -9, -9, -9, -9};
    return written.size() < 9 ? Row{-9, 0, -9, -9, -9, -9} : Row{0, -9, -9, -9, -9, -9};
  };
  const auto found = find_one(table, options(2, 2), 10);
  EXPECT_EQ(found[0].symbols, Path(9, 1));
  EXPECT_DOUBLE_EQ(found[0].score, -0.3);
}

TEST(Search, EndsWhenNothingBetterCanCome) {
  std::size_t longest = 0;
  const Table table = [&](int, const Path& written) -> Row {
    longest = std::max(longest, written.size());
    return {-0.5, -1, -2, -3, -9, -9};
  };
  const auto found = find_one(table, options(3, 3, 0), 7);
  EXPECT_EQ(found[0].symbols, Path{});
  EXPECT_DOUBLE_EQ(found[2].score, -2.5);  // 1 1, or 2
  EXPECT_LT(longest, 5u);
}

TEST(Search, ABeamOfOneIsGreedy) {
  const Table table = random_table(3);
  const std::vector<int> max_steps(30, 6);
  const auto found = find(table, options(1, 1), max_steps);
  for (int source = 0; source < 30; ++source) {
    Path written;
    double log_p = 0;
    bool stopped = false;
    while (!stopped && written.size() < 6) {
      const Row row = table(source, written);
      const auto best = std::max_element(row.begin(), row.begin() + start) - row.begin();
      log_p += row[best];
      stopped = best == stop;
      if (!stopped && written.size() == 5) {
        log_p -= row[best];  // there is no room for it
        break;
      }
      if (!stopped) written.push_back(static_cast<std::int32_t>(best));
    }
    const double length = static_cast<double>(written.size() + stopped);
    expect_answers(found[source], std::vector<Answer>{{written, log_p / length, stopped, {}}});
  }
}

TEST(Search, AnswersAreSortedDifferentAndTrulyScored) {
  const Table table = random_table(4);
  for (const int beam : {2, 3, 5, 9}) {
    const std::vector<int> max_steps = {7, 1, 5, 3, 7, 2, 6, 4, 7, 1};
    const auto found = find(table, options(beam, beam), max_steps);
    for (int source = 0; source < std::ssize(max_steps); ++source) {
      const auto& answers = found[source];
      EXPECT_GE(answers.size(), 1u);
      EXPECT_LE(std::ssize(answers), beam);
      std::set<Path> different;
      for (const Answer& answer : answers) {
        EXPECT_TRUE(different.insert(answer.symbols).second) << "twice the same";
        EXPECT_DOUBLE_EQ(answer.score, score_of(table, source, answer, 1));
        EXPECT_LE(std::ssize(answer.symbols) + answer.finished, max_steps[source]);
        EXPECT_EQ(answer.finished || std::ssize(answer.symbols) == max_steps[source] - 1, true);
      }
      EXPECT_TRUE(std::ranges::is_sorted(answers, std::greater(),
                                         [](const Answer& a) { return std::pair(a.finished, a.score); }));
    }
  }
}

// The best of all goes on for ever: what is cut off is no answer while there is one that came to its end.
TEST(Search, WhatIsCutOffDoesNotCompete) {
  const Table table = [](int, const Path& written) -> Row {
    if (written.empty()) return {-5, -0.1, -3, -9, -9, -9};
    return written[0] == 1 ? Row{-20, -0.01, -9, -9, -9, -9} : Row{-0.5, -6, -6, -6, -9, -9};
  };
  for (const int beam : {2, 4}) {
    const auto found = find_one(table, options(beam, beam), 6);
    EXPECT_TRUE(found[0].finished);
    EXPECT_EQ(found[0].symbols, Path{2});
    EXPECT_DOUBLE_EQ(found[0].score, -3.5 / 2);
    for (std::size_t i = 1; i < found.size(); ++i) EXPECT_GE(found[i - 1].finished, found[i].finished);
  }
  const auto greedy = find_one(table, options(1, 1), 6);
  EXPECT_FALSE(greedy[0].finished);
  EXPECT_EQ(greedy[0].symbols, Path(5, 1));
  EXPECT_NEAR(greedy[0].score, -0.14 / 5, 1e-6);
}

TEST(Search, GivesAsManyAsAskedFor) {
  for (const int nbest : {1, 2, 5}) EXPECT_EQ(std::ssize(find_one(random_table(1), options(5, nbest), 6)), nbest);
  const auto five = find_one(random_table(1), options(5, 5), 6);
  expect_answers(find_one(random_table(1), options(5, 2), 6), std::span(five).first(2));
}

// "" has probability 0.4, "1" 0.6 * 0.5 = 0.3, "11" 0.6 * 0.5 * 1 = 0.3 with one symbol more.
Row by_hand(int, const Path& written) {
  constexpr double never = -50;
  if (written.empty()) return {std::log(0.4), std::log(0.6), never, never, never, never};
  if (written.size() == 1) return {std::log(0.5), std::log(0.5), never, never, never, never};
  return {std::log(1.0), never, never, never, never, never};
}

TEST(Search, LengthPowerDecidesBetweenShortAndLong) {
  const auto best = [](double power) { return find_one(by_hand, options(4, 1, power), 5)[0]; };
  EXPECT_EQ(best(0).symbols, Path{});
  EXPECT_NEAR(best(0).score, std::log(0.4), 1e-6);
  EXPECT_EQ(best(0.2).symbols, Path{});        // log 0.4 = -0.916 against log 0.3 / 3^0.2 = -0.966
  EXPECT_EQ(best(0.3).symbols, Path({1, 1}));  // against log 0.3 / 3^0.3 = -0.866
  EXPECT_EQ(best(1).symbols, Path({1, 1}));
  EXPECT_NEAR(best(1).score, std::log(0.3) / 3, 1e-6);
}

// The stop symbol is the best, 1 the next, and only 2, the third, leads anywhere: a beam of two must still hold it.
TEST(Search, AnAnswerThatEndsTakesNobodysPlace) {
  const Table table = [](int, const Path& written) -> Row {
    if (written.empty()) return {std::log(0.4), std::log(0.35), std::log(0.25), -50, -50, -50};
    if (written[0] == 2) return {0, -50, -50, -50, -50, -50};
    return Row(symbols, std::log(1.0 / symbols));
  };
  EXPECT_EQ(find_one(table, options(2, 1), 4)[0].symbols, Path({2}));
}

TEST(Search, NeverWritesWhatItMustNot) {
  const Table tempting = [](int, const Path& written) {
    Row row(symbols, -9);
    row[start] = row[unwanted] = -0.01;
    row[written.size() < 2 ? 2 : stop] = -1;
    return row;
  };
  for (const int beam : {1, 4}) {
    for (const Answer& answer : find_one(tempting, options(beam, beam), 5)) {
      EXPECT_EQ(std::ranges::count(answer.symbols, start) + std::ranges::count(answer.symbols, unwanted), 0);
    }
    EXPECT_EQ(find_one(tempting, options(beam, 1), 5)[0].symbols, Path({2, 2}));
  }
}

// The last step is the stop symbol's, unless it may not be written.
TEST(Search, CutOffAnswersSaySo) {
  const Table endless = [](int, const Path&) { return Row{-40, -1, -2, -3, -9, -9}; };
  const Table no_end = [](int, const Path&) { return Row{least_writable * 2, -1, -2, -3, -9, -9}; };
  for (const int beam : {1, 3}) {
    for (const bool may_stop : {true, false}) {
      TableSearch o = options(beam, beam);
      if (!may_stop) o.never.push_back(stop);
      const auto found = find(may_stop ? no_end : endless, o, {3, 5, 1});
      for (const int source : {0, 1, 2}) {
        const int most = std::vector{3, 5, 1}[source] - may_stop;
        EXPECT_FALSE(found[source][0].finished);
        EXPECT_EQ(found[source][0].symbols, Path(as_size(most), 1));
        EXPECT_DOUBLE_EQ(found[source][0].score, most == 0 ? 0 : -1);
      }
    }
  }
}

TEST(Search, TiesGoToTheLowerSymbolAndEarlierHypothesis) {
  const Table even = [](int, const Path&) { return Row(symbols, -2); };
  TableSearch o = options(1, 1);
  EXPECT_EQ(find_one(even, o, 3)[0].symbols, Path{});  // stop is the lowest
  o.never.push_back(stop);
  EXPECT_EQ(find_one(even, o, 3)[0].symbols, Path({1, 1, 1}));
  o.beam = o.nbest = 4;
  const auto found = find(even, o, {2, 2, 2});
  for (const int source : {0, 1, 2}) {
    std::vector<Path> paths;
    for (const Answer& answer : found[source]) paths.push_back(answer.symbols);
    EXPECT_EQ(paths, (std::vector<Path>{{1, 1}, {1, 2}, {1, 3}, {2, 1}})) << "source " << source;
  }
}

TEST(Search, LooksBelongToTheAnswersOwnPath) {
  const Table table = random_table(5);
  const std::vector<int> max_steps = {6, 2, 6, 4, 6, 3, 6, 6};  // some leave the batch early
  for (const int beam : {1, 2, 5}) {
    TableSearch o = options(beam, beam);
    o.alternatives = 3;
    const auto found = find(table, o, max_steps);
    for (int source = 0; source < std::ssize(max_steps); ++source) {
      for (const Answer& answer : found[source]) {
        ASSERT_EQ(answer.steps.size(), answer.symbols.size() + answer.finished);
        for (std::size_t t = 0; t < answer.steps.size(); ++t) {
          const Path before(answer.symbols.begin(), answer.symbols.begin() + static_cast<std::ptrdiff_t>(t));
          const StepExplanation& step = answer.steps[t];
          const std::vector<float> own = {static_cast<float>(source), static_cast<float>(code_of(before))};
          ASSERT_EQ(step.looks.size(), 1u);
          EXPECT_EQ(step.looks[0].weights, own);
          EXPECT_EQ(step.looks[0].scores, own);
          EXPECT_NEAR(step.looks[0].context_norm, std::hypot(own[0], own[1]), 1e-6 * own[1]);
          const Row row = table(source, before);
          const std::int32_t symbol = t < answer.symbols.size() ? answer.symbols[t] : stop;
          EXPECT_NEAR(step.probability, std::exp(row[symbol]), 1e-12);
          ASSERT_EQ(step.alternatives.size(), 3u);
          double best = -std::numeric_limits<double>::infinity();  // of what may be written at all, or was
          for (std::int32_t s = 0; s < std::ssize(row); ++s) {
            if (s == symbol || !std::ranges::count(o.never, s)) best = std::max(best, static_cast<double>(row[s]));
          }
          EXPECT_NEAR(step.alternatives[0].second, std::exp(best), 1e-12);
          EXPECT_GE(step.alternatives[0].second, step.alternatives[1].second);
          EXPECT_GE(step.alternatives[1].second, step.alternatives[2].second);
        }
      }
    }
  }
}

TEST(Search, ExplainsLayersHeadsAndTheGate) {
  TableModel::Extras extras;
  extras.looks = [](int source, const Path& written) -> std::vector<TableModel::Look> {
    const double x = source + 0.25 * static_cast<double>(written.size());
    return {{0, 0, {x}}, {1, 0, {2 * x}}, {1, 1, {3 * x}}};
  };
  extras.gate = [](int source, const Path& written) {
    return 0.125 * source + 0.25 * static_cast<double>(written.size());
  };
  TableSearch o = options(3, 3);
  o.alternatives = 1;
  const auto found = find(random_table(7), o, {4, 2, 3}, extras);
  for (int source = 0; source < 3; ++source) {
    for (const Answer& answer : found[source]) {
      for (std::size_t t = 0; t < answer.steps.size(); ++t) {
        const StepExplanation& step = answer.steps[t];
        const float x = static_cast<float>(source) + 0.25f * static_cast<float>(t);
        ASSERT_EQ(step.looks.size(), 3u);
        for (const int look : {0, 1, 2}) {
          EXPECT_EQ(step.looks[look].layer, look > 0);
          EXPECT_EQ(step.looks[look].head, look == 2);
          EXPECT_EQ(step.looks[look].weights, std::vector<float>{static_cast<float>(look + 1) * x});
        }
        EXPECT_EQ(step.gate, 0.125 * source + 0.25 * static_cast<double>(t));
      }
      EXPECT_EQ(answer.maps, 3u);
    }
  }
  EXPECT_EQ(find_one(random_table(7), o, 4)[0].steps[0].gate, std::nullopt);
  o.alternatives = 0;
  EXPECT_EQ(find(random_table(7), o, {4}, extras)[0][0].maps, 0u) << "nothing is explained";
}

TEST(Search, WeightsAreForcedInTheirStepAlone) {
  struct Forced : TableModel {
    using TableModel::TableModel;
    StepResult step(Pass& pass, const State& state, Ids previous) const override {
      heads.emplace_back();
      for (const ForcedWeights& weights : pass.forced()) heads.back().push_back(weights.head);
      return TableModel::step(pass, state, previous);
    }
    mutable std::vector<std::vector<int>> heads;  // of each step
  } model([](int, const Path&) -> Row { return {-9, -1, -9, -9, -9, -9}; }, 1);
  const std::vector<float> weights = {1};
  const std::vector<ForcedStep> forced = {
      {0, {.head = 7, .weights = weights}}, {2, {.head = 8, .weights = weights}}, {2, {.head = 9, .weights = weights}}};
  const TableSearch o = options(1, 1);
  const std::vector<int> max_steps = {4};
  Parameters parameters;
  parameters.allocate();
  SearchArenas arenas;
  search(parameters, model, o, o, o.rules_made(), {.max_steps = max_steps, .forced = forced}, arenas);
  EXPECT_EQ(model.heads, (std::vector<std::vector<int>>{{7}, {}, {8, 9}, {}}));
}

// So wide that all there is is looked at: the tree has every beginning, each once, up to as many as it may have.
TEST(Search, TheTreeHasAllThatWasLookedAt) {
  const Table table = random_table(9);
  for (const int max_steps : {3, 7}) {
    TableSearch o = options(2000, 1);
    o.explain.tree = true;
    const SearchTree tree = find_one(table, o, max_steps)[0].tree;
    std::size_t all = 0, living = 1;
    for (int step = 0; step < max_steps; ++step) all += 4 * living, living *= 3;
    EXPECT_EQ(tree.nodes.size() + tree.left_out, all);
    EXPECT_EQ(tree.nodes.size(), std::min(all, max_tree_nodes));
    std::set<Path> seen;
    std::vector<Path> paths;
    for (const TreeNode& node : tree.nodes) {
      Path path = node.parent < 0 ? Path() : paths[as_size(node.parent)];
      const double before = node.parent < 0 ? 0 : tree.nodes[as_size(node.parent)].log_probability;
      const double log_p = table(0, path)[as_size(node.symbol)];
      EXPECT_EQ(node.step, std::ssize(path));
      EXPECT_NEAR(node.probability, std::exp(log_p), 1e-6);
      EXPECT_NEAR(node.log_probability, before + log_p, 1e-6);
      const Row row = table(0, path);
      const double likeliest = std::max({row[1], row[2], row[3]});
      EXPECT_EQ(node.kept, node.step + 1 < max_steps || (node.symbol == stop && log_p > likeliest));
      path.push_back(node.symbol);
      EXPECT_TRUE(seen.insert(path).second);
      paths.push_back(std::move(path));
    }
  }
}

// A neighbour that can copy more makes the batch's symbols more. What they cannot write is not for the others.
TEST(Search, WhatASourceCannotWriteIsNotThere) {
  const Table narrow = [](int, const Path& written) -> Row {
    const double log_p = written.size() < 2 ? std::log(0.5) : std::log(1e-30);
    return {std::log(0.5), log_p, std::log(1e-30), std::log(1e-30), std::log(1e-30), std::log(1e-30)};
  };
  const Table wide = [&](int source, const Path& written) {
    Row row = narrow(source, written);
    row.resize(symbols + 4, std::log(1e-30));
    return row;
  };
  TableSearch o = options(9, 9);
  o.alternatives = 4;
  const auto found = find_one(wide, o, 5);
  ASSERT_EQ(found.size(), 3u);  // "", "1" and "1 1"
  expect_answers(found, find_one(narrow, o, 5));
  EXPECT_EQ(found[0].steps[0].alternatives.size(), 2u);
}

TEST(Search, ASourcesAnswersDoNotDependOnTheOthers) {
  const Table table = random_table(6);
  std::vector<int> max_steps;
  for (int s = 0; s < 25; ++s) max_steps.push_back(1 + s * 7 % 6);
  for (const int beam : {1, 4}) {
    const auto together = find(table, options(beam, beam), max_steps);
    for (int s = 0; s < 25; ++s) {
      const Table one = [&](int, const Path& written) { return table(s, written); };
      expect_answers(find_one(one, options(beam, beam), max_steps[s]), together[s]);
    }
  }
}

TEST(Search, NoSourcesNoAnswers) { EXPECT_TRUE(find(random_table(1), options(2, 1), {}).empty()); }

// A model whose weights have run away.
TEST(Search, NotANumberStillGivesAnAnswer) {
  const Table broken = [](int, const Path&) { return Row(symbols, std::numeric_limits<double>::quiet_NaN()); };
  for (const int beam : {1, 3}) {
    const auto found = find(broken, options(beam, 1), {5, 2});
    EXPECT_EQ(found[0].size(), 1u);
    EXPECT_EQ(found[1].size(), 1u);
  }
}

TEST(Search, ThePossibleComesBeforeTheImpossible) {
  const Table only_two = [](int, const Path& written) {
    Row row(symbols, -std::numeric_limits<double>::infinity());
    row[written.size() < 3 ? 2 : stop] = 0;
    return row;
  };
  for (const int beam : {1, 3}) {
    const Answer best = find_one(only_two, options(beam, beam), 9)[0];
    EXPECT_EQ(best.symbols, Path({2, 2, 2}));
    EXPECT_EQ(best.score, 0);
  }
}

TEST(Search, RefusesWhatMakesNoSense) {
  EXPECT_THROW(find(random_table(1), options(0, 1), {3}), Error);
  EXPECT_THROW(find(random_table(1), options(2, 3), {3}), Error);
  EXPECT_THROW(find(random_table(1), options(2, 0), {3}), Error);
  EXPECT_THROW(find(random_table(1), options(2, 1), {0}), Error);
}

}  // namespace
}  // namespace fovea::search_test
