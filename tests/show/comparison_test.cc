#include "show/comparison.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "examples.h"
#include "tasks/metrics/metric.h"
#include "xml_check.h"

namespace fovea::comparison_test {
namespace {

using nlohmann::json;

ComparedRun run_of(std::int64_t seed, std::int64_t right, double cer) {
  return {.seed = seed,
          .lines = 100,
          .metrics = {{.name = "exact",
                       .value = static_cast<double>(right) / 100,
                       .better = Better::higher,
                       .interval = wilson_interval(right, 100)},
                      {.name = "cer", .value = cer, .better = Better::lower, .interval = {{cer / 2, 2 * cer}}}},
          .parameters = 1234,
          .updates = 50,
          .train_seconds = 10.0 + static_cast<double>(seed),
          .predict_seconds = 0.2,
          .peak_mib = 40.0 + static_cast<double>(seed),
          .examples = {example("abc", "xyz"), example("de", "vw", {0}, 3)}};
}

// Two settings that work, one with seeds that failed, and one that cannot be.
Comparison example_comparison(std::int64_t seeds) {
  Comparison c;
  c.command = "fovea compare data.tsv --vary attention.score=all";
  c.names = {"attention.score", "attention.bias"};
  c.budget = "2m";
  c.metric = "exact";
  c.seeds = seeds;
  c.threads = 2;
  c.training_lines = 900;
  c.held_out_lines = 100;
  c.targets = {"xyz", "something else"};
  c.rows = {{{"additive", ""}, {}, ""}, {{"dot", "markov"}, {}, "cannot: sizes 8 and 16 differ"}};
  for (std::int64_t seed = 1; seed <= seeds; ++seed) {
    c.rows[0].runs.push_back(run_of(seed, 93 + 2 * (seed % 3), 0.01 * static_cast<double>(seed)));
  }
  return c;
}

std::vector<std::string> lines_of(const std::string& text, char end = '\n') {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line, end);) lines.push_back(line);
  return lines;
}

const Figure& figure(const ComparedFigures& f, std::string_view name) {
  const Figure* found = find_figure(f.metrics, name);
  if (!found) throw std::runtime_error("no " + std::string(name));
  return *found;
}

TEST(Comparison, OneSeedHasIntervalsOverTheLines) {
  const ComparedFigures f = figures_of(example_comparison(1).rows[0], 1);
  EXPECT_DOUBLE_EQ(figure(f, "exact").value, 0.95);
  ASSERT_TRUE(figure(f, "exact").interval);
  EXPECT_NEAR(figure(f, "exact").interval->low, 0.8882, 5e-5);
  EXPECT_NEAR(figure(f, "exact").interval->high, 0.9785, 5e-5);
  EXPECT_NEAR(figure(f, "cer").interval->high, 0.02, 1e-12);
  EXPECT_EQ(f.metrics.size(), 2u) << "what was not measured is not there";
  EXPECT_DOUBLE_EQ(f.predict_ms, 2);
}

TEST(Comparison, SeveralSeedsHaveStudentsIntervalInsideWhatIsPossible) {
  const ComparedFigures f = figures_of(example_comparison(3).rows[0], 3);  // 0.95, 0.97, 0.93
  EXPECT_NEAR(figure(f, "exact").value, 0.95, 1e-12);
  EXPECT_NEAR(figure(f, "exact").interval->low, 0.95 - 4.302653 * 0.02 / 1.7320508, 1e-7);
  EXPECT_NEAR(figure(f, "exact").interval->high, 0.95 + 4.302653 * 0.02 / 1.7320508, 1e-7);
  EXPECT_NEAR(figure(f, "cer").value, 0.02, 1e-12);
  EXPECT_EQ(figure(f, "cer").interval->low, 0);  // 0.02 - 0.0248
  EXPECT_NEAR(figure(f, "cer").interval->high, 0.02 + 4.302653 * 0.01 / 1.7320508, 1e-7);
  EXPECT_DOUBLE_EQ(f.train_seconds, 12);
  EXPECT_EQ(f.peak_mib, 43) << "the most of all seeds";
  EXPECT_EQ(f.parameters, 1234);

  ComparedSettings wide{{"x"}, {run_of(1, 100, 0), run_of(2, 90, 0)}, ""};
  EXPECT_EQ(figure(figures_of(wide, 2), "exact").interval->high, 1);
  ComparedSettings lonely{{"x"}, {run_of(1, 100, 0)}, "failed: by chance"};
  EXPECT_FALSE(figure(figures_of(lonely, 2), "exact").interval) << "one seed of two says nothing about seeds";
}

TEST(Comparison, TableHasARowForEachAndSaysWhichInterval) {
  const auto one = lines_of(draw_comparison(example_comparison(1)));
  ASSERT_EQ(one.size(), 6u);
  EXPECT_EQ(one[0], "2 combinations, 1 seed, budget 2m each, 2 threads; 900 lines to train on, 100 held out");
  EXPECT_NE(one[1].find("over the held-out lines"), std::string::npos);
  EXPECT_EQ(one[3],
            "attention.score  attention.bias  exact                    cer                      parameters  train s  "
            "ms/line  peak MiB");
  EXPECT_EQ(one[4],
            "additive         (none)          0.9500 [0.8882, 0.9785]  0.0100 [0.0050, 0.0200]        1234     11.0  "
            "  2.000        41");
  EXPECT_EQ(one[5], "dot              markov          cannot: sizes 8 and 16 differ");
  EXPECT_NE(lines_of(draw_comparison(example_comparison(3)))[1].find("Student"), std::string::npos);
}

TEST(Comparison, TsvIsRectangular) {
  Comparison c = example_comparison(1);
  c.rows[1].trouble = "failed: a\ttab and\na line";
  const auto lines = lines_of(comparison_to_tsv(c));
  ASSERT_EQ(lines.size(), 3u);
  const std::size_t metric_columns = 3 * metrics().names().size(), after = 2 + metric_columns;
  for (const std::string& line : lines) EXPECT_EQ(std::ranges::count(line, '\t'), after + 5) << line;
  const auto names = lines_of(lines[0], '\t'), values = lines_of(lines[1] + "\t.", '\t');
  EXPECT_EQ(names[2], "exact");
  EXPECT_EQ(values[2], "0.95");
  EXPECT_EQ(names[5], "cer");
  EXPECT_EQ(names[7], "cer_high");
  EXPECT_EQ(values[7], "0.02");
  EXPECT_EQ(names[after], "parameters");
  EXPECT_EQ(values[after], "1234");
  EXPECT_EQ(names[after + 3], "peak_mib");
  EXPECT_EQ(values[after + 3], "41");
}

TEST(Comparison, JsonHasFiguresRunsAndTroubles) {
  const std::string text = comparison_to_json(example_comparison(3));
  EXPECT_EQ(text.find('\n'), text.size() - 1);
  const json object = json::parse(text);
  EXPECT_EQ(object["interval"], "seeds");
  EXPECT_EQ(object["rows"].size(), 2u);
  const json &row = object["rows"][0], &impossible = object["rows"][1];
  EXPECT_EQ(row["settings"]["attention.score"], "additive");
  EXPECT_NEAR(row["exact"]["mean"].get<double>(), 0.95, 1e-12);
  EXPECT_LT(row["exact"]["low"], 0.95);
  EXPECT_GT(row["cer"]["high"], 0.02);
  EXPECT_EQ(row["runs"].size(), 3u);
  EXPECT_EQ(row["runs"][1]["seed"], 2);
  EXPECT_FALSE(row.contains("trouble"));
  EXPECT_EQ(impossible["trouble"], "cannot: sizes 8 and 16 differ");
  EXPECT_FALSE(impossible.contains("exact"));
}

TEST(Comparison, PageShowsTheSameLinesSideBySide) {
  Comparison c = example_comparison(1);
  c.rows.push_back(c.rows[0]);
  const std::string text = draw_comparison_page(c);
  const XmlCheck page(text);
  ASSERT_EQ(page.problem, "");
  EXPECT_EQ(page.named("svg").size(), 2 * (1 + 3u));
  EXPECT_EQ(page.named("details").size(), 2u) << "one for each output with several maps";
  EXPECT_NE(text.find("cannot: sizes 8 and 16 differ"), text.npos);
  EXPECT_NE(text.find("<span class=\"good\">✓</span> <bdi>xyz</bdi>"), text.npos);
  EXPECT_NE(text.find("<span class=\"bad\">✗</span> <bdi>vw</bdi>"), text.npos);
}

TEST(Comparison, PageHasTheCurvesOfAllRunsOverOneAnother) {
  Comparison c = example_comparison(1);
  EXPECT_EQ(draw_comparison_page(c).find("held-out loss"), std::string::npos) << "none are known";
  for (int i = 0; i < 9; ++i) {
    RunReport run;
    run.title = "setting" + std::to_string(i);
    run.metric = "exact";
    run.points = {{.update = 10, .loss = 2, .held_out_loss = 1 + i, .score = 0},
                  {.update = 20, .loss = 1, .held_out_loss = i, .score = 0}};
    c.curves.push_back(run);
  }
  const std::string text = draw_comparison_page(c);
  const XmlCheck page(text);
  ASSERT_EQ(page.problem, "");
  const std::size_t chart = text.find("<title>held-out loss</title>"), end = text.find("</svg>", chart);
  ASSERT_NE(chart, text.npos);
  const std::string drawn = text.substr(chart, end - chart);
  for (const RunReport& run : c.curves) {
    const std::size_t name = drawn.find(">" + run.title + "</text>");
    ASSERT_NE(name, drawn.npos);
    EXPECT_LT(std::stod(drawn.substr(drawn.rfind("x=\"", name) + 3)), 400) << "in rows that end in the picture";
  }
  EXPECT_NE(drawn.find("<title>20\n setting0 0\n"), drawn.npos) << "a line each where the pointer rests";
}

TEST(Comparison, HostileTextsStayTexts) {
  for (const std::string& text : hostile_texts()) {
    Comparison c = example_comparison(1);
    c.rows[0].values[0] = c.rows[1].trouble = c.command = c.targets[0] = text;
    c.rows[0].runs[0].examples[0] = example("a", "b");
    c.rows[0].runs[0].examples[0].text = text;
    const XmlCheck page(draw_comparison_page(c));
    EXPECT_EQ(page.problem, "") << text;
    EXPECT_TRUE(page.named("script").empty() && page.named("img").empty());
    EXPECT_EQ(draw_comparison(c).find('\x1b'), std::string::npos);
    EXPECT_TRUE(json::accept(comparison_to_json(c)));
  }
}

}  // namespace
}  // namespace fovea::comparison_test
