// Every contradiction is refused as one in what was asked for, and the message names both sides of it.
#include "models/conflicts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "models/tiny_model.h"

namespace fovea::conflicts_test {
namespace {

struct Conflict {
  std::function<void(ModelOptions&)> choose;
  std::string one, other;  // what the message says, before any advice
};

void choose_sum(ModelOptions& o) {
  o.attention.select = "exact_hard";
  o.decoder.style = "luong";
  o.decoder.feeding = false;
}

std::vector<Conflict> conflicts() {
  using M = ModelOptions;
  const std::string plain = "decoder.style = plain", sum = "attention.select = exact_hard";
  std::vector<Conflict> all = {
      {[](M& o) { o.decoder.style = "plain", o.decoder.bridge = "zero"; }, plain, "decoder.bridge = zero"},
      {[](M& o) { o.decoder.style = "plain", o.decoder.bridge = "learned"; }, plain, "decoder.bridge = learned"},
      {[](M& o) { o.decoder.style = "plain", o.generator.kind = "copynet"; }, plain, "generator.kind = copynet"},
      {[](M& o) { o.decoder.style = "plain", o.encoder.kind = "structured"; }, plain, "encoder.kind = structured"},
      {[](M& o) { choose_sum(o), o.decoder.style = "bahdanau"; }, sum, "decoder.style = bahdanau"},
      {[](M& o) { choose_sum(o), o.decoder.feeding = true; }, sum, "decoder.feeding"},
      {[](M& o) { choose_sum(o), o.decoder.kind = "transformer"; }, sum, "decoder.kind = transformer"},
      {[](M& o) { choose_sum(o), o.generator.kind = "sentinel"; }, sum, "generator.kind = sentinel"},
      {[](M& o) { choose_sum(o), o.attention.heads = 2; }, sum, "heads"},
      {[](M& o) { choose_sum(o), o.attention.projections = true; }, sum, "projections"},
      {[](M& o) { choose_sum(o), o.attention.read = "gated"; }, sum, "attention.read = gated"},
      {[](M& o) { choose_sum(o), o.attention.bias = {"position", "markov"}; }, sum, "attention.bias = markov"},
      {[](M& o) { choose_sum(o), o.attention.score = "additive_coverage"; }, sum,
       "attention.score = additive_coverage"},
      {[](M& o) { choose_sum(o), o.objective.label_smoothing = 0.1; }, sum, "objective.label_smoothing"},
      {[](M& o) { set_field(o.objective, "coverage_embedding=1"); }, "objective.coverage_embedding",
       "attention.bias = coverage_embedding"},
      {[](M& o) { set_field(o.objective, "diversity=1"); }, "objective.diversity", "encoder.kind = rnn"},
      {[](M& o) { set_field(o.objective, "agreement=1"), o.generator.kind = "copynet"; }, "objective.agreement",
       "generator.kind = copynet"},
      {[](M& o) { o.decoder.frozen = o.generator.tied = true; }, "decoder.frozen", "generator.tied"},
      {[](M& o) { o.generator.own_attention = true; }, "generator.own_attention", "softmax"},
      {[](M& o) { o.generator.kind = "pointer_generator", o.attention.select = "sigmoid"; },
       "generator.kind = pointer_generator", "attention.select = sigmoid"},
      {[](M& o) { o.generator.kind = "lexicon_bias", o.attention.select = "identity"; },
       "generator.kind = lexicon_bias", "attention.select = identity"},
      {[](M& o) { o.decoder.kind = "transformer", o.generator.kind = "copynet"; }, "decoder.kind = transformer",
       "generator.kind = copynet"},
      {[](M& o) { o.decoder.kind = "transformer", o.attention.bias = {"coverage"}; }, "attention: \"coverage\"",
       "transformer"},
      {[](M& o) { o.decoder.kind = "transformer", o.attention.score = "additive_coverage"; },
       "attention: \"additive_coverage\"", "transformer"},
      {[](M& o) { o.decoder.kind = "transformer", o.attention.select = "monotonic"; }, "attention: \"monotonic\"",
       "transformer"},
      {[](M& o) { o.encoder.kind = "transformer", o.self_attention.bias = {"markov"}; }, "self_attention: \"markov\"",
       "transformer"},
      {[](M& o) { choose_sum(o), o.decoder.feeding = true; }, sum, "decoder.style = luong and decoder.feeding:"},
      {[](M& o) { o.encoder.kind = "transformer", o.self_attention.select = "exact_hard"; },
       "self_attention: \"exact_hard\"", "transformer"},
      {[](M& o) { o.encoder.kind = "lstmn", o.intra_attention.select = "monotonic"; }, "encoder.kind = lstmn",
       "intra_attention"},
      {[](M& o) { o.encoder.kind = "lstmn", o.intra_attention.score = "convolutional"; }, "encoder.kind = lstmn",
       "intra_attention.score = convolutional"},
      {[](M& o) { o.attention.rotary = true, o.encoder.bidirectional = false, o.encoder.size = 3; }, "attention.rotary",
       "keys of 3"},
      {[](M& o) { o.attention.rotary = true, o.decoder.size = 3; }, "attention.rotary", "queries of 3"},
  };
  for (const EncoderKind* kind : encoders()) {
    if (kind->name == "structured") continue;
    all.push_back({[=](M& o) { o.encoder.kind = kind->name, set_field(o.objective, "diversity=1"); },
                   fmt::format("encoder.kind = {}", kind->name), "objective.diversity"});
  }
  for (const std::string kind : {"structured", "pyramid", "hierarchical"}) {
    const auto add = [&](auto change, const std::string& what) {
      all.push_back(
          {[=](M& o) { o.encoder.kind = kind, o.encoder.layers = 2, change(o); }, "encoder.kind = " + kind, what});
    };
    add([](M& o) { o.generator.kind = "pointer_generator"; }, "generator.kind = pointer_generator");
    add([](M& o) { set_field(o.objective, "supervised=1"); }, "objective.supervised");
    add([](M& o) { set_field(o.objective, "agreement=1"); }, "objective.agreement");
  }
  for (const ObjectiveKind* kind : objectives()) {
    if (!kind->traits.holds_attention) continue;
    const auto choose = [=](M& o) {
      o.decoder.style = "plain", set_field(o.objective, std::string(kind->name) + "=1");
    };
    all.push_back({choose, plain, "objective"});
  }
  return all;
}

TEST(Conflicts, AreUsageErrorsThatNameBothSides) {
  for (const Conflict& conflict : conflicts()) {
    ModelOptions options = tiny_options();
    conflict.choose(options);
    try {
      TinyModel model(options);
      ADD_FAILURE() << conflict.one << " with " << conflict.other << " is accepted";
    } catch (const Error& e) {
      const std::string message = e.what();
      EXPECT_EQ(e.kind(), ErrorKind::usage) << message;
      EXPECT_NE(message.find(conflict.one), std::string::npos) << conflict.one << " is not in: " << message;
      EXPECT_NE(message.find(conflict.other), std::string::npos) << conflict.other << " is not in: " << message;
      EXPECT_EQ(message.find('\n'), std::string::npos) << message;
      const std::size_t advice = std::min({message.find("; "), message.find("leave it out"), message.size()});
      EXPECT_LT(message.find(conflict.one), advice) << message;
      EXPECT_LT(message.find(conflict.other), advice) << message;
    }
  }
}

// Only training knows its share of sampling.
TEST(Conflicts, OfSamplingAreUsageErrorsToo) {
  ModelOptions options = tiny_options();
  choose_sum(options);
  TinyModel model(options);
  try {
    model.terms(model.batch(), {}, 0, 0.5);
    ADD_FAILURE() << "it is accepted";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::usage);
    EXPECT_NE(std::string(e.what()).find("training.scheduled_sampling"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("attention.select"), std::string::npos) << e.what();
  }
}

TEST(Conflicts, AreNotSeenWhereThereAreNone) {
  const std::vector<std::function<void(ModelOptions&)>> fine = {
      [](ModelOptions&) {}, choose_sum, [](ModelOptions& o) { choose_sum(o), o.attention.bias = {"position"}; },
      [](ModelOptions& o) { o.encoder.kind = "pyramid", o.generator.kind = "pointer_generator"; },  // of one layer
      [](ModelOptions& o) { o.decoder.style = "plain", o.decoder.bridge = "mean"; },
      [](ModelOptions& o) { o.decoder.frozen = o.encoder.frozen = true; },
      [](ModelOptions& o) {
        o.generator.kind = "pointer_generator", o.generator.own_attention = true, o.attention.select = "sigmoid";
      },
      // A decoder without attention does not care what its attention would be.
      [](ModelOptions& o) { o.decoder.style = "plain", o.attention.select = "exact_hard"; }};
  for (std::size_t i = 0; i < fine.size(); ++i) {
    ModelOptions options = tiny_options();
    fine[i](options);
    EXPECT_NO_THROW(TinyModel model(options)) << "case " << i;
  }
}

}  // namespace
}  // namespace fovea::conflicts_test
