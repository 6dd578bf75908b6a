// Symbols begin with ready vectors, once.
#include <gtest/gtest.h>

#include "base/as_size.h"
#include "fovea.h"
#include "support/refusal.h"
#include "training/tiny_run.h"

namespace fovea::ready_vectors_test {
namespace {

class ReadyVectorsTest : public testing::Test {
 protected:
  struct Watching : Observer {
    void noticed(const std::string& text) override { told += text + "\n"; }
    std::string told;
  };

  TrainRequest request(const std::string& run, std::int64_t updates, const std::vector<std::string>& more) {
    TrainRequest request;
    request.data.examples = tiny_examples(1, 100);
    request.config.settings = tiny_settings();
    request.config.settings.insert(request.config.settings.end(), more.begin(), more.end());
    request.folder = folder_ / run;
    request.threads = 1;
    request.stop_after = {updates, Period::Unit::updates};
    request.observer = &watching_;
    return request;
  }
  std::vector<Real> row(const std::string& run, const std::string& table, bool source, const std::string& symbol) {
    const auto model = load_model(files_, folder_ / run);
    const Vocabulary& vocabulary = source ? model->task().source() : model->task().target();
    const Parameters& parameters = model->parameters();
    const auto entry = std::ranges::find(parameters.entries(), table, &Parameters::Entry::name);
    const auto values = parameters.values(*entry).subspan(as_size(vocabulary.encode(symbol)) * 8, 8);
    return {values.begin(), values.end()};
  }
  static std::string refused(const TrainRequest& request) {
    return refusal([&] { train(request); });
  }

  Files files_;
  TemporaryFolder folder_;
  Watching watching_;
};

TEST_F(ReadyVectorsTest, SymbolsBeginWithThem) {
  const std::string source = folder_.write("source.txt", "3 8\na 1 2 3 4 5 6 7 8\n? 1 1 1 1 1 1 1 1\n");
  const std::string target = folder_.write("target.txt", "x 8 7 6 5 4 3 2 1\n");
  const std::vector<std::string> settings = {"source.vectors=" + source, "target.vectors=" + target};
  train(request("plain", 0, {}));
  train(request("run", 0, settings));
  EXPECT_TRUE(watching_.told.starts_with("source.vectors: 1 of ")) << watching_.told;
  EXPECT_TRUE(watching_.told.ends_with("\ntarget.vectors: 1 of 2 symbols are in " + target + "\n")) << watching_.told;
  EXPECT_EQ(row("run", "encoder.embedding.table", true, "a"), (std::vector<Real>{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(row("run", "decoder.embedding.table", false, "x"), (std::vector<Real>{8, 7, 6, 5, 4, 3, 2, 1}));
  EXPECT_EQ(row("run", "encoder.embedding.table", true, "b"), row("plain", "encoder.embedding.table", true, "b"));
  std::filesystem::remove(source);
  watching_.told.clear();
  EXPECT_EQ(train(request("run", 2, settings)).updates, 2) << "it goes on without them";
  EXPECT_EQ(watching_.told, "");
}

TEST_F(ReadyVectorsTest, OfAModelTheyAreForNewSymbols) {
  const std::string file = folder_.write("source.txt", "a 1 2 3 4 5 6 7 8\n! 1 1 1 1 1 1 1 1\n");
  train(request("first", 0, {"source.vectors=" + folder_.write("gone.txt", "a 0 0 0 0 0 0 0 0\n")}));
  std::filesystem::remove(folder_ / "gone.txt");
  TrainRequest more = request("more", 0, {"source.vectors=" + file});
  more.from = folder_ / "first";
  for (Example& example : more.data.examples) example.source += "!";
  train(more);
  EXPECT_EQ(row("more", "encoder.embedding.table", true, "a"), std::vector<Real>(8, 0));
  EXPECT_EQ(row("more", "encoder.embedding.table", true, "!"), std::vector<Real>(8, 1));
}

TEST_F(ReadyVectorsTest, WhatDoesNotFitIsRefused) {
  const std::string file = folder_.write("short.txt", "a 1 2 3\n");
  const std::string source = refused(request("run", 1, {"source.vectors=" + file}));
  EXPECT_NE(source.find("vectors of 3 numbers, but encoder.embedding is 8"), std::string::npos) << source;
  const std::string target = refused(request("run", 1, {"target.vectors=" + file}));
  EXPECT_NE(target.find("but decoder.embedding is 8"), std::string::npos) << target;
  EXPECT_NE(refused(request("run", 1, {"target.vectors=nowhere.txt"})).find("nowhere.txt"), std::string::npos);
}

}  // namespace
}  // namespace fovea::ready_vectors_test
