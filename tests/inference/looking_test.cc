// Where a model looks while it is made to write: what it looks at when it writes the same by itself.
#include "inference/looking.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/as_size.h"
#include "inference/answering.h"
#include "tasks/small_model.h"

namespace fovea::looking_test {
namespace {

constexpr double tolerance = sizeof(Real) == sizeof(float) ? 1e-5 : 1e-6;  // weights are given out as floats

Config with(const std::vector<std::string>& settings) {
  Config config = small_config();
  for (const std::string& setting : settings) set_field(config, setting);
  return config;
}

std::vector<Encoding> encodings(const Model& model, int count) {
  std::vector<Encoding> all;
  const auto sources = random_lines(count, 14, 1), targets = random_lines(count, 9, 2);
  for (std::size_t i = 0; i < sources.size(); ++i) all.push_back(model.task().encode({sources[i], targets[i], "", 0}));
  return all;
}

std::vector<Looked> look_with(const Model& model, const std::vector<Encoding>& examples, int batch, int threads = 1) {
  Workers workers(threads);
  return look(model, workers, examples, batch);
}

// Over the heads of the last layer.
double mean(const StepExplanation& step, std::size_t position) {
  double sum = 0, heads = 0;
  for (const auto& look : step.looks) {
    if (look.layer == step.looks.back().layer) sum += static_cast<double>(look.weights[position]), ++heads;
  }
  return sum / heads;
}

struct Case {
  std::string name;
  std::vector<std::string> settings;
  friend std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }
};

class EveryLooker : public testing::TestWithParam<Case> {
 protected:
  const Model model_ = small_model(with(GetParam().settings), 3);
};

TEST_P(EveryLooker, LooksAsItDoesWhenItAnswers) {
  std::vector<Reading> sources;
  for (const std::string& line : random_lines(20, 14, 1)) sources.push_back(model_.task().encode_source(line));
  std::vector<const Reading*> pointers;
  for (const Reading& source : sources) pointers.push_back(&source);
  Workers workers(1);
  const auto answers = Answering(model_, workers).answer(pointers, {.search = {.alternatives = 1}});
  std::vector<Encoding> examples;
  for (std::size_t i = 0; i < sources.size(); ++i) examples.push_back({sources[i], answers[i][0].symbols, {}});
  const auto looked = look_with(model_, examples, 64);
  ASSERT_EQ(looked.size(), sources.size());
  for (std::size_t i = 0; i < looked.size(); ++i) {
    const auto& steps = answers[i][0].steps;
    ASSERT_EQ(looked[i].positions, sources[i].size() + 1);
    ASSERT_EQ(looked[i].steps, static_cast<int>(answers[i][0].symbols.size()) + 1);
    for (std::size_t t = 0; t < steps.size(); ++t) {
      for (std::size_t p = 0; p < as_size(looked[i].positions); ++p) {
        ASSERT_NEAR(looked[i].weights[t * as_size(looked[i].positions) + p], mean(steps[t], p), tolerance)
            << "line " << i << ", step " << t << ", position " << p;
      }
    }
  }
}

TEST_P(EveryLooker, BatchMatesAndThreadsChangeNothing) {
  const std::vector<Encoding> examples = encodings(model_, 50);
  const auto alone = look_with(model_, examples, 1);
  ASSERT_EQ(alone.size(), examples.size());
  for (const auto& together : {look_with(model_, examples, 7, 3), look_with(model_, examples, 64)}) {
    for (std::size_t i = 0; i < examples.size(); ++i) {
      EXPECT_EQ(together[i].steps, alone[i].steps);
      EXPECT_EQ(together[i].positions, alone[i].positions);
      ASSERT_EQ(together[i].weights.size(), alone[i].weights.size());
      for (std::size_t k = 0; k < alone[i].weights.size(); ++k) {
        ASSERT_NEAR(together[i].weights[k], alone[i].weights[k], tolerance) << i;
      }
    }
  }
}

TEST_P(EveryLooker, WeightsOfAStepAddUpToOne) {
  for (const Looked& one : look_with(model_, encodings(model_, 30), 8)) {
    ASSERT_EQ(one.weights.size(), as_size(one.steps) * as_size(one.positions));
    for (auto row = one.weights.begin(); row != one.weights.end(); row += one.positions) {
      double sum = 0;
      for (auto weight = row; weight != row + one.positions; ++weight) sum += static_cast<double>(*weight);
      EXPECT_NEAR(sum, 1, 1e-5);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, EveryLooker,
                         testing::Values(Case{"bahdanau", {}}, Case{"luong", {"decoder.style=luong"}},
                                         Case{"heads", {"attention.heads=2", "attention.size=12"}},
                                         Case{"coverage", {"attention.bias=coverage,markov"}},
                                         Case{"pointer", {"generator.kind=pointer_generator"}},
                                         Case{"transformer",
                                              {"encoder.kind=transformer", "decoder.kind=transformer",
                                               "decoder.size=12", "decoder.layers=2", "self_attention.heads=2",
                                               "attention.heads=2", "attention.size=12"}}),
                         [](const auto& info) { return info.param.name; });

TEST(Looking, LinesWithoutASourceHaveNothing) {
  const Model model = small_model(small_config(), 3);
  std::vector<Encoding> examples = encodings(model, 3);
  examples[1].source = {};
  const auto looked = look_with(model, examples, 64);
  ASSERT_EQ(looked.size(), 3u);
  EXPECT_TRUE(looked[1].weights.empty());
  EXPECT_FALSE(looked[0].weights.empty() || looked[2].weights.empty());
}

TEST(Looking, IsEmptyWherePositionsAreNotThoseOfTheSource) {
  for (const std::vector<std::string>& settings : {std::vector<std::string>{"decoder.style=plain"},
                                                   {"attention.select=actions"},
                                                   {"encoder.kind=structured"},
                                                   {"encoder.kind=hierarchical"},
                                                   {"encoder.kind=pyramid", "encoder.layers=2"}}) {
    const Model model = small_model(with(settings), 1);
    EXPECT_TRUE(look_with(model, encodings(model, 10), 4).empty()) << settings[0];
  }
}

}  // namespace
}  // namespace fovea::looking_test
