#include "show/model_card.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <sstream>

namespace fovea::model_card_test {
namespace {

ModelCard date_card() {
  return {.name = "runs/dates",
          .task = "transduce",
          .config_toml = "task = \"transduce\"\n\n[encoder]\nsize = 128\n",
          .training_lines = 9000,
          .held_out_lines = 1000,
          .weights = 312345,
          .metrics = {{"exact", 0.997}, {"cer", 0.00001}},
          .updates = 1410,
          .seconds = 42.25,
          .instruction_set = "AVX2",
          .version = "0.1.0",
          .data_hash = "00ff00ff",
          .command = "fovea train dates.tsv -o runs/dates"};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

bool has_line(const std::string& text, const std::string& wanted) {
  for (const std::string& line : lines_of(text)) {
    if (line == wanted) return true;
  }
  return false;
}

// The lines between the delimiters; empty if they do not stand where they must.
std::vector<std::string> front_matter(const std::string& card) {
  const auto lines = lines_of(card);
  if (lines.empty() || lines[0] != "---") return {};
  const auto end = std::find(lines.begin() + 1, lines.end(), "---");
  return end == lines.end() ? std::vector<std::string>{} : std::vector<std::string>(lines.begin() + 1, end);
}

TEST(ModelCard, FrontMatterHasTheFormOfModelIndex) {
  const std::vector<std::string> wanted = {"library_name: fovea",
                                           "tags:",
                                           "- fovea",
                                           "- \"transduce\"",
                                           "metrics:",
                                           "- \"exact\"",
                                           "- \"cer\"",
                                           "model-index:",
                                           "- name: \"runs/dates\"",
                                           "  results:",
                                           "  - task:",
                                           "      type: \"transduce\"",
                                           "    dataset:",
                                           "      name: held-out lines",
                                           "      type: lines",
                                           "      revision: \"00ff00ff\"",
                                           "    metrics:",
                                           "    - type: \"exact\"",
                                           "      value: 0.997",
                                           "    - type: \"cer\"",
                                           "      value: 0.00001"};
  EXPECT_EQ(front_matter(draw_model_card(date_card())), wanted);
}

TEST(ModelCard, SaysWhatAReaderNeeds) {
  const std::string card = draw_model_card(date_card());
  for (const char* line :
       {"# runs/dates", "fovea predict runs/dates lines.txt    # one answer a line", "| lines trained on | 9000 |",
        "| lines held out | 1000 |", "| hash of both | 00ff00ff |", "| exact | 0.997 |", "size = 128",
        "1410 updates in 42.2 seconds, with Fovea 0.1.0 on AVX2.", "fovea train dates.tsv -o runs/dates", "```toml"}) {
    EXPECT_TRUE(has_line(card, line)) << line << "\nis not in\n" << card;
  }
  EXPECT_NE(card.find("trained on 9000 lines"), std::string::npos);
  EXPECT_NE(card.find("not why it answered"), std::string::npos);
  EXPECT_NE(card.find("312345 weights"), std::string::npos);
}

TEST(ModelCard, NumbersAreNumbersOfYaml) {
  ModelCard card = date_card();
  card.metrics = {{"a", 1}, {"b", 34.5}, {"c", std::numeric_limits<double>::quiet_NaN()}, {"d", -1.0 / 0.0}};
  const std::string text = draw_model_card(card);
  EXPECT_TRUE(has_line(text, "      value: 1.0"));
  EXPECT_TRUE(has_line(text, "      value: 34.5"));
  EXPECT_TRUE(has_line(text, "      value: .nan"));
  EXPECT_TRUE(has_line(text, "      value: -.inf"));
  EXPECT_TRUE(has_line(text, "| c | not a number |"));
}

TEST(ModelCard, WithoutMeasurements) {
  ModelCard card = date_card();
  card.metrics = {};
  const std::string text = draw_model_card(card);
  EXPECT_EQ(front_matter(text).size(), 4u);
  EXPECT_TRUE(has_line(text, "It has not been measured."));
}

TEST(ModelCard, HostileTextStaysInItsPlace) {
  ModelCard card = date_card();
  const std::string evil = "a\"b\\c\n---\n<b>|x|\x1b[31m`\xff";
  card.name = card.task = card.data_hash = card.version = card.instruction_set = card.command = evil;
  card.metrics = {{evil, 0.5}};
  const std::string text = draw_model_card(card);

  const std::string quoted = R"("a\"b\\c␊---␊<b>|x|␛[31m`�")";
  const auto front = front_matter(text);
  ASSERT_EQ(front.size(), 18u) << text;  // as many lines as for harmless text
  EXPECT_EQ(front[3], "- " + quoted);
  EXPECT_EQ(front[7], "- name: " + quoted);
  EXPECT_TRUE(has_line(text, R"(| a"b\\c␊---␊\<b\>\|x\|␛\[31m\`� | 0.5 |)")) << text;
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  const auto lines = lines_of(text);
  EXPECT_EQ(std::count(lines.begin(), lines.end(), "---"), 2);
}

TEST(ModelCard, CodeCannotLeaveItsBlock) {
  ModelCard card = date_card();
  card.config_toml = "a = '''\n```\n# out?\n````\n'''";
  const std::string text = draw_model_card(card);
  EXPECT_TRUE(has_line(text, "`````toml"));
  EXPECT_TRUE(has_line(text, "`````"));
  EXPECT_TRUE(has_line(text, "'''"));
}

TEST(ModelCard, CommandsQuoteTheFolder) {
  ModelCard card = date_card();
  card.name = "it's; rm";
  EXPECT_TRUE(has_line(draw_model_card(card), R"(fovea predict 'it'\''s; rm' lines.txt    # one answer a line)"));
  card.name = "-o";
  EXPECT_TRUE(has_line(draw_model_card(card), "fovea predict ./-o lines.txt    # one answer a line"));
  card.name = "";
  EXPECT_TRUE(has_line(draw_model_card(card), "fovea predict '' lines.txt    # one answer a line"));
}

}  // namespace
}  // namespace fovea::model_card_test
