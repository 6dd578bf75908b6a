// Every model against its formulas, written down once more in oracles/: the terms of the loss in training, and the
// log-probabilities of all symbols step by step in use.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "base/as_size.h"
#include "models/as_oracles_say.h"
#include "models/cases.h"

namespace fovea::oracle_test {
namespace {

class EveryModelFormula : public testing::TestWithParam<Case> {
 protected:
  const ModelOptions& options = GetParam().options;
  TinyModel model = TinyModel(options);
  const Batch batch = model.batch();
};

TEST_P(EveryModelFormula, GivesEveryTermOfTheLoss) {
  oracle::Terms wanted;
  oracle::Model told = {model.parameters, options};
  told.random = TinyModel::random;
  told.expected = TinyModel::expected;
  for (int b = 0; b < batch.source.batch; ++b) {
    told.sample = static_cast<std::uint64_t>(batch.samples[as_size(b)]);
    const oracle::Example example = oracle::example_of(batch, b);
    const oracle::Example reversed =
        oracle::example_of(batch.reverse_source, batch.reverse_previous, batch.reverse_targets, b);
    const oracle::Terms terms = options.encoder.rationale ? oracle::terms_with_rationale(told, example)
                                : options.objective.asked(&ObjectiveTraits::both_directions)
                                    ? oracle::terms_with_reverse(told, example, reversed)
                                    : oracle::terms_of(oracle::tell(told, example));
    for (const auto& [name, value] : terms) wanted[name] += value, wanted["total"] += value;
  }
  std::set<std::string> found;
  for (const auto& [name, value] : model.terms(batch)) {
    ASSERT_TRUE(wanted.contains(name)) << name;
    EXPECT_TRUE(found.insert(name).second) << name << " stands there twice";
    EXPECT_NEAR(value, wanted[name], as_the_formula * std::max(1.0, std::abs(value))) << name;
  }
  EXPECT_EQ(found.size(), wanted.size());
}

TEST_P(EveryModelFormula, GivesEveryLogProbability) { expect_told_log_probabilities(model, options, batch); }

INSTANTIATE_TEST_SUITE_P(All, EveryModelFormula, testing::ValuesIn(all_cases()),
                         [](const auto& info) { return info.param.name; });

// ---- the lists

template <class Oracle>
std::vector<std::string> names_of(const oracle::Table<Oracle>& oracles) {
  std::vector<std::string> names;
  for (const auto& [name, oracle] : oracles) names.push_back(name);
  return names;
}

void expect_same_names(std::vector<std::string> listed, std::vector<std::string> known) {
  std::ranges::sort(listed);
  std::ranges::sort(known);
  EXPECT_EQ(known, listed) << "an entry without an oracle, or an oracle without an entry";
}

TEST(EveryModelFormulaList, HasEveryEncoderJoinOutputAndDecoder) {
  expect_same_names(encoders().names(), names_of(oracle::encoders()));
  expect_same_names(joins().names(), names_of(oracle::joins()));
  expect_same_names(generators().names(), names_of(oracle::generators()));
  std::vector<std::string> decoders;
  const DecoderOptions options;
  for (const Field& field : ConstFieldsRef(options).visit().fields()) {
    if (field.name == "kind" || field.name == "style") {
      decoders.insert(decoders.end(), field.rule.names.begin(), field.rule.names.end());
    }
  }
  std::erase(decoders, "rnn");  // told apart by style
  expect_same_names(decoders, names_of(oracle::decoders()));
}

TEST(EveryModelFormulaList, HasEveryObjective) {
  expect_same_names(objectives().names(), names_of(oracle::objectives()));
}

// An option that no case changes would have no oracle; `elsewhere` are those that say nothing of a formula, or have
// theirs in other tests.
void expect_changed(ConstFieldsRef (*part)(const ModelOptions&), std::set<std::string> elsewhere) {
  const ModelOptions usual = tiny_options();
  const auto before = part(usual).visit().fields();
  std::set<std::string> changed = std::move(elsewhere), all;
  for (const Field& field : before) all.insert(field.name);
  for (const Case& c : all_cases()) {
    const auto fields = part(c.options).visit().fields();
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (value_text(fields[i]) != value_text(before[i])) changed.insert(fields[i].name);
    }
  }
  EXPECT_EQ(changed, all);
}

TEST(EveryModelFormulaList, HasEveryOptionOfObjectives) {
  expect_changed([](const ModelOptions& o) { return ConstFieldsRef(o.objective); },
                 {"supervised_smoothing"});  // of the data: tests/tasks/task_test.cc
}

TEST(EveryModelFormulaList, HasEveryOptionOfEncoders) {
  expect_changed([](const ModelOptions& o) { return ConstFieldsRef(o.encoder); },
                 {"size", "spread", "max_positions", "feed_forward", "rows",
                  "channels"});  // of pictures: tests/models/inputs_test.cc
}

TEST(EveryModelFormulaList, HasEveryOptionOfDecoders) {
  expect_changed([](const ModelOptions& o) { return ConstFieldsRef(o.decoder); },
                 {"size", "spread", "max_positions", "feed_forward"});
}

TEST(EveryModelFormulaList, HasEveryOptionOfGenerators) {
  expect_changed([](const ModelOptions& o) { return ConstFieldsRef(o.generator); }, {"size"});
}

}  // namespace
}  // namespace fovea::oracle_test
