// Search over hand-made distributions, where the best answer can be found by trying all.
#include "decoding/search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <vector>

namespace fovea {
namespace {

constexpr int symbols = 6;
constexpr std::int32_t stop = 0, start = 4, unwanted = 5;  // 1, 2 and 3 are written
using Path = std::vector<std::int32_t>;
using Row = std::vector<double>;  // log-probability of each symbol
using Table = std::function<Row(int source, const Path& written)>;

// A state of [source, code of what was written], so that a row that got into the wrong place is noticed, and looks that
// say the same.
class TableModel : public StepModel {
 public:
  TableModel(Table table, int sources) : table_(std::move(table)) {
    for (int s = 0; s < sources; ++s) kept_.push_back(s);
  }

  int sources() const override { return static_cast<int>(kept_.size()); }

  State start(Pass& pass) const override {
    Tensor x = pass.tape().make({sources(), 2});
    for (int s = 0; s < sources(); ++s) x.data()[2 * s] = Real(kept_[s]), x.data()[2 * s + 1] = 0;
    State state;
    state.set("path", x);
    return state;
  }

  StepResult step(Pass& pass, const State& state, Ids previous) const override {
    const Tensor before = state.get("path");
    const int rows = before.shape()[0];
    EXPECT_EQ(rows % sources(), 0);
    EXPECT_EQ(rows, std::ssize(previous));
    const Tensor path = pass.tape().make({rows, 2}), log_p = pass.tape().make({rows, symbols});
    for (int r = 0; r < rows; ++r) {
      const int source = static_cast<int>(before.data()[2 * r]);
      EXPECT_EQ(source, kept_[r % sources()]) << "row " << r << " holds another source's state";
      const int code = static_cast<int>(before.data()[2 * r + 1]) * symbols + previous[r];
      path.data()[2 * r] = Real(source);
      path.data()[2 * r + 1] = Real(code);
      const Row row = table_(source, decode(code));
      std::transform(row.begin(), row.end(), log_p.data() + r * symbols, [](double p) { return static_cast<Real>(p); });
    }
    State next;
    next.set("path", path);
    return {log_p, next, {{path, path, path}}};
  }

  void keep(Ids sources) override {
    std::vector<int> left;
    for (const std::int32_t s : sources) left.push_back(kept_[s]);
    kept_ = left;
  }

 private:
  static Path decode(int code) {
    Path written;
    for (; code >= symbols; code /= symbols) written.insert(written.begin(), code % symbols);
    return written;  // the first, the start symbol, is left
  }

  Table table_;
  std::vector<int> kept_;
};

int code_of(const Path& written) {
  int code = start;
  for (const std::int32_t symbol : written) code = code * symbols + symbol;
  return code;
}

Row normalise(Row logits) {
  double sum = 0;
  for (const double x : logits) sum += std::exp(x);
  for (double& x : logits) x = static_cast<double>(static_cast<Real>(x - std::log(sum)));
  return logits;
}

// Different for every source and everything written so far.
Table random_table(std::uint64_t seed) {
  return [seed](int source, const Path& written) {
    Random random = Random(seed, Purpose::data).at(static_cast<std::uint64_t>(source));
    for (const std::int32_t symbol : written) random = random.at(static_cast<std::uint64_t>(symbol));
    Row logits(symbols);
    for (int i = 0; i < symbols; ++i) logits[i] = 4 * random.uniform(static_cast<std::uint64_t>(i));
    return normalise(logits);
  };
}

SearchOptions options(int beam, int nbest, double length_power = 1) {
  SearchOptions o;
  o.beam = beam;
  o.nbest = nbest;
  o.length_power = length_power;
  o.start = start;
  o.stop = stop;
  o.never = {start, unwanted};
  return o;
}

std::vector<std::vector<Answer>> find(const Table& table, const SearchOptions& o, const std::vector<int>& most_steps) {
  Parameters parameters;
  parameters.allocate();
  TableModel model(table, static_cast<int>(most_steps.size()));
  SearchMemory memory;
  return search(parameters, model, o, most_steps, memory);
}

std::vector<Answer> find_one(const Table& table, const SearchOptions& o, int most_steps) {
  return find(table, o, {most_steps})[0];
}

// Every answer there is, best first.
std::vector<Answer> enumerate(const Table& table, int source, const SearchOptions& o, int most_steps) {
  std::vector<Answer> all;
  const std::function<void(const Path&, double)> extend = [&](const Path& written, double log_p) {
    const Row row = table(source, written);
    const int length = static_cast<int>(written.size()) + 1;
    const double root = std::pow(static_cast<double>(length), o.length_power);
    for (std::int32_t symbol = 0; symbol < symbols; ++symbol) {
      if (std::ranges::find(o.never, symbol) != o.never.end()) continue;
      const double now = log_p + row[symbol];
      Path next = written;
      if (symbol != o.stop) next.push_back(symbol);
      if (symbol == o.stop || length == most_steps) {
        all.push_back({next, now / root, symbol == o.stop, {}});
      } else {
        extend(next, now);
      }
    }
  };
  extend({}, 0);
  std::ranges::stable_sort(all, std::greater(), &Answer::score);
  return all;
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
    const SearchOptions o = options(200, 200, power);
    const Table table = random_table(1);
    const auto found = find(table, o, {4, 4, 2});
    for (const int source : {0, 1, 2}) expect_answers(found[source], enumerate(table, source, o, source == 2 ? 2 : 4));
  }
}

TEST(Search, AsWideAsTheLivingItFindsTheBest) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    for (const double power : {0.0, 1.0, 2.0}) {
      SearchOptions o = options(48, 48, power);  // as many as can follow the fifth symbol, so none is lost before
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
  const std::vector<int> most_steps(30, 6);
  const auto found = find(table, options(1, 1), most_steps);
  for (int source = 0; source < 30; ++source) {
    Path written;
    double log_p = 0;
    bool stopped = false;
    while (!stopped && written.size() < 6) {
      const Row row = table(source, written);
      const auto best = std::max_element(row.begin(), row.begin() + start) - row.begin();
      log_p += row[best];
      stopped = best == stop;
      if (!stopped) written.push_back(static_cast<std::int32_t>(best));
    }
    const double length = static_cast<double>(written.size() + stopped);
    expect_answers(found[source], std::vector<Answer>{{written, log_p / length, stopped, {}}});
  }
}

double score_of(const Table& table, int source, const Answer& answer, double power) {
  Path written;
  double log_p = 0;
  for (const std::int32_t symbol : answer.symbols) {
    log_p += table(source, written)[symbol];
    written.push_back(symbol);
  }
  if (answer.finished) log_p += table(source, written)[stop];
  return log_p / std::pow(static_cast<double>(written.size() + answer.finished), power);
}

TEST(Search, AnswersAreSortedDifferentAndTrulyScored) {
  const Table table = random_table(4);
  for (const int beam : {2, 3, 5, 9}) {
    const std::vector<int> most_steps = {7, 1, 5, 3, 7, 2, 6, 4, 7, 1};
    const auto found = find(table, options(beam, beam), most_steps);
    for (int source = 0; source < std::ssize(most_steps); ++source) {
      const auto& answers = found[source];
      EXPECT_GE(answers.size(), 1u);
      EXPECT_LE(std::ssize(answers), beam);
      std::set<Path> different;
      for (const Answer& answer : answers) {
        EXPECT_TRUE(different.insert(answer.symbols).second) << "twice the same";
        EXPECT_DOUBLE_EQ(answer.score, score_of(table, source, answer, 1));
        EXPECT_LE(std::ssize(answer.symbols) + answer.finished, most_steps[source]);
        EXPECT_EQ(answer.finished || std::ssize(answer.symbols) == most_steps[source], true);
      }
      EXPECT_TRUE(std::ranges::is_sorted(answers, std::greater(), &Answer::score));
    }
  }
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

TEST(Search, CutOffAnswersSaySo) {
  const Table endless = [](int, const Path&) { return Row{-40, -1, -2, -3, -9, -9}; };
  for (const int beam : {1, 3}) {
    const auto found = find(endless, options(beam, beam), {3, 5, 1});
    for (const int source : {0, 1, 2}) {
      const int most = std::vector{3, 5, 1}[source];
      EXPECT_FALSE(found[source][0].finished);
      EXPECT_EQ(found[source][0].symbols, Path(static_cast<std::size_t>(most), 1));
      EXPECT_DOUBLE_EQ(found[source][0].score, -1);
    }
  }
}

TEST(Search, TiesGoToTheLowerSymbolAndEarlierHypothesis) {
  const Table even = [](int, const Path&) { return Row(symbols, -2); };
  SearchOptions o = options(1, 1);
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
  const std::vector<int> most_steps = {6, 2, 6, 4, 6, 3, 6, 6};  // some leave the batch early
  for (const int beam : {1, 2, 5}) {
    SearchOptions o = options(beam, beam);
    o.alternatives = 3;
    const auto found = find(table, o, most_steps);
    for (int source = 0; source < std::ssize(most_steps); ++source) {
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
          EXPECT_NEAR(step.alternatives[0].second, std::exp(*std::ranges::max_element(row)), 1e-12);
          EXPECT_GE(step.alternatives[0].second, step.alternatives[1].second);
          EXPECT_GE(step.alternatives[1].second, step.alternatives[2].second);
        }
      }
    }
  }
}

TEST(Search, ASourcesAnswersDoNotDependOnTheOthers) {
  const Table table = random_table(6);
  std::vector<int> most_steps;
  for (int s = 0; s < 25; ++s) most_steps.push_back(1 + s * 7 % 6);
  for (const int beam : {1, 4}) {
    const auto together = find(table, options(beam, beam), most_steps);
    for (int s = 0; s < 25; ++s) {
      const Table one = [&](int, const Path& written) { return table(s, written); };
      expect_answers(find_one(one, options(beam, beam), most_steps[s]), together[s]);
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
}  // namespace fovea
