// What is asked of a model: every key by the option tables, and everything else refused by its name.
#include "server/inquiry.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/as_size.h"
#include "server/http.h"
#include "server/openapi.h"
#include "support/process.h"

namespace fovea::inquiry_test {
namespace {

std::pair<int, std::string> refusal(std::string_view body, bool explain = false) {
  try {
    parse_inquiry(body, explain);
    return {0, ""};
  } catch (const HttpError& e) {
    return {e.status(), e.what()};
  }
}

TEST(Inquiry, TakesLinesOrATextAndOptions) {
  const Inquiry two = parse_inquiry(R"({"model":"m","lines":["a","b\u0000"],"beam":4,"nbest":2,"prefix":"x"})", false);
  EXPECT_EQ(two.model, "m");
  EXPECT_EQ(two.lines, (std::vector<std::string>{"a", std::string("b\0", 2)}));
  EXPECT_EQ(two.options.search.beam, 4);
  EXPECT_EQ(two.options.search.nbest, 2);
  EXPECT_EQ(two.options.predict_options().open_files, OpenFiles::none) << "no file is opened for whoever asks";
  EXPECT_EQ(parse_inquiry(R"({"text":""})", false).lines, std::vector<std::string>{""});
  EXPECT_TRUE(parse_inquiry(R"({"lines":[]})", false).lines.empty());
}

TEST(Inquiry, ExplanationsHaveOptionsOfTheirOwn) {
  const Inquiry asked = parse_inquiry(R"({"text":"a","beam":3,"alternatives":7,"target":"b"})", true);
  EXPECT_EQ(asked.options.search.nbest, 3) << "as the beam";
  const PredictOptions options = asked.options.predict_options();
  EXPECT_EQ(options.answer.search.alternatives, 7);
  EXPECT_TRUE(options.score);
  EXPECT_LT(options.answer.search.limits.cells, std::size_t{1} << 20);
  EXPECT_EQ(refusal(R"({"text":"a","alternatives":7})").first, 400);
  const Inquiry seen = parse_inquiry(
      R"({"text":"a","saliency":true,"tree":true,"edits":[{"step":1,"map":0,"weights":[0.25,0.75]}]})", true);
  EXPECT_TRUE(seen.options.search.explain.saliency && seen.options.search.explain.tree);
  const std::vector<AttentionEdit> edits = read_edits(seen.options.predict_options().answer.search.explain.edits);
  ASSERT_EQ(edits.size(), 1U);
  EXPECT_EQ(edits[0].weights, (std::vector<float>{0.25, 0.75}));
  EXPECT_EQ(refusal(R"({"text":"a","edits":[{"step":1,"weights":[-1]}]})", true).first, 400);
  EXPECT_EQ(refusal(R"({"text":"a","saliency":true})").first, 400) << "only explanations have it";
  EXPECT_EQ(refusal(R"({"lines":["a","b"],"target":"b"})", true).first, 400);
}

TEST(Inquiry, SameOptionsSameKey) {
  const auto key = [](std::string_view body, bool explain = false) { return parse_inquiry(body, explain).key(); };
  EXPECT_EQ(key(R"({"text":"a"})"), key(R"({"lines":["b","c"],"beam":1,"model":"x"})"));
  EXPECT_NE(key(R"({"text":"a"})"), key(R"({"text":"a","beam":2})"));
  EXPECT_NE(key(R"({"text":"a"})"), key(R"({"text":"a","prefix":"x"})"));
  EXPECT_NE(key(R"({"text":"a"})"), key(R"({"text":"a"})", true));
  EXPECT_TRUE(parse_inquiry(R"({"text":"a","sample":1})", false).alone());
}

TEST(Inquiry, RefusesByName) {
  const struct {
    const char* body;
    const char* says;
  } cases[] = {
      {R"({"text":"a","beem":2})", "beam"},
      {R"({"text":"a","beam":"2"})", "beam"},
      {R"({"text":"a","beam":2.5})", "beam"},
      {R"({"text":"a","beam":null})", "beam"},
      {R"({"text":"a","beam":0})", "beam: wants a whole number from 1 to 64"},
      {R"({"text":"a","beam":-1})", "beam"},
      {R"({"text":"a","beam":65})", "beam"},
      {R"({"text":"a","beam":9223372036854775808})", "beam"},
      {R"({"text":"a","beam":1e400})", ""},
      {R"({"text":"a","beam":NaN})", ""},
      {R"({"text":"a","beam":2,"beam":3})", "beam"},
      {R"({"text":"a","beam":[2]})", "beam"},
      {R"({"text":"a","beam":{"a":2}})", "beam"},
      {R"({"text":"a","nbest":2})", "nbest"},
      {R"({"text":"a","max_output":1025})", "max_output"},
      {R"({"text":"a","min_output":1025})", "min_output"},
      {R"({"texd":"a"})", "unknown setting; did you mean text?"},  // which has no value that could be shown
      {R"({"text":"a","sample":-1})", "sample"},
      {R"({"text":"a","prefix":"\u0000"})", "prefix"},
      {R"({"text":"a","allowed":"b"})", "allowed"},
      {R"({"text":"a","allowed":[1]})", "allowed"},
      {R"({"text":"a","word_list":"/etc/passwd"})", "word_list"},
      {R"({"text":"a","explain":true})", "explain"},
      {R"({"text":"a","files":true})", "files"},
      {R"({"text":1})", "text"},
      {R"({"text":null})", "text"},
      {R"({"text":["a"]})", "text"},
      {R"({"text":"\ud800"})", ""},
      {"{\"text\":\"\xFF\"}", ""},
      {"{\"text\":\"\xC0\x80\"}", ""},
      {R"({"lines":"a"})", "lines"},
      {R"({"lines":["a",1]})", "lines"},
      {R"({"lines":[["a"]]})", "lines"},
      {R"({"lines":["a"],"text":"b"})", "lines"},
      {R"({"model":1,"text":"a"})", "model"},
      {R"({})", "lines"},
      {R"([])", ""},
      {R"("a")", ""},
      {R"(1)", ""},
      {R"(null)", ""},
      {"", ""},
      {"{", ""},
      {R"({"text":"a"}x)", ""},
      {R"({"text":"a",})", ""},
      {R"({'text':'a'})", ""},
  };
  for (const auto& one : cases) {
    const auto [status, message] = refusal(one.body);
    EXPECT_EQ(status, 400) << one.body;
    EXPECT_TRUE(says(message, one.says)) << one.body;
    EXPECT_EQ(message.find('\n'), message.npos) << one.body;
  }
}

TEST(Inquiry, LimitsOnBothSides) {
  const auto lines = [](std::size_t count) {
    std::string list;
    for (std::size_t i = 0; i < count; ++i) list += i ? R"(,"a")" : R"("a")";
    return R"({"lines":[)" + list + "]}";
  };
  const InquiryLimits limits;
  EXPECT_EQ(refusal(lines(limits.lines)).first, 0);
  EXPECT_EQ(refusal(lines(limits.lines + 1)).first, 413);
  EXPECT_EQ(refusal(lines(limits.explained), true).first, 0);
  EXPECT_EQ(refusal(lines(limits.explained + 1), true).first, 413);
  EXPECT_EQ(refusal(fmt::format(R"({{"text":"a","beam":{}}})", limits.beam)).first, 0);
  EXPECT_EQ(refusal(fmt::format(R"({{"text":"a","max_output":{}}})", limits.max_output)).first, 0);
  const std::size_t most = limits.work / limits.lines / as_size(limits.beam);
  for (const char* length : {"max_output", "min_output"}) {
    const auto work = [&](std::size_t symbols) {
      return refusal(
          fmt::format(R"({{"beam":{},"{}":{},{})", limits.beam, length, symbols, lines(limits.lines).substr(1)));
    };
    EXPECT_EQ(work(most).first, 0);
    EXPECT_EQ(work(most + 1).first, 413);
    EXPECT_TRUE(says(work(most + 1).second, "ask for less at once"));
  }
}

TEST(Inquiry, NestingEndsSoon) {
  for (const int depth : {20, 1000, 100'000}) {
    const auto n = as_size(depth);
    EXPECT_EQ(refusal(std::string(n, '[')).first, 400);
    std::string objects = R"({"text":)";
    for (int i = 0; i < depth; ++i) objects += R"({"a":)";
    EXPECT_EQ(refusal(objects).first, 400);
    EXPECT_EQ(refusal(R"({"text":"a","beam":)" + std::string(n, '[') + std::string(n, ']') + "}").first, 400);
  }
}

TEST(OpenApi, HasEveryOptionAndNoFile) {
  const nlohmann::json api = nlohmann::json::parse(openapi_text());
  EXPECT_EQ(api["openapi"], "3.1.0");
  for (const bool explain : {false, true}) {
    const auto& schema = api["components"]["schemas"][explain ? "ExplainRequest" : "PredictRequest"];
    AskedOptions options;
    options.explain = explain;
    for (const Field& field : FieldsRef(options).visit().fields()) {
      EXPECT_EQ(schema["properties"].contains(field.name), !field.rule.file) << field.name;
    }
    EXPECT_EQ(schema["properties"]["beam"]["maximum"], InquiryLimits().beam);
    EXPECT_EQ(schema["properties"].contains("target"), explain);
    EXPECT_FALSE(schema["additionalProperties"].get<bool>());
  }
}

}  // namespace
}  // namespace fovea::inquiry_test
