// What every metric of the list promises, whatever it measures; and that none is known outside its own file.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "support/source_files.h"
#include "tasks/criterion.h"
#include "tasks/metrics/measurement.h"

namespace fovea::every_metric_test {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;  // reference, answer

const Pairs right = {{"a man sleeps in the green house .", "a man sleeps in the green house ."},
                     {"1999-05-03 and 3,000.5 more of them", "1999-05-03 and 3,000.5 more of them"},
                     {"日本 の 文 です ね", "日本 の 文 です ね"}};
const Pairs nearly = {{"a man sleeps in the green house .", "a man sleeps in the big house ."},
                      {"1999-05-03 and 3,000.5 more of them", "1999-05-03 and 3,000.5 more of them"},
                      {"日本 の 文 です ね", "日本 の 本 です ね"}};
const Pairs wrong = {{"a man sleeps in the green house .", "q"},
                     {"1999-05-03 and 3,000.5 more of them", ""},
                     {"日本 の 文 です ね", "xxxxxxxx xxxxxxxxxxx xxxxxxxxxxxxxx xxxxxxxxxxxxxxxxx x x x x x x x x"}};

Measurement measure(const Pairs& pairs, int times = 1) {
  Measurement measured;
  for (int i = 0; i < times; ++i) {
    for (const auto& [reference, answer] : pairs) measured.add({.references = {&reference, 1}, .text = answer});
  }
  return measured;
}

double value(const Metric& metric, const Pairs& pairs, int times = 1) {
  return measure(pairs, times).values().find(metric.name).value();
}

TEST(EveryMetric, SaysWhatItIs) {
  std::set<std::string_view> names;
  ASSERT_FALSE(metrics().empty());
  for (const Metric* metric : metrics()) {
    EXPECT_TRUE(names.insert(metric->name).second) << metric->name;
    EXPECT_TRUE(std::ranges::all_of(metric->name, [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; }));
    EXPECT_FALSE(metric->title.empty() || metric->description.empty()) << metric->name;
    EXPECT_GT(metric->statistics, 0u) << metric->name;
    EXPECT_GT(metric->most, 0) << metric->name;
  }
}

TEST(EveryMetric, KnowsTheBestTheBetterAndTheWorst) {
  for (const Metric* metric : metrics()) {
    const double best = value(*metric, right), middle = value(*metric, nearly), worst = value(*metric, wrong);
    EXPECT_NEAR(best, metric->higher_is_better ? metric->most : 0, 1e-9) << metric->name;
    const Criterion criterion(metric->name);
    EXPECT_TRUE(criterion.better(best, middle)) << metric->name << ": " << best << " and " << middle;
    EXPECT_TRUE(criterion.better(middle, worst)) << metric->name << ": " << middle << " and " << worst;
    for (const double one : {best, middle, worst}) {
      EXPECT_GE(one, 0) << metric->name;
      EXPECT_LE(one, metric->most) << metric->name;
    }
  }
}

TEST(EveryMetric, DoesNotDependOnOrderOrOnRepetition) {
  Pairs turned = nearly;
  std::ranges::reverse(turned);
  for (const Metric* metric : metrics()) {
    EXPECT_EQ(value(*metric, turned), value(*metric, nearly)) << metric->name;
    EXPECT_NEAR(value(*metric, nearly, 7), value(*metric, nearly), 1e-9) << metric->name;
  }
}

TEST(EveryMetric, OfNothingIsZero) {
  for (const auto& [name, value] : Measurement().values()) EXPECT_EQ(value, 0) << name;
  for (const auto& [name, value] : measure({{"", ""}, {" ", " "}}).values()) EXPECT_TRUE(std::isfinite(value)) << name;
  EXPECT_TRUE(Measurement().by_length().empty());
}

TEST(EveryMetric, StatisticsAreWholeNumbers) {
  for (const Metric* metric : metrics()) {
    for (const auto& [reference, answer] : nearly) {
      std::vector<double> statistics(metric->statistics);
      metric->count({answer, reference, answer == reference ? 0 : 3, 20}, statistics);
      for (const double number : statistics) EXPECT_EQ(number, std::floor(number)) << metric->name;
    }
  }
}

// Half of the answers are right: the interval holds the value, shrinks with the number of answers, and is the same for
// any number of threads.
TEST(EveryMetric, HasAnInterval) {
  Pairs mixed = right;
  mixed.insert(mixed.end(), wrong.begin(), wrong.end());
  Workers one(1), three(3);
  const Measurement few = measure(mixed, 5), many = measure(mixed, 200);
  const auto wide = few.intervals(one), narrow = many.intervals(one), again = many.intervals(three);
  ASSERT_EQ(narrow.size(), metrics().names().size());
  std::size_t i = 0;
  for (const Metric* metric : metrics()) {
    const double found = many.values().find(metric->name).value();
    EXPECT_LT(narrow[i].low, found) << metric->name;
    EXPECT_GT(narrow[i].high, found) << metric->name;
    EXPECT_LT(narrow[i].high - narrow[i].low, 0.4 * (wide[i].high - wide[i].low)) << metric->name;
    EXPECT_EQ(again[i].low, narrow[i].low) << metric->name;
    EXPECT_EQ(again[i].high, narrow[i].high) << metric->name;
    EXPECT_LE(wide[i].high, metric->most) << metric->name;
    ++i;
  }
}

TEST(EveryMetric, CanBeWhatTrainingChoosesBy) {
  const std::vector<std::string> names = Criterion::names();
  for (const Metric* metric : metrics()) {
    EXPECT_NE(std::ranges::find(names, metric->name), names.end());
    const Criterion criterion(metric->name);
    EXPECT_EQ(criterion.higher_is_better(), metric->higher_is_better);
    EXPECT_EQ(criterion.find({{std::string(metric->name), 0.25}}, 7), 0.25);
    EXPECT_FALSE(criterion.find({}, 7)) << "not measured";
    const auto leading = leading_metrics(criterion);
    EXPECT_NE(std::ranges::find(leading, metric), leading.end()) << metric->name;
    EXPECT_LE(leading.size(), 2u);
    EXPECT_EQ(&leading_metric(criterion), metric);
  }
  const Criterion loss("loss");
  EXPECT_EQ(loss.find({}, 7), 7);
  EXPECT_TRUE(loss.better(1, 2));
  EXPECT_THROW(Criterion("beauty"), Error);
}

// As a text of the program: defaults, examples of the help, and its own file.
TEST(EveryMetric, IsNamedNowhereElse) {
  const std::set<std::string> may = {"tasks/config.h", "tasks/defaults.cc"};
  int files = 0;
  for (const auto& [path, text] : read_texts(std::filesystem::path(FOVEA_SOURCE_DIR) / "src")) {
    if (may.contains(path)) continue;
    ++files;
    for (const std::string& name : metrics().names()) {
      if (path == "tasks/metrics/" + name + ".cc") continue;
      EXPECT_EQ(text.find("\"" + name + "\""), std::string::npos) << path << " names " << name;
    }
  }
  EXPECT_GT(files, 200);
}

}  // namespace
}  // namespace fovea::every_metric_test
