#include "show/html.h"

#include <gtest/gtest.h>

#include "examples.h"
#include "show/report.h"
#include "xml_check.h"

namespace fovea::html_test {
namespace {

RunReport example_report() {
  RunReport report{"dates", "fovea train dates.tsv", "exact", true, {}, {}, {date_example()}, {{"seed", "1"}}};
  for (int i = 1; i <= 5000; ++i) {
    RunPoint point{i, i / 100.0, i * 0.5, 3.0 / i, {}, {}};
    if (i % 1000 == 0) point.held_out_loss = 4.0 / i, point.score = i == 3000 ? 0.75 : 0.5;
    report.points.push_back(point);
  }
  report.validations = {{1000, {{"early", "b", "c", false}}}, {2000, {{"late", "b", "b", true}}}};
  return report;
}

// Nothing is fetched, nothing runs.
void expect_harmless(const XmlCheck& html) {
  for (const XmlElement& element : html.elements) {
    for (const char* name : {"script", "img", "iframe", "link", "object", "a", "form", "use"}) {
      EXPECT_NE(element.name, name);
    }
    for (const auto& [key, value] : element.attributes) {
      EXPECT_FALSE(key.starts_with("on") || key == "src" || key == "href" || key == "style") << key;
    }
  }
}

TEST(Html, IsAWholePageWithAPolicy) {
  const std::string text = draw_html(example("ab", "xyz", {0, 1, 2}, 2));
  const XmlCheck html(text);
  ASSERT_EQ(html.problem, "");
  expect_harmless(html);
  EXPECT_NE(text.find("default-src 'none'"), text.npos);
  EXPECT_NE(text.find("prefers-color-scheme: dark"), text.npos);
  EXPECT_NE(text.find("Attention shows where the model read, not why it answered."), text.npos);
  EXPECT_EQ(html.named("svg").size(), 2u);
  EXPECT_EQ(html.named("table").size(), 4u);  // two of weights, steps, best answers
  EXPECT_NE(text.find("<bdi>another</bdi>"), text.npos);
  EXPECT_NE(text.find("<td>0.900</td>"), text.npos);
}

TEST(Html, WarnsBesideTheMap) {
  const std::string text = draw_html(example("abc", "xyz", {3}));
  EXPECT_NE(text.find("<p class=\"warning\">90 % of the weight"), text.npos);
}

TEST(Html, ShowsTheCopyGateOnlyIfThereIsOne) {
  Output output = example("ab", "x");
  EXPECT_EQ(draw_html(output).find("copy gate"), std::string::npos);
  output.steps[0].copy_gate = 0.25;
  const std::string text = draw_html(output);
  EXPECT_EQ(XmlCheck(text).problem, "");
  EXPECT_NE(text.find("copy gate"), text.npos);
  EXPECT_NE(text.find(" 25.0%"), text.npos);
}

TEST(Html, WithoutMapsAndWithoutAnything) {
  for (const Output& output : {example("a", "b", {0}, 0), Output{}}) {
    const std::string text = draw_html(output);
    EXPECT_EQ(XmlCheck(text).problem, "");
    EXPECT_NE(text.find("This model has no attention"), text.npos);
  }
}

TEST(Html, HostileTextStaysText) {
  for (const std::string& text : hostile_texts()) {
    Output output = example("a", "b");
    output.source_text = output.text = output.steps[0].token = output.source[0].text = output.maps[0].source = text;
    output.nbest[0].text = output.steps[0].alternatives[0].token = text;
    const XmlCheck html(draw_html(output));
    EXPECT_EQ(html.problem, "") << text;
    expect_harmless(html);

    RunReport report = example_report();
    report.title = report.command = report.metric = report.facts[0].first = report.facts[0].second = text;
    report.validations[0].samples[0] = {text, text, text, false};
    report.maps = {output};
    const XmlCheck whole(draw_report(report));
    EXPECT_EQ(whole.problem, "") << text;
    expect_harmless(whole);
  }
}

TEST(Report, HasCurvesSamplesMapsAndFacts) {
  const std::string text = draw_report(example_report());
  const XmlCheck html(text);
  ASSERT_EQ(html.problem, "");
  expect_harmless(html);
  EXPECT_EQ(html.named("svg").size(), 3u);
  EXPECT_NE(text.find("Best exact on the held-out lines: <strong>0.75</strong>, at update 3000."), text.npos);
  EXPECT_NE(text.find("<code>fovea train dates.tsv</code>"), text.npos);
  EXPECT_NE(text.find("<th>seed</th>"), text.npos);
  EXPECT_LT(text.find("<bdi>late</bdi>"), text.find("<bdi>early</bdi>"));
  EXPECT_NE(text.find("<td class=\"good\">✓</td><td class=\"text\"><bdi>late</bdi>"), text.npos);
  EXPECT_NE(text.find("<td class=\"bad\">✗</td><td class=\"text\"><bdi>early</bdi>"), text.npos);
}

TEST(Report, HasErrorsSettingsAndCurvesOfSeveralRuns) {
  RunReport report = example_report();
  report.settings = "seed = 1  # <of all>\n";
  report.worst = {{"<src>", "abc", "xyz", 3}};
  report.confusions = {{"a", "", 7}, {" ", "b", 2}};
  report.second_metric = "CER";
  for (RunPoint& point : report.points) {
    point.second = 0.25;
    point.rate = 0.002;
    point.gradient = 1;
  }
  const std::string text = draw_report(report);
  const XmlCheck html(text);
  ASSERT_EQ(html.problem, "");
  expect_harmless(html);
  EXPECT_EQ(html.named("svg").size(), 6u) << "loss, two metrics, rate, gradient, map";
  for (const char* part : {"# &lt;of all&gt;", "<bdi>&lt;src&gt;</bdi>", "nothing", "<bdi>␣</bdi>", "learning rate"}) {
    EXPECT_NE(text.find(part), text.npos) << part;
  }
  EXPECT_NE(text.find("class=\"hover\""), text.npos);
  RunReport other = report;
  other.title = "other";
  const std::vector<RunReport> both = {report, other};
  const std::string compared = draw_reports(both);
  EXPECT_EQ(XmlCheck(compared).problem, "");
  EXPECT_NE(compared.find("held-out loss"), compared.npos);
  EXPECT_NE(compared.find(">other</text>"), compared.npos);
}

TEST(Report, LowerCanBeBetter) {
  RunReport report = example_report();
  report.higher_is_better = false;
  EXPECT_NE(draw_report(report).find("<strong>0.5</strong>, at update 1000."), std::string::npos);
}

TEST(Report, SaysWhatIsLeftOut) {
  RunReport report = example_report();
  EXPECT_EQ(draw_report(report).find("Shown are"), std::string::npos);
  EXPECT_EQ(draw_report(report).find("earlier validations"), std::string::npos);
  report.maps[0].left_out = {3, 20, 84};
  report.earlier_validations = 7;
  const std::string text = draw_report(report);
  EXPECT_NE(text.find("Shown are the first 16 of 100 source positions, 11 of 31 output steps and 1 of 4 maps."),
            text.npos);
  EXPECT_NE(text.find("The samples of 7 earlier validations are left out."), text.npos);
}

TEST(Report, CanBeEmpty) {
  const std::string text = draw_report({});
  EXPECT_EQ(XmlCheck(text).problem, "");
  EXPECT_NE(text.find("Nothing has been recorded yet."), text.npos);
}

}  // namespace
}  // namespace fovea::html_test
