// What every model promises, whatever it is made of: this file names no encoder, no output and no attention. The lists
// are gone through with each decoder they go with; what the parts refuse is not made.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "attention/mechanism.h"
#include "models/tiny_model.h"

namespace fovea {
namespace {

struct Case {
  std::string name;
  ModelOptions options;

  friend std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }
};

struct Change {
  std::string name;
  std::function<void(ModelOptions&)> apply;
};

std::vector<Change> decoders() {
  return {{"bahdanau", [](ModelOptions& o) { o.decoder.style = "bahdanau"; }},
          {"feeding", [](ModelOptions& o) { o.decoder.style = "luong"; }},
          {"at_once", [](ModelOptions& o) { o.decoder.style = "luong", o.decoder.feeding = false; }},
          {"plain", [](ModelOptions& o) { o.decoder.style = "plain"; }},
          {"transformer", [](ModelOptions& o) { o.decoder.kind = "transformer"; }}};
}

class Cases {
 public:
  // With every decoder that accepts it.
  void add(const Change& change) {
    for (const Change& decoder : decoders()) {
      Case c = {decoder.name + "_" + change.name, tiny_options()};
      decoder.apply(c.options);
      change.apply(c.options);
      add(c);
    }
  }
  void add(const Case& c) {
    try {
      TinyModel model(c.options);
      all.push_back(c);
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::usage) throw;
    }
  }

  std::vector<Case> all;
};

void add_encoders(Cases& cases) {
  for (const std::string& kind : encoder_names()) {
    cases.add({kind, [&](ModelOptions& o) { o.encoder.kind = kind; }});
    cases.add({kind + "_deep", [&](ModelOptions& o) {
                 o.encoder.kind = kind;
                 o.encoder.layers = o.decoder.layers = 2;
                 o.encoder.residual = o.decoder.residual = true;
                 o.encoder.cell = o.decoder.cell = "gru";
                 o.encoder.embedding = o.decoder.embedding = 3;
               }});
    for (const std::string positions : {"none", "learned"}) {
      cases.add(
          {kind + "_" + positions, [&](ModelOptions& o) { o.encoder.kind = kind, o.encoder.positions = positions; }});
    }
  }
}

void add_outputs(Cases& cases) {
  for (const std::string& kind : output_names()) {
    cases.add({kind, [&](ModelOptions& o) { o.output.kind = kind; }});
    cases.add({kind + "_smoothed", [&](ModelOptions& o) {
                 o.output.kind = kind;
                 o.objective.label_smoothing = 0.2;
                 o.attention.heads = 2;
               }});
    cases.add({kind + "_own", [&](ModelOptions& o) { o.output.kind = kind, o.output.own_attention = true; }});
    cases.add({kind + "_tied", [&](ModelOptions& o) {
                 o.output.kind = kind;
                 o.output.tied = true;
                 o.decoder.embedding = 3;
                 o.output.lexicon_share = 0.3;
               }});
  }
  cases.add({"tied", [](ModelOptions& o) { o.output.tied = true; }});
  cases.add({"frozen", [](ModelOptions& o) { o.encoder.frozen = o.decoder.frozen = true; }});
}

// Each attention mechanism where it is asked at every step, and where all steps ask at once.
void add_attentions(Cases& cases) {
  const auto heads = [](ModelOptions& o) { o.attention.heads = 2; };
  cases.add({"heads", heads});
  for (const std::string& bias : mechanism_names(biases())) {
    cases.add({bias, [&](ModelOptions& o) { o.attention.bias = {bias}; }});
    cases.add({bias + "_heads", [&](ModelOptions& o) { o.attention.bias = {bias}, heads(o); }});
  }
  for (const Mechanism<Score>* score : scores()) {
    if (!score->traits.looks_back) continue;
    cases.add({std::string(score->name), [&](ModelOptions& o) { o.attention.score = score->name; }});
  }
  for (const std::string& select : mechanism_names(selects())) {
    cases.add({select, [&](ModelOptions& o) { o.attention.select = select; }});
  }
  cases.add({"rotary", [](ModelOptions& o) { o.attention.rotary = true, o.attention.projections = true; }});
}

void add_transformers(Cases& cases) {
  for (const std::string norm : {"pre", "post"}) {
    const auto add = [&](const std::string& name, const std::string& positions, auto change) {
      Case c = {"both_" + norm + "_" + name, tiny_options()};
      c.options.encoder.kind = c.options.decoder.kind = "transformer";
      c.options.encoder.norm = c.options.decoder.norm = norm;
      c.options.encoder.layers = c.options.decoder.layers = 2;
      c.options.encoder.positions = c.options.decoder.positions = positions;
      change(c.options);
      cases.add(c);
    };
    add("sinusoid", "sinusoid", [](ModelOptions&) {});
    add("learned", "learned", [](ModelOptions&) {});
    add("rotary", "none", [](ModelOptions& o) { o.self_attention.rotary = true; });
    add("relative", "none", [](ModelOptions& o) { o.self_attention.bias = {"relative"}, o.attention.heads = 2; });
    add("narrow_tied", "sinusoid", [](ModelOptions& o) { o.decoder.embedding = 3, o.output.tied = true; });
  }
}

void add_objectives(Cases& cases) {
  using O = ObjectiveOptions;
  const std::vector<std::pair<std::string, double O::*>> weights = {
      {"smoothing", &O::label_smoothing},   {"coverage", &O::coverage},     {"repetition", &O::repetition},
      {"fertility", &O::fertility},         {"supervised", &O::supervised}, {"agreement", &O::agreement},
      {"embedding", &O::coverage_embedding}};
  for (const auto& [name, weight] : weights) {
    cases.add({"held_by_" + name, [&](ModelOptions& o) {
                 o.objective.*weight = 0.3;
                 if (weight == &O::coverage_embedding) o.attention.bias = {"coverage_embedding"};
               }});
    cases.add({"held_by_" + name + "_squared", [&](ModelOptions& o) {
                 o.objective.*weight = 0.3;
                 o.objective.supervised_form = "squared";
                 o.attention.heads = 2;
                 if (weight == &O::coverage_embedding) o.attention.bias = {"position", "coverage_embedding"};
               }});
  }
  cases.add({"held_by_diversity", [](ModelOptions& o) { o.encoder.kind = "structured", o.objective.diversity = 0.3; }});
  cases.add({"rationale", [](ModelOptions& o) { o.encoder.rationale = true; }});
  // Where a sum over positions takes the place of a look.
  for (const Mechanism<Select>* select : selects()) {
    if (!select->traits.marginal) continue;
    cases.add({std::string(select->name) + "_rationale",
               [&](ModelOptions& o) { o.attention.select = select->name, o.encoder.rationale = true; }});
    cases.add({std::string(select->name) + "_held_by_coverage", [&](ModelOptions& o) {
                 o.attention.select = select->name;
                 o.objective.coverage = o.objective.supervised = 0.3;
               }});
  }
}

std::vector<Case> cases() {
  Cases cases;
  add_encoders(cases);
  add_outputs(cases);
  add_attentions(cases);
  add_transformers(cases);
  add_objectives(cases);
  return cases.all;
}

class EveryModel : public testing::TestWithParam<Case> {};

bool is_frozen(const Numbers& numbers, const ModelOptions& options) {
  return (options.encoder.frozen && numbers.name == "encoder.embedding.table") ||
         (options.decoder.frozen && numbers.name == "decoder.embedding.table");
}

TEST_P(EveryModel, GradientIsThatOfTheLoss) {
  const ModelOptions& options = GetParam().options;
  if (options.encoder.rationale || find_mechanism(selects(), options.attention.select).traits.estimated) return;
  TinyModel model(options);
  const Batch batch = model.batch();
  std::vector<Real> gradient(static_cast<std::size_t>(model.parameters.count()));
  model.terms(batch, gradient);
  std::vector<Numbers> all = numbers_of(model.parameters, gradient);
  for (const Numbers& numbers : all) {
    if (!is_frozen(numbers, options)) continue;
    EXPECT_TRUE(std::ranges::all_of(numbers.gradient, [](Real g) { return g == 0; })) << numbers.name;
  }
  std::erase_if(all, [&](const Numbers& numbers) { return is_frozen(numbers, options); });
  const Difference error =
      largest_loss_gradient_error(some_of(all, is_double ? 20 : 1), [&] { return model.loss(batch); });
  EXPECT_LE(error.size, is_double ? gradient_tolerance : 0.1) << error.where;  // a float's step may cross a kink
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

TEST_P(EveryModel, MorePadsChangeNothing) {
  TinyModel model(GetParam().options);
  std::vector<Real> gradient(static_cast<std::size_t>(model.parameters.count())), padded_gradient = gradient;
  const auto tight = model.terms(model.batch(), gradient), padded = model.terms(model.batch(3), padded_gradient);
  for (std::size_t i = 0; i < tight.size(); ++i) {
    EXPECT_NEAR(padded[i].value, tight[i].value, close * std::max(1.0, std::abs(tight[i].value))) << tight[i].name;
  }
  expect_close(padded_gradient, gradient, "gradient", 10 * close);
}

TEST_P(EveryModel, StepByStepIsAllAtOnce) {
  ModelOptions options = GetParam().options;
  options.objective.label_smoothing = 0;  // a part of training alone
  TinyModel model(options);
  const Batch batch = model.batch();
  const double taught = model.likelihood(batch);
  Arena arena;
  Pass pass(model.parameters, arena);
  const auto rows = stepped(model, *model.transducer.begin(pass, batch.source), batch.inputs);
  double sum = 0;
  for (std::size_t cell = 0; cell < batch.outputs.ids.size(); ++cell) {
    if (!batch.outputs.real[cell]) continue;
    const std::size_t width = rows[cell / 3].size() / 3;
    const auto log_p = std::span(rows[cell / 3]).subspan(cell % 3 * width, width);
    sum -= static_cast<double>(log_p[static_cast<std::size_t>(batch.outputs.ids[cell])]);
  }
  EXPECT_NEAR(sum, taught, (is_double ? 1e-9 : 1e-4) * std::max(1.0, taught));
}

// Two hypotheses of three sources, then one of two of them in another order.
TEST_P(EveryModel, ASearchMayDropAndReorder) {
  TinyModel model(GetParam().options);
  Arena arena, first_arena, next_arena;
  Pass pass(model.parameters, arena);
  const Batch batch = model.batch();
  const auto asked = model.transducer.begin(pass, batch.source);
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
      EXPECT_EQ(kept[row * width + j], all[static_cast<std::size_t>(origin[row]) * width + j]) << "row " << row;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryModel, testing::ValuesIn(cases()), [](const auto& info) { return info.param.name; });

// A refusal must not silently empty the lists above.
TEST(EveryModelList, HasEveryPartAtLeastOnce) {
  std::set<std::string> made;
  for (const Case& c : cases()) {
    made.insert({"encoder " + c.options.encoder.kind, "output " + c.options.output.kind,
                 "select " + c.options.attention.select,
                 "decoder " + c.options.decoder.kind + c.options.decoder.style});
    for (const std::string& bias : c.options.attention.bias) made.insert("bias " + bias);
  }
  for (const std::string& name : encoder_names()) EXPECT_TRUE(made.contains("encoder " + name)) << name;
  for (const std::string& name : output_names()) EXPECT_TRUE(made.contains("output " + name)) << name;
  for (const std::string& name : mechanism_names(selects())) EXPECT_TRUE(made.contains("select " + name)) << name;
  for (const std::string& name : mechanism_names(biases())) EXPECT_TRUE(made.contains("bias " + name)) << name;
}

template <class Kind>
void check_entries(std::span<const Kind* const> list) {
  std::set<std::string_view> names;
  for (const Kind* kind : list) {
    EXPECT_TRUE(names.insert(kind->name).second) << kind->name << " stands there twice";
    EXPECT_FALSE(kind->name.empty() || kind->formula.empty() || kind->paper.empty()) << kind->name;
  }
  EXPECT_FALSE(list.empty());
}

TEST(EveryModelList, EveryEntryIsComplete) {
  check_entries(encoders());
  check_entries(outputs());
}

}  // namespace
}  // namespace fovea
