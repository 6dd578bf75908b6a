#include "show/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/utf8.h"
#include "examples.h"

namespace fovea::json_test {
namespace {

std::string message_of(const std::string& text) {
  try {
    output_from_json(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data);
    return error.what();
  }
  return "no error";
}

TEST(Json, HasTheDocumentedShape) {
  Output output = example("a ", "b", {1});
  output.steps[0].copy_gate = 0.5;
  const std::string line = output_to_json(output);
  EXPECT_EQ(line.find('\n'), line.npos);
  EXPECT_EQ(
      line,
      R"({"schema":"fovea.explanation/1","source":{"text":"a ","tokens":[{"text":"a","start":0,"end":1},)"
      R"({"text":" ","start":1,"end":2},{"text":"</s>","start":2,"end":2}]},"text":"b","score":-0.25,"finished":true,)"
      R"("maps":[{"layer":0,"head":0,"source":"source"}],"steps":[{"token":"b","probability":0.5,)"
      R"("alternatives":[{"token":"b","probability":0.5},{"token":"x","probability":0.125}],)"
      R"("looks":[{"scores":[-1.5,-1.5,-1.5],"weights":[0.05,0.9,0.05],"context_norm":2.25}],"copy_gate":0.5},)"
      R"({"token":"</s>","probability":0.75,"alternatives":[{"token":"</s>","probability":0.75},)"
      R"({"token":"x","probability":0.125}],"looks":[{"scores":[-1.5,-1.5,-1.5],"weights":[0.05,0.9,0.05],)"
      R"("context_norm":2.25}]}],"nbest":[{"text":"b","score":-0.25,"finished":true},)"
      R"({"text":"another","score":-3.5,"finished":true}]})");
}

TEST(Json, SaysWhatIsUnfinishedAndWhichFeaturesWereRead) {
  Output output = example("a", "b");
  EXPECT_EQ(output_to_json(output).find("features"), std::string::npos);
  output.features = "N;PL";
  output.finished = output.nbest[1].finished = false;
  const std::string text = output_to_json(output);
  EXPECT_NE(text.find(R"("source":{"text":"a","features":"N;PL",)"), std::string::npos) << text;
  const Output back = output_from_json(text);
  EXPECT_EQ(back.features, "N;PL");
  EXPECT_FALSE(back.finished);
  EXPECT_TRUE(back.nbest[0].finished);
  EXPECT_FALSE(back.nbest[1].finished);
  auto older = nlohmann::json::parse(text);
  older.erase("finished");
  EXPECT_TRUE(output_from_json(older.dump()).finished);
}

TEST(Json, ReadsBackEveryBit) {
  Output output = example("שלום 日本", "e\u0301\"\\\n", {3, 1}, 2);
  output.score = -0.1 - 1e-17 * 3;
  output.steps[0].copy_gate = 1.0 / 3;
  output.steps[0].looks[0].weights = {0.1f, 1.f / 3, std::nextafter(1.f, 0.f), 1e-38f, 1e-45f, 0.f, 1.f, -0.f};
  const Output back = output_from_json(output_to_json(output));
  EXPECT_EQ(output_to_json(back), output_to_json(output));
  EXPECT_EQ(back.source_text, output.source_text);
  EXPECT_EQ(back.text, output.text);
  EXPECT_EQ(back.score, output.score);
  EXPECT_EQ(back.steps[0].copy_gate, output.steps[0].copy_gate);
  EXPECT_FALSE(back.steps[1].copy_gate.has_value());
  EXPECT_EQ(back.steps[0].looks[0].weights, output.steps[0].looks[0].weights);
  EXPECT_EQ(back.steps[1].looks.size(), 2u);
  EXPECT_EQ(back.source.back().start, back.source.back().end);
}

TEST(Json, SaysWhichMapIsTheGenerators) {
  Output output = example("ab", "cd", {0}, 2);
  EXPECT_EQ(output_to_json(output).find("\"part\""), std::string::npos);
  output.maps[0].pointing = true;
  const std::string text = output_to_json(output);
  EXPECT_NE(text.find(R"("maps":[{"layer":0,"head":0,"source":"source","part":"generator"},)"), std::string::npos);
  const Output again = output_from_json(text);
  EXPECT_TRUE(again.maps[0].pointing);
  EXPECT_FALSE(again.maps[1].pointing);
}

TEST(Json, HasWhatWasAskedFor) {
  Output output = example("ab", "cd");
  EXPECT_EQ(output_to_json(output).find("saliency"), std::string::npos);
  output.steps[1].saliency = {0.5f, -0.25f, 0};
  output.steps[0].looks[0].query = {1, 2};
  output.steps[0].looks[0].context = {3};
  output.self_maps = {{"encoder", 0, 1, 2, {{1, 0}, {0.25f, 0.75f}}}, {"encoder", 1, 0, 0, {{1}}}};
  output.tree = OutputTree{{{-1, 0, "c", 0.5, -0.7, true}, {0, 1, "<d>", 0.25, -2, false}}, 3};
  const Output again = output_from_json(output_to_json(output));
  EXPECT_EQ(again.steps[1].saliency, output.steps[1].saliency);
  EXPECT_EQ(again.steps[0].looks[0].query, output.steps[0].looks[0].query);
  EXPECT_EQ(again.steps[0].looks[0].context, output.steps[0].looks[0].context);
  ASSERT_EQ(again.self_maps.size(), 2U);
  EXPECT_EQ(again.self_maps[0].weights, output.self_maps[0].weights);
  EXPECT_EQ(again.self_maps[0].layer, 1);
  EXPECT_EQ(again.self_maps[0].head, 2);
  EXPECT_EQ(again.self_maps[1].source, 1);
  ASSERT_TRUE(again.tree);
  EXPECT_EQ(again.tree->left_out, 3U);
  ASSERT_EQ(again.tree->nodes.size(), 2U);
  EXPECT_EQ(again.tree->nodes[0].parent, -1);
  EXPECT_EQ(again.tree->nodes[1].parent, 0);
  EXPECT_EQ(again.tree->nodes[1].token, "<d>");
  EXPECT_FALSE(again.tree->nodes[1].kept);
  output.source[1].named = true;
  EXPECT_FALSE(output_from_json(output_to_json(output)).source[0].named);
  EXPECT_TRUE(output_from_json(output_to_json(output)).source[1].named);
  EXPECT_EQ(output_to_json(output).find("media"), std::string::npos);
  output.media = {{{"image/png", "foo", 64, 32}, 0}, {{"audio/wav", "f", 500, 0}, 1}};
  EXPECT_NE(output_to_json(output).find(R"("media":[{"type":"image/png","width":64,"height":32,"data":"Zm9v"},)"
                                        R"({"type":"audio/wav","width":500,"source":1,"data":"Zg=="}])"),
            std::string::npos);
}

TEST(Json, PiecesStandBesideTheWordsTheyMake) {
  Output output = example("ab", "cd");
  EXPECT_EQ(output_to_json(output).find("pieces"), std::string::npos);
  const Output inner = example("xyz", "w", {1});
  output.pieces = {inner.source, inner.steps, {{"encoder", 0, 1, 2, {{1, 0}}}}, OutputTree{{{-1, 0, "c", 0.5}}}};
  const Output again = output_from_json(output_to_json(output));
  EXPECT_EQ(output_to_json(again), output_to_json(output));
  ASSERT_TRUE(again.pieces);
  EXPECT_EQ(again.pieces->source.size(), inner.source.size());
  ASSERT_EQ(again.pieces->steps.size(), inner.steps.size());
  EXPECT_EQ(again.pieces->steps[0].looks[0].weights, inner.steps[0].looks[0].weights);
  EXPECT_EQ(again.pieces->self_maps.size(), 1u);
  EXPECT_TRUE(again.pieces->tree);
}

TEST(Json, WhatIsLeftOutIsSaid) {
  Output output = example("a", "b");
  EXPECT_EQ(output_to_json(output).find("left_out"), std::string::npos);
  output.left_out = {1, 2, 3};
  const Output back = output_from_json(output_to_json(output));
  EXPECT_EQ(back.left_out.maps, 1u);
  EXPECT_EQ(back.left_out.steps, 2u);
  EXPECT_EQ(back.left_out.positions, 3u);
}

TEST(Json, WritesNoNumberThatIsNone) {
  Output output = example("a", "b");
  output.score = std::numeric_limits<double>::infinity();
  output.steps[0].looks[0].scores = {-std::numeric_limits<float>::infinity(), std::nanf("")};
  const std::string line = output_to_json(output);
  EXPECT_NE(line.find(R"("score":null,)"), line.npos);
  EXPECT_NE(line.find(R"("scores":[null,null])"), line.npos);
  EXPECT_TRUE(std::isnan(output_from_json(line).score));
}

TEST(Json, IsSoundForHostileText) {
  std::vector<std::string> texts = hostile_texts();
  texts.push_back("a\x7F\xC2\x80\xC2\x9B\xC2\xA0\xC3\x85z");
  for (const std::string& text : texts) {
    Output output = example("a", "b");
    output.source_text = output.text = output.steps[0].token = output.source[0].text = output.maps[0].source = text;
    const std::string line = output_to_json(output);
    EXPECT_FALSE(find_invalid_utf8(line));
    EXPECT_FALSE(find_control(line)) << printable(line);
    EXPECT_FALSE(nlohmann::json::parse(line, nullptr, false).is_discarded());
    EXPECT_EQ(output_from_json(line).text, repair_utf8(text));
  }
}

TEST(Json, NamesTheFieldThatIsWrong) {
  const std::string good = output_to_json(example("a", "b"));
  const auto with = [&](const std::string& pointer, nlohmann::json value) {
    auto json = nlohmann::json::parse(good);
    json[nlohmann::json::json_pointer(pointer)] = std::move(value);
    return message_of(json.dump());
  };
  EXPECT_EQ(message_of("{"), "explanation: this is not JSON, or nested too deeply");
  EXPECT_EQ(message_of("[]"), "explanation: the document is array, an object wanted");
  EXPECT_EQ(message_of("{}"), "explanation: schema is missing");
  EXPECT_NE(with("/schema", "fovea.explanation/2").find("fovea.explanation/2"), std::string::npos);
  EXPECT_EQ(with("/text", 3), "explanation: text is number, a string wanted");
  EXPECT_EQ(with("/steps", nullptr), "explanation: steps is null, an array wanted");
  EXPECT_EQ(with("/steps/0/looks/0/weights/1", "x"),
            "explanation: steps[0].looks[0].weights[1] is string, a number wanted");
  EXPECT_EQ(with("/source/tokens/0/start", -1),
            "explanation: source.tokens[0].start is number, a whole number below 2^31 wanted");
  EXPECT_EQ(with("/maps/0/head", 4294967296), "explanation: maps[0].head is number, a whole number below 2^31 wanted");
  EXPECT_EQ(with("/finished", 1), "explanation: finished is number, true or false wanted");
  EXPECT_EQ(with("/later", 1), "no error");
  EXPECT_EQ(message_of(std::string(200000, '[')), "explanation: this is not JSON, or nested too deeply");
}

TEST(Json, DeepNestingIsHarmless) {
  const std::string deep = std::string(100000, '[') + std::string(100000, ']');
  EXPECT_EQ(message_of(deep), "explanation: this is not JSON, or nested too deeply");
}

}  // namespace
}  // namespace fovea::json_test
