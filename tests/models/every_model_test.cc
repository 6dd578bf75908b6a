// What every model promises, whatever it is made of: this file names no encoder, no output and no attention.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "base/as_size.h"
#include "layers/first_values.h"
#include "models/cases.h"

namespace fovea::every_model_test {
namespace {

class EveryModel : public testing::TestWithParam<Case> {};

bool is_frozen(const Numbers& numbers, const ModelOptions& options) {
  return (options.encoder.frozen && numbers.name == "encoder.embedding.table") ||
         (options.decoder.frozen && numbers.name == "decoder.embedding.table");
}

TEST_P(EveryModel, GradientIsThatOfTheLoss) {
  const ModelOptions& options = GetParam().options;
  if (options.encoder.rationale || selects().find(options.attention.select).traits.estimated) return;
  TinyModel model(options);
  const Batch batch = model.batch();
  std::vector<Real> gradient(as_size(model.parameters.count()));
  model.terms(batch, gradient);
  std::vector<Numbers> all = numbers_of(model.parameters, gradient);
  for (const Numbers& numbers : all) {
    if (!is_frozen(numbers, options)) continue;
    EXPECT_TRUE(std::ranges::all_of(numbers.gradient, [](Real g) { return g == 0; })) << numbers.name;
  }
  std::erase_if(all, [&](const Numbers& numbers) { return is_frozen(numbers, options); });
  // A few of each weight: the models are many, and EveryNetwork looks at more of fewer.
  const Difference error =
      largest_loss_gradient_error(some_of(all, is_double ? 8 : 1), [&] { return model.loss(batch); });
  EXPECT_LE(error.size, is_double ? gradient_tolerance : 0.1) << error.where;  // a float's step may cross a kink
}

// Scores that are shifted alike leave a softmax as it was: so does what is the same for all keys where a score
// multiplies them with the query, and nothing turns them.
bool shifts_scores_alike(const std::string& name, const ModelOptions& options) {
  return name.ends_with(".self_attention.project_key.bias") && !options.self_attention.rotary;
}
// And whatever a score says, or a query is made of, is lost on a selection that does not ask for it.
bool is_not_asked(const std::string& name, const ModelOptions& options) {
  if (!selects().find(options.attention.select).traits.ignores_scores) return false;
  const auto in = [&](const std::string& part) { return ("." + name).find(part) != std::string::npos; };
  return in(".attention." + options.attention.score) || in(".attention.project_query") ||
         in(".attention.project_key") || (in(".attention_norm.") && options.decoder.norm == "pre");
}

TEST_P(EveryModel, BiasesBeginAtZero) { expect_biases_begin_at_zero(TinyModel(GetParam().options).parameters); }

TEST_P(EveryModel, EveryWeightMatters) {
  if (!is_double) GTEST_SKIP() << "needs FOVEA_DOUBLE: some matter little";
  const ModelOptions& options = GetParam().options;
  TinyModel model(options);
  Batch batch = model.batch();
  // Two positions a sentence: in a document of one sentence nothing between sentences matters.
  for (Side* side : {static_cast<Side*>(&batch.source), static_cast<Side*>(&batch.reverse_source)}) {
    side->segments.resize(side->ids.size());
    for (std::size_t i = 0; i < side->segments.size(); ++i) {
      side->segments[i] = static_cast<std::int32_t>(i) / side->batch / 2;
    }
  }
  std::vector<Real> gradient(as_size(model.parameters.count()));
  const double before = model.terms(batch, gradient)[0].value;
  const Traits& select = selects().find(options.attention.select).traits;
  for (const Numbers& numbers : numbers_of(model.parameters, gradient)) {
    const std::vector<Real> own(numbers.values.begin(), numbers.values.end());
    const auto other = random_values(static_cast<int>(own.size()), numbers.name, 2);
    std::ranges::transform(own, other, numbers.values.begin(), std::plus());
    double change = std::abs(model.loss(batch) - before);
    std::ranges::copy(own, numbers.values.begin());
    // What is drawn straight through may stay the same, and yet it learns.
    for (const Real g : numbers.gradient) {
      if (select.estimated && !select.draws) change = std::max(change, static_cast<double>(std::abs(g)));
    }
    EXPECT_EQ(change > 1e-11 * std::max(1.0, std::abs(before)),
              !shifts_scores_alike(numbers.name, options) && !is_not_asked(numbers.name, options))
        << numbers.name << " changes the loss by " << change;
  }
}

constexpr double close = is_double ? 1e-11 : 2e-5;  // relative: the same sums in another order

TEST_P(EveryModel, ABatchOfThreeIsThreeBatchesOfOne) {
  TinyModel model(GetParam().options);
  const auto together = model.terms(model.batch());
  std::vector<double> alone(together.size());
  for (const TinyExample& example : tiny_examples()) {
    const auto terms = model.terms(tiny_batch({example}, model.linked));
    ASSERT_EQ(terms.size(), together.size());
    for (std::size_t i = 0; i < terms.size(); ++i) alone[i] += terms[i].value;
  }
  for (std::size_t i = 0; i < alone.size(); ++i) {
    EXPECT_NEAR(together[i].value, alone[i], close * std::max(1.0, std::abs(alone[i]))) << together[i].name;
  }
}

// So many that whatever is too short for them does not go unnoticed in what an allocation is rounded up by.
TEST_P(EveryModel, ABatchOfManyIsAsManyTimesOneOfThree) {
  constexpr int times = 40;
  TinyModel model(GetParam().options);
  std::vector<TinyExample> many;
  for (int i = 0; i < times; ++i) std::ranges::copy(tiny_examples(), std::back_inserter(many));
  const auto few = model.terms(model.batch()), all = model.terms(tiny_batch(many, model.linked));
  ASSERT_EQ(all.size(), few.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double wanted = times * few[i].value;
    EXPECT_NEAR(all[i].value, wanted, close * std::max(1.0, std::abs(wanted))) << all[i].name;
  }
}

TEST_P(EveryModel, MorePadsChangeNothing) {
  TinyModel model(GetParam().options);
  std::vector<Real> gradient(as_size(model.parameters.count())), padded_gradient = gradient;
  const auto tight = model.terms(model.batch(), gradient), padded = model.terms(model.batch(3), padded_gradient);
  for (std::size_t i = 0; i < tight.size(); ++i) {
    EXPECT_NEAR(padded[i].value, tight[i].value, close * std::max(1.0, std::abs(tight[i].value))) << tight[i].name;
  }
  expect_close(padded_gradient, gradient, "gradient", 10 * close);
}

TEST_P(EveryModel, StepByStepIsAllAtOnce) {
  TinyModel model(GetParam().options);
  const Batch batch = model.batch();
  const double forced = model.nll(batch);
  EXPECT_NEAR(stepped_nll(model, batch), forced, (is_double ? 1e-9 : 1e-4) * std::max(1.0, forced));
}

// Two hypotheses of three sources, then one of two of them in another order.
TEST_P(EveryModel, ASearchMayDropAndReorder) {
  TinyModel model(GetParam().options);
  Arena arena, first_arena, next_arena;
  Pass pass(model.parameters, arena);
  const Batch batch = model.batch();
  const auto asked = model.network.begin(pass, batch.source);
  Pass first(model.parameters, first_arena);
  const StepResult one = asked->step(first, asked->start(first), Sequence(3, start));
  const auto ask = [&](const Sequence& rows, const Sequence& previous) {
    Pass next(model.parameters, next_arena);
    const StepResult result = asked->step(next, one.state.rows(next, rows), previous);
    return std::vector<Real>(result.log_probabilities.values().begin(), result.log_probabilities.values().end());
  };
  const auto all = ask({0, 1, 2, 0, 1, 2}, {4, 5, 6, 6, 5, 4});  // row h * 3 + s
  asked->keep(Sequence{2, 0});
  EXPECT_EQ(asked->sources(), 2);
  const auto kept = ask({2, 0, 2, 0}, {6, 4, 4, 6});
  const int origin[] = {2, 0, 5, 3};
  const std::size_t width = all.size() / 6;
  for (std::size_t row = 0; row < 4; ++row) {
    for (std::size_t j = 0; j < width; ++j) {
      EXPECT_EQ(kept[row * width + j], all[as_size(origin[row]) * width + j]) << "row " << row;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryModel, testing::ValuesIn(all_cases()),
                         [](const auto& info) { return info.param.name; });

// A refusal must not silently empty the lists above.
TEST(EveryModelList, HasEveryPartAtLeastOnce) {
  std::set<std::string> made;
  for (const Case& c : all_cases()) {
    made.insert({"encoder " + c.options.encoder.kind, "output " + c.options.generator.kind,
                 "select " + c.options.attention.select,
                 "decoder " + c.options.decoder.kind + c.options.decoder.style});
    for (const std::string& bias : c.options.attention.bias) made.insert("bias " + bias);
  }
  for (const std::string& name : encoders().names()) EXPECT_TRUE(made.contains("encoder " + name)) << name;
  for (const std::string& name : generators().names()) EXPECT_TRUE(made.contains("output " + name)) << name;
  for (const std::string& name : selects().names()) EXPECT_TRUE(made.contains("select " + name)) << name;
  for (const std::string& name : biases().names()) EXPECT_TRUE(made.contains("bias " + name)) << name;
}

template <class Kind>
void check_entries(const Registry<Kind>& list) {
  std::set<std::string_view> names;
  for (const Kind* kind : list) {
    EXPECT_TRUE(names.insert(kind->name).second) << kind->name << " stands there twice";
    EXPECT_FALSE(kind->name.empty() || kind->formula.empty() || kind->paper.empty()) << kind->name;
  }
  EXPECT_FALSE(list.empty());
}

// What an encoder's entry says of it is what it gives: others rely on it.
TEST(EveryModelList, EncodersGiveWhatTheirEntriesSay) {
  for (const EncoderKind* kind : encoders()) {
    SCOPED_TRACE(kind->name);
    ModelOptions options = tiny_options();
    options.encoder.kind = kind->name;
    options.encoder.layers = 2;
    Parameters parameters;
    const auto input =
        make_input(parameters, "encoder.embedding", options.encoder, SourceShape::of_symbols(source_symbols));
    const auto encoder = make_encoder(parameters, options, *input);
    parameters.allocate();
    const Batch batch = tiny_batch(tiny_examples(), Linked::none);
    const Side& side = batch.source;
    Arena arena;
    Pass pass(parameters, arena);
    const Encoded encoded = encoder->encode(pass, input->vectors(pass, side), side.mask());
    EXPECT_EQ(bool(encoded.summary), kind->summarizes);
    EXPECT_EQ(bool(encoded.share_of), kind->tells_shares);
    EXPECT_TRUE(!keeps_positions(options.encoder) || encoded.memory.mask.positions == side.length);
    if (!kind->tells_shares) continue;
    EXPECT_FALSE(keeps_positions(options.encoder));
    for (int b = 0; b < side.batch; ++b) {
      std::vector<double> sums(as_size(encoded.memory.mask.positions), 0.0);
      for (int cell = b; cell < side.length * side.batch; cell += side.batch) {
        sums.at(as_size(encoded.column_of[as_size(cell)])) += static_cast<double>(encoded.share_of.data()[cell]);
      }
      for (std::size_t column = 0; column < sums.size(); ++column) {
        EXPECT_NEAR(sums[column], encoded.memory.mask.data[column * as_size(side.batch) + as_size(b)], 1e-5);
      }
    }
  }
}

TEST(EveryModelList, EveryEntryIsComplete) {
  check_entries(encoders());
  check_entries(decoders());
  check_entries(generators());
}

}  // namespace
}  // namespace fovea::every_model_test
