// Edits come from outside: every text either gives weights that can be used or one line that says what is wrong.
#include "decoding/explain_options.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error.h"

namespace fovea::explain_options_test {
namespace {

std::string problem(const std::string& text) {
  try {
    read_edits(text);
  } catch (const Error& e) {
    return e.what();
  }
  return "nothing";
}

TEST(ExplainOptions, ReadsEdits) {
  EXPECT_TRUE(read_edits("").empty());
  EXPECT_TRUE(read_edits("[]").empty());
  const auto edits = read_edits(R"([{"step": 3, "map": 1, "weights": [0.5, 1, 0]}, {"step": 0, "weights": [1e-3]}])");
  ASSERT_EQ(edits.size(), 2U);
  EXPECT_EQ(edits[0].step, 3);
  EXPECT_EQ(edits[0].map, 1);
  EXPECT_EQ(edits[0].weights, (std::vector<float>{0.5f, 1, 0}));
  EXPECT_EQ(edits[1].map, 0);
  EXPECT_EQ(read_edits(R"([{"step": 1000000, "map": 1000000, "weights": [1]}])")[0].step, 1000000);
}

TEST(ExplainOptions, RefusesEditsThatMakeNoSense) {
  for (const std::string text : {"{}",
                                 "[",
                                 "1",
                                 "[1]",
                                 "[[]]",
                                 R"([{}])",
                                 R"([{"step": -1, "weights": [1]}])",
                                 R"([{"step": 1.5, "weights": [1]}])",
                                 R"([{"step": 1e9, "weights": [1]}])",
                                 R"([{"step": 1000001, "weights": [1]}])",
                                 R"([{"step": 0}])",
                                 R"([{"step": 0, "weights": 1}])",
                                 R"([{"step": 0, "weights": []}])",
                                 R"([{"step": 0, "weights": [-1, 2]}])",
                                 R"([{"step": 0, "weights": [null]}])",
                                 R"([{"step": 0, "weights": [0, 0]}])",
                                 R"([{"step": 0, "weights": [1e99]}])",
                                 R"([{"step": 0, "weights": ["1"]}])",
                                 R"([{"step": 0, "weights": [1], "head": 0}])",
                                 R"([[[[[[[1]]]]]]])"}) {
    EXPECT_NE(problem(text), "nothing") << text;
    EXPECT_EQ(problem(text).find('\n'), std::string::npos);
  }
  EXPECT_NE(problem(std::string(std::size_t(1) << 23, ' ')), "nothing");
}

// Among weights that can be used, too.
TEST(ExplainOptions, NamesTheWeightThatIsNone) {
  for (const char* weight : {"null", "\"1\"", "true", "{}", "[1]", "-0.5", "1e39"}) {
    EXPECT_EQ(problem(fmt::format(R"([{{"step": 0, "weights": [1, {}, 1]}}])", weight)),
              "`edits` [0].weights[1]: wants a number that is finite and not below zero")
        << weight;
  }
}

TEST(ExplainOptions, TakesSoManyEditsAndNoMore) {
  const auto many = [](int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += R"(,{"step": 0, "weights": [1]})";
    return "[" + text.substr(1) + "]";
  };
  EXPECT_EQ(read_edits(many(1000)).size(), 1000u);
  EXPECT_NE(problem(many(1001)), "nothing");
  const std::size_t most = std::size_t(1) << 22;
  EXPECT_EQ(problem(std::string(most - 2, ' ') + "[]"), "nothing");
  EXPECT_NE(problem(std::string(most - 1, ' ') + "[]"), "nothing");
}

TEST(ExplainOptions, AreFieldsLikeOthers) {
  ExplainOptions options;
  set_field(options, "saliency=true");
  set_field(options, R"(edits=[{"step":0,"weights":[1]}])");
  EXPECT_TRUE(options.saliency);
  EXPECT_TRUE(options.any());
  EXPECT_THROW(set_field(options, "edits=nonsense"), Error);
}

}  // namespace
}  // namespace fovea::explain_options_test
