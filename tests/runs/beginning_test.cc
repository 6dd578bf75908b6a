// A run that begins with a model: what it takes over, what it adds, and that it needs the model once.
#include <gtest/gtest.h>

#include "base/as_size.h"
#include "fovea.h"
#include "support/thread_ranks.h"
#include "training/tiny_run.h"

namespace fovea::beginning_test {
namespace {

class BeginningTest : public testing::Test {
 protected:
  BeginningTest() {
    TrainRequest first = request("first", 30);
    first.config.settings = tiny_settings();
    first.from.clear();
    train(first);
  }

  // The tiny data with a letter more on either side, twice as often as another.
  TrainRequest request(const std::string& run, std::int64_t updates) const {
    TrainRequest request;
    request.data.examples = tiny_examples(3, 100);
    request.config.settings = {"training.batch=16", "training.validate_every=20u", "training.average=0"};
    request.folder = folder_ / run;
    request.from = folder_ / "first";
    request.threads = 1;
    request.stop_after = {updates, Period::Unit::updates};
    return request;
  }
  TrainRequest with_new_symbols(const std::string& run, std::int64_t updates) const {
    TrainRequest more = request(run, updates);
    for (std::size_t i = 0; i < more.data.examples.size(); ++i) {
      more.data.examples[i].source += i % 3 ? "\xC3\xA4" : "\xC3\xA5";
      more.data.examples[i].target += i % 3 ? "w" : "v";
    }
    return more;
  }
  std::unique_ptr<Model> model(const std::string& run) {
    Files files;
    return load_model(files, folder_ / run);
  }
  static std::string refused(const TrainRequest& request) {
    try {
      train(request);
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::usage) << e.what();
      return e.what();
    }
    return "not refused";
  }

  TemporaryFolder folder_;
};

const Parameters::Entry& find(const Parameters& parameters, const std::string& name) {
  return *std::ranges::find(parameters.entries(), name, &Parameters::Entry::name);
}

TEST_F(BeginningTest, WithoutAnUpdateItIsTheModel) {
  train(request("same", 0));
  const auto first = model("first"), same = model("same");
  EXPECT_EQ(same->task().source().to_json(), first->task().source().to_json());
  EXPECT_EQ(same->config().model.encoder.size, 8) << "of the model, not of the data";
  ASSERT_EQ(same->parameters().count(), first->parameters().count());
  EXPECT_TRUE(
      std::ranges::equal(std::as_const(*same).parameters().values(), std::as_const(*first).parameters().values()));
}

TEST_F(BeginningTest, NewSymbolsComeBehind) {
  train(with_new_symbols("more", 0));
  const auto first = model("first"), more = model("more");
  const Vocabulary &known = first->task().target(), &target = more->task().target();
  ASSERT_EQ(target.size(), known.size() + 2);
  for (int id = 0; id < known.size(); ++id) EXPECT_EQ(target.text(id), known.text(id));
  EXPECT_EQ(target.text(known.size()), "w") << "the more frequent one";
  EXPECT_EQ(target.text(known.size() + 1), "v");
  EXPECT_EQ(more->task().source().text(more->task().source().size() - 1), "\xC3\xA5");

  Model fresh(more->config(), Task(more->config(), more->task().learned()));
  const Parameters &old = first->parameters(), &now = std::as_const(*more).parameters(),
                   &born = std::as_const(fresh).parameters();
  for (const Parameters::Entry& entry : now.entries()) {
    const Parameters::Entry& before = find(old, entry.name);
    const int columns = entry.shape.last(), width = before.shape.last();
    for (int i = 0; i < static_cast<int>(entry.shape.count()); ++i) {
      const int row = i / columns, column = i % columns;
      const bool is_known = column < width && row < static_cast<int>(before.shape.count()) / width;
      const auto at = as_size(i);
      const Real expected = is_known ? old.values(before)[as_size(row * width + column)] : born.values(entry)[at];
      ASSERT_EQ(now.values(entry)[at], static_cast<Real>(static_cast<float>(expected))) << entry.name << " " << i;
    }
  }
  EXPECT_NE(find(now, "generator.choice.bias").shape.count(), find(old, "generator.choice.bias").shape.count());
}

TEST_F(BeginningTest, GoesOnWithoutTheModel) {
  train(with_new_symbols("whole", 50));
  train(with_new_symbols("stopped", 25));
  std::filesystem::rename(folder_ / "first", folder_ / "away");
  train(with_new_symbols("stopped", 50));
  if (files_are_exact) {
    EXPECT_EQ(remains(folder_ / "stopped"), remains(folder_ / "whole"));
  }
  TrainRequest fresh = with_new_symbols("stopped", 50);
  fresh.fresh = true;
  EXPECT_THROW(train(fresh), Error) << "a run that starts over wants it";
}

TEST_F(BeginningTest, RanksChangeNothing) {
  train(with_new_symbols("one", 25));
  for (const std::int64_t updates : {10, 25}) {
    run_ranks(2, [&](Ranks& ranks) {
      TrainRequest request = with_new_symbols("two", updates);
      request.ranks = &ranks;
      if (!ranks.first()) request.from = folder_ / "nowhere";  // rank 0 alone reads it
      train(request);
    });
  }
  if (files_are_exact) {
    EXPECT_EQ(remains(folder_ / "one"), remains(folder_ / "two"));
  }
}

TEST_F(BeginningTest, WhatContradictsTheModelIsRefused) {
  TrainRequest wrong = request("run", 1);
  wrong.config.settings.push_back("encoder.size=16");
  EXPECT_TRUE(refused(wrong).starts_with("encoder.size = 16, but the model given by `from` has 8")) << refused(wrong);
  wrong = request("run", 1);
  wrong.config.settings = {"encoder.size=8", "training.learning_rate=0.5", "objective.label_smoothing=0.2"};
  EXPECT_EQ(refused(wrong), "not refused");
  wrong = request("other", 1);
  for (Example& example : wrong.data.examples) example.features = "V;SG";
  wrong.config.columns = "source,target,features";
  EXPECT_NE(refused(wrong).find("this model reads no features"), std::string::npos) << refused(wrong);
  wrong = request("other", 1);
  wrong.config.settings.push_back("objective.fertility=1");
  EXPECT_NE(refused(wrong).find("has no weight objective.fertility"), std::string::npos) << refused(wrong);
}

TEST_F(BeginningTest, ARunKnowsWhatItBeganWith) {
  train(request("run", 1));
  TrainRequest other = request("run", 2);
  other.from = folder_ / "other";
  EXPECT_NE(refused(other).find("/first, not from "), std::string::npos) << refused(other);
  other.from.clear();
  other.config.settings = tiny_settings();
  EXPECT_NE(refused(other).find(", not anew; give the same `from`"), std::string::npos) << refused(other);
  other = request("first", 31);
  other.from = folder_ / "run";
  EXPECT_NE(refused(other).find("holds a run that began anew, not from"), std::string::npos) << refused(other);
  other = request("run", 2);
  other.from += "/";
  EXPECT_EQ(train(other).updates, 2) << "the same folder";
}

TEST_F(BeginningTest, FeaturesComeBehindToo) {
  TrainRequest tagged = request("tagged", 2);
  tagged.from.clear();
  tagged.config.settings = tiny_settings();
  for (Example& example : tagged.data.examples) example.features = "V;SG";
  train(tagged);
  tagged = request("more", 0);
  tagged.from = folder_ / "tagged";
  for (Example& example : tagged.data.examples) example.features = "V;PL";
  train(tagged);
  const auto before = model("tagged"), after = model("more");
  ASSERT_EQ(after->task().features().size(), before->task().features().size() + 1);
  EXPECT_EQ(after->task().features().text(after->task().features().size() - 1), "PL");
}

}  // namespace
}  // namespace fovea::beginning_test
