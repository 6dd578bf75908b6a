// Two models trained together come out as two models: each by itself answers as it did beside the other.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/as_size.h"
#include "support/gradient_check.h"
#include "tasks/batching.h"
#include "tasks/model.h"
#include "training/gradient.h"
#include "training/optimizer.h"

namespace fovea::agreement_test {
namespace {

const std::vector<Example> lines = {{"abc", "xyz", "", 1}, {"bca", "yzx", "", 2}, {"cab", "zxy", "", 3},
                                    {"ab", "xy", "", 4},   {"ccb", "zzy", "", 5}, {"a", "x", "", 6}};

Model trained_together() {
  Config config;
  ModelOptions& o = config.model;
  o.encoder.size = o.encoder.embedding = o.decoder.size = o.decoder.embedding = o.attention.size = o.generator.size = 6;
  set_field(o.objective, "agreement=0.5");
  set_field(o.objective, "fertility=0.1");
  Model model(config, Task(config, lines));
  std::vector<Encoding> encoded;
  for (const Example& line : lines) encoded.push_back(model.task().encode(line));
  Workers workers(1);
  GradientWorker worker(model, encoded, workers);
  Optimizer optimizer({}, as_size(model.parameters().count()));
  const std::vector<std::uint32_t> all = {0, 1, 2, 3, 4, 5};
  for (std::int64_t update = 1; update <= 20; ++update) {
    const Random random = Random(1, Purpose::dropout).at(static_cast<std::uint64_t>(update));
    worker.compute({.examples = all, .random = random, .shards = 1});
    optimizer.apply({update, 0.05}, 0, worker.gradient(), model.parameters().values());
    model.parameters().invalidate_packed();
  }
  return model;
}

Batch batch_of(const Model& model, const std::vector<Example>& examples) {
  std::vector<Encoding> encoded;
  for (const Example& example : examples) encoded.push_back(model.task().encode(example));
  std::vector<const Encoding*> rows;
  for (const Encoding& encoding : encoded) rows.push_back(&encoding);
  Batch batch;
  fill_batch(model.task(), rows, batch);
  return batch;
}

// The value of a term of the loss, to the bit.
Real term(const Model& model, const Batch& batch, const std::string& name) {
  Arena arena;
  Pass pass(model.parameters(), arena);
  for (const LossTerm& found : model.network().loss(pass, batch).terms) {
    if (found.name == name) return *found.value.data();
  }
  ADD_FAILURE() << "no term " << name;
  return 0;
}

TEST(Agreement, EachOfTheTwoAnswersAsBefore) {
  const Model both = trained_together();
  const Batch batch = batch_of(both, lines);

  const auto forward = both.one_way(false);
  const Batch forward_batch = batch_of(*forward, lines);
  std::vector<Example> turned = lines;
  for (Example& line : turned) std::swap(line.source, line.target);
  const auto reverse = both.one_way(true);
  const Batch reverse_batch = batch_of(*reverse, turned);

  for (const std::string name : {"nll", "fertility"}) {
    EXPECT_EQ(term(*forward, forward_batch, name), term(both, batch, name)) << name;
    EXPECT_EQ(term(*reverse, reverse_batch, name), term(both, batch, "reverse_" + name)) << name;
  }
  EXPECT_NE(term(*forward, forward_batch, "nll"), term(*reverse, reverse_batch, "nll"));
  EXPECT_EQ(forward->task().encode_target("xyz"), reverse->task().encode_source("xyz").sources[0].symbols);
}

TEST(Agreement, TrainingMakesTheDirectionsAgree) {
  const Model both = trained_together();
  Config config = both.config();
  const Model untrained(config, Task(config, lines));
  const Batch batch = batch_of(both, lines);
  EXPECT_LT(term(both, batch, "agreement"), term(untrained, batch, "agreement"));
  EXPECT_LT(term(both, batch, "reverse_nll"), term(untrained, batch, "reverse_nll"));
}

// They say where to look in the source.
TEST(Agreement, TheOtherDirectionIsNotTaughtByLinks) {
  ModelOptions options;
  set_field(options.objective, "agreement=1");
  set_field(options.objective, "supervised=1");
  ASSERT_TRUE(options.objective.asked(&ObjectiveTraits::needs_links));
  const ModelOptions other = reverse_options(options);
  EXPECT_FALSE(other.objective.asked(&ObjectiveTraits::needs_links));
  EXPECT_FALSE(other.objective.asked(&ObjectiveTraits::both_directions));
}

// -Tr(A_xy A_yx), written out, where neither pads nor steps beyond the end count.
TEST(Agreement, IsTheTraceOfBothLooks) {
  const Model both = trained_together();
  const Batch batch = batch_of(both, lines);
  Arena arena, other;
  Pass pass(both.parameters(), arena);
  const Tensor forward = both.network().look(pass, batch);  // [target, batch, source]
  const auto reverse = both.one_way(true);
  Batch turned;
  turned.source = batch.reverse_source;
  turned.previous = batch.reverse_previous;
  turned.targets = batch.reverse_targets;
  Pass back(reverse->parameters(), other);
  const Tensor backward = reverse->network().look(back, turned);  // [source, batch, target]
  const int target = forward.shape()[0], rows = forward.shape()[1], source = forward.shape()[2];
  double trace = 0;
  for (int b = 0; b < rows; ++b) {
    for (int t = 0; t < target; ++t) {
      for (int i = 0; i < source; ++i) {
        if (!batch.targets.real[t * rows + b] || !batch.source.real[i * rows + b]) continue;
        trace +=
            double(forward.data()[(t * rows + b) * source + i]) * double(backward.data()[(i * rows + b) * target + t]);
      }
    }
  }
  EXPECT_NEAR(term(both, batch, "agreement"), -0.5 * trace, is_double ? 1e-12 : 1e-5);
  EXPECT_GT(trace, 1);
}

}  // namespace
}  // namespace fovea::agreement_test
