#include "show/heat_map.h"

#include <gtest/gtest.h>

#include "base/as_size.h"
#include "base/error.h"
#include "examples.h"
#include "show/shaded_text.h"
#include "show/steps_table.h"

namespace fovea::heat_map_test {
namespace {

HeatMap map_of(const std::vector<std::vector<double>>& rows) {
  HeatMap map;
  for (const auto& row : rows) {
    map.rows.push_back(label_of("r"));
    map.weights.insert(map.weights.end(), row.begin(), row.end());
  }
  for (std::size_t i = 0; i < rows[0].size(); ++i) map.columns.push_back(label_of("c"));
  return map;
}

// By hand: 1 - 6 sum d^2 / (n (n^2 - 1)); with ties scipy.stats.spearmanr([1, 2, 2, 3], [1, 3, 2, 4]).
TEST(HeatMap, RankCorrelationIsSpearmans) {
  EXPECT_NEAR(*rank_correlation(map_of({{1, 2, 3, 4, 5}}), map_of({{2, 1, 4, 3, 5}})), 0.8, 1e-12);
  EXPECT_NEAR(*rank_correlation(map_of({{1, 10, 100}}), map_of({{3, 2, 1}})), -1, 1e-12);
  EXPECT_NEAR(*rank_correlation(map_of({{1, 2, 2, 3}}), map_of({{1, 3, 2, 4}})), 0.9486832980505138, 1e-12);
  EXPECT_NEAR(*rank_correlation(map_of({{1, 2, 3}, {1, 2, 3}}), map_of({{1, 2, 3}, {3, 2, 1}})), 0, 1e-12);
  EXPECT_NEAR(*rank_correlation(map_of({{1, 2, 3}, {1, 1, 1}}), map_of({{1, 2, 3}, {3, 2, 1}})), 1, 1e-12)
      << "a step that is all alike does not count";
  EXPECT_FALSE(rank_correlation(map_of({{1, 1, 1}}), map_of({{1, 2, 3}})));
  EXPECT_FALSE(rank_correlation(map_of({{1, 2}}), map_of({{1, 2, 3}})));
}

TEST(HeatMap, SaliencyIsShownAsShares) {
  Output output = example("ab", "x");
  EXPECT_TRUE(saliency_map(output).rows.empty());
  for (OutputStep& step : output.steps) step.saliency = {-3, 0, 1};
  const HeatMap map = saliency_map(output);
  ASSERT_EQ(map.rows.size(), 2U);
  EXPECT_DOUBLE_EQ(map.weight(0, 0), 0.75);
  EXPECT_DOUBLE_EQ(map.weight(1, 2), 0.25);
}

TEST(HeatMap, OwnMapsHaveNamesOfTheirPart) {
  Output output = example("ab", "x");
  output.self_maps = {{"encoder", 0, 0, 0, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
                      {"decoder", 0, 0, 1, {{1, 0}, {0.5f, 0.5f}}}};
  const HeatMap encoder = own_map(output, 0), decoder = own_map(output, 1);
  EXPECT_EQ(encoder.columns[0].text, "a");
  EXPECT_EQ(encoder.rows[2].text, "⏎");
  EXPECT_EQ(decoder.columns[0].text, "▷");
  EXPECT_EQ(decoder.rows[1].text, "x");
  EXPECT_DOUBLE_EQ(decoder.weight(1, 1), 0.5);
}

TEST(HeatMap, ChoosesByLayerAndHead) {
  Output output = example("ab", "x", {0}, 4);
  for (int i = 0; i < 4; ++i) output.maps[as_size(i)] = {i / 2, i % 2, "source"};
  output.steps[0].looks[3].weights[0] = 0.125f;
  const Output one = choose_maps(output, 1, 1);
  ASSERT_EQ(one.maps.size(), 1U);
  EXPECT_EQ(one.steps[0].looks[0].weights[0], 0.125f);
  EXPECT_EQ(choose_maps(output, -1, 0).maps.size(), 2U);
  EXPECT_EQ(choose_maps(output, -1, -1).maps.size(), 4U);
  EXPECT_THROW(choose_maps(output, 2, -1), Error);
}

TEST(HeatMap, ThePictureIsOfTheMeanOfTheLastLayersHeadsUnlessOneIsChosen) {
  Output output = example("ab", "x", {0}, 4);
  for (int i = 0; i < 4; ++i) output.maps[as_size(i)] = {i / 2, i % 2, "source"};
  output.steps[0].looks[2].weights[0] = 0.5f;
  output.steps[0].looks[3].weights[0] = 0.125f;
  const Output drawn = maps_to_draw(output, -1, -1);
  EXPECT_EQ(drawn.maps.size(), 5U) << "all others are still there";
  EXPECT_EQ(map_title(drawn, 0), "layer 1, mean of 2 heads");
  EXPECT_EQ(drawn.steps[0].looks[0].weights[0], 0.3125f);
  EXPECT_EQ(draw_steps(drawn).find("mean of"), std::string::npos) << "which has no scores";
  EXPECT_EQ(map_title(maps_to_draw(output, 0, -1), 0), "layer 0, mean of 2 heads");
  const Output chosen = maps_to_draw(output, 1, 0);
  ASSERT_EQ(chosen.maps.size(), 1U);
  EXPECT_EQ(map_title(chosen, 0), "layer 1, head 0");
  EXPECT_EQ(chosen.steps[0].looks[0].weights[0], 0.5f);
  for (int i = 0; i < 4; ++i) output.maps[as_size(i)] = {i, 0, "source"};
  EXPECT_EQ(map_title(maps_to_draw(output, -1, -1), 0), "layer 3, head 0") << "no mean of one";
  EXPECT_EQ(maps_to_draw(output, -1, -1).steps[0].looks[0].weights[0], 0.125f);
  const Output only = example("ab", "x");
  EXPECT_EQ(map_title(maps_to_draw(only, -1, -1), 0), "attention");
}

TEST(HeatMap, ThePictureIsOfWhereTheGeneratorPoints) {
  Output output = example("abc", "b", {1}, 3);
  output.maps[0].pointing = true;
  output.steps[0].looks[0].weights = {0, 0, 1, 0};
  const Output drawn = maps_to_draw(output, -1, -1);
  EXPECT_EQ(drawn.maps.size(), 3U);
  EXPECT_EQ(map_title(drawn, 0), "pointing");
  EXPECT_EQ(heat_map_of(drawn, 0).weight(0, 2), 1);
  const Output attention = maps_to_draw(output, 0, -1);
  EXPECT_EQ(map_title(attention, 0), "layer 0, mean of 2 heads") << "where it points has no layer";
  EXPECT_EQ(choose_maps(output, -1, 1).maps.size(), 1U);
  output = choose_maps(output, -1, -1);
  output.maps.pop_back();
  EXPECT_EQ(map_title(output, 1), "attention") << "the only one";
  EXPECT_NE(draw_steps(output).find("  pointing\n"), std::string::npos) << "no context is read";
  output.maps.pop_back();
  output.maps[0].source = "past";
  output.source[0] = {"<s>", 0, 0};
  output.source[0].named = true;
  EXPECT_EQ(map_title(output, 0), "pointing into past");
  EXPECT_EQ(heat_map_of(output, 0).columns[0].text, start_label().text);
  EXPECT_THROW(choose_maps(output, 0, -1), Error);
}

TEST(ShadedText, IsRelativeAndWraps) {
  HeatMap map = map_of({{0.01, 0.02, 0.005, 0}});
  map.spaced = {false, true, true, true};
  const auto lines = shaded_lines(map);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_DOUBLE_EQ(relative(lines[0], 1), 1);
  EXPECT_DOUBLE_EQ(relative(lines[0], 0), 0.5);
  const Wrapped wrapped = wrap(map, 3);
  EXPECT_EQ(wrapped.lines, 2U);
  EXPECT_EQ(wrapped.place, (std::vector<int>{0, 2, 0, 2}));
  EXPECT_EQ(shaded_lines(map_of(std::vector(20, std::vector<double>{1, 0}))).size(), 1U) << "all steps together";
}

TEST(ShadedText, NamesOfMomentsDoNotRunTogether) {
  Output output = example("ab", "x");
  EXPECT_EQ(heat_map_of(output, 0).spaced, (std::vector<bool>{false, false, false}));
  output.source[0].named = output.source[1].named = true;
  EXPECT_EQ(heat_map_of(output, 0).spaced, (std::vector<bool>{false, true, true}));
}

TEST(ShadedText, SentencesBeginLinesAndHaveShares) {
  HeatMap map = map_of({{0.1, 0.2, 0.6, 0.1}, {0.1, 0.2, 0.2, 0.5}});
  map.sentences = {0, 0, 1, -1};
  const Wrapped wrapped = wrap(map, 40);
  EXPECT_EQ(wrapped.line, (std::vector<std::size_t>{0, 0, 1, 2}));
  EXPECT_EQ(wrapped.place, (std::vector<int>{8, 9, 8, 8}));
  const auto shares = sentence_shares(map, shaded_lines(map)[0], wrapped);
  ASSERT_EQ(shares.size(), 3U);
  EXPECT_DOUBLE_EQ(shares[0].weight, 0.3);
  EXPECT_DOUBLE_EQ(shares[0].relative, 0.5);
  EXPECT_DOUBLE_EQ(shares[1].relative, 1);
  EXPECT_EQ(shares[2].line, 2U);
  const ShadedLine all = {{"all", "all steps", 3}, false, 0, coverage(map)};
  EXPECT_DOUBLE_EQ(sentence_shares(map, all, wrapped)[1].weight, 0.4) << "mean over the steps";
}

TEST(StepsTable, HasEveryNumber) {
  Output output = example("ab", "x", {1});
  output.steps[0].saliency = {0.25f, -0.5f, 0};
  const std::string text = draw_steps(output);
  for (const char* part :
       {"ab\n→ x  (score", "step 0: x 0.5000", "0.9000", "-1.5000", "-0.5000", "+0.2500", "step 1: ⏎"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

}  // namespace
}  // namespace fovea::heat_map_test
