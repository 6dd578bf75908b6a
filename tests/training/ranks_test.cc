// Training on several ranks gives the bytes that training on one gives; here the ranks are threads, so that nothing is
// needed for it. tests/cli/mpi_test.cc does the same with mpirun.
#include <gtest/gtest.h>

#include <numeric>

#include "base/as_size.h"
#include "support/thread_ranks.h"
#include "training/tiny_run.h"

namespace fovea::ranks_test {
namespace {

struct Computed {
  GradientResult result;
  std::vector<Real> gradient;
};

class RankGradientTest : public testing::Test {
 protected:
  RankGradientTest() : model_(untrained_model()) {
    for (const Example& example : tiny_examples(1, 160)) examples_.push_back(model_.task().encode(example));
  }

  // Two batches one after the other, the second with other shards; by rank, what came of the second.
  std::vector<Computed> compute(int rank_count, int shards, int threads = 1) {
    std::vector<Computed> all(as_size(rank_count));
    sent_ = run_ranks(rank_count, [&](Ranks& ranks) {
      Workers workers(threads);
      GradientWorker worker(model_, examples_, workers, ranks);
      std::vector<std::uint32_t> batch(70);
      std::iota(batch.begin(), batch.end(), 5u);
      Computed& computed = all[as_size(ranks.rank())];
      for (const int used : {shards % 5 + 2, shards}) {
        computed.result =
            worker.compute({.examples = batch, .random = Random(1, Purpose::dropout), .dropout = 0.2, .shards = used});
      }
      computed.gradient.assign(worker.gradient().begin(), worker.gradient().end());
    });
    return all;
  }

  Model model_;
  std::vector<Encoding> examples_;
  std::vector<std::size_t> sent_;  // bytes, by rank
};

TEST_F(RankGradientTest, AllRanksHaveTheSameToTheBit) {
  for (const int shards : {1, 2, 3, 4, 7}) {
    const Computed expected = compute(1, shards)[0];
    for (const int ranks : {2, 3, 4, 6}) {
      const std::vector<Computed> all = compute(ranks, shards, 1 + ranks % 2);
      for (std::size_t rank = 0; rank < all.size(); ++rank) {
        const auto what = fmt::format("{} shards, rank {} of {}", shards, rank, ranks);
        EXPECT_TRUE(all[rank].gradient == expected.gradient) << what;
        EXPECT_EQ(all[rank].result.norm, expected.result.norm) << what;
        EXPECT_EQ(all[rank].result.loss, expected.result.loss) << what;
        EXPECT_EQ(all[rank].result.nll, expected.result.nll) << what;
        EXPECT_EQ(all[rank].result.symbols, expected.result.symbols) << what;
      }
      EXPECT_EQ(all[0].result.terms, expected.result.terms);
    }
  }
}

TEST_F(RankGradientTest, SendsAtMostTwiceTheWeights) {
  const double weights = static_cast<double>(model_.parameters().count()) * sizeof(Real) * 2;  // of two batches
  for (const int ranks : {2, 4}) {
    compute(ranks, 4);
    for (const std::size_t bytes : sent_) EXPECT_LE(static_cast<double>(bytes), 2 * weights + 1000);
  }
}

TEST(RankTraining, RanksAndAStopChangeNothing) {
  const Config config = tiny_config({"training.scheduled_sampling=0.3", "training.warmup=10"});
  const auto train = [&](const std::filesystem::path& folder, int count, std::int64_t updates) {
    std::vector<std::vector<Real>> weights(as_size(count));
    run_ranks(count, [&](Ranks& ranks) {
      Files files;
      Observer nobody;
      // Only rank 0 needs the folder.
      const auto place = ranks.first() ? folder : std::filesystem::path("/nowhere");
      Trainer trainer(config, tiny_data(),
                      {.folder = place, .stop_after = {updates, Period::Unit::updates}, .ranks = &ranks}, files,
                      nobody);
      EXPECT_EQ(trainer.run(), Ending::stopped);
      const std::span<const Real> values = trainer.model().parameters().values();
      weights[as_size(ranks.rank())].assign(values.begin(), values.end());
    });
    for (const auto& other : weights) EXPECT_TRUE(other == weights[0]);
    return remains(folder);
  };
  TemporaryFolder one;
  const std::string expected = train(one.path(), 1, 50);
  for (const int count : {2, 3, 5}) {
    TemporaryFolder folder;
    EXPECT_EQ(train(folder.path(), count, 50), expected) << count << " ranks";
  }
  if (!files_are_exact) return;
  TemporaryFolder parts;
  train(parts.path(), 2, 13);
  train(parts.path(), 1, 27);
  EXPECT_EQ(train(parts.path(), 4, 50), expected);
}

TEST(RankTraining, ASignalToOneRankStopsAll) {
  for (const int signalled : {0, 2}) {
    TemporaryFolder folder;
    std::array<std::int64_t, 3> updates = {};
    run_ranks(3, [&](Ranks& ranks) {
      class Stopper : public Observer {
       public:
        void updated(const UpdateReport& report) override {
          if (report.update == at) signal = 15;
        }
        std::int64_t at = 0;
        std::atomic<int> signal = 0;
      } stopper;
      if (ranks.rank() == signalled) stopper.at = 7;
      Files files;
      Trainer trainer(tiny_config(), tiny_data(),
                      {.folder = folder.path(), .stop_after = {}, .stop_signal = &stopper.signal, .ranks = &ranks},
                      files, stopper);
      EXPECT_EQ(trainer.run(), Ending::interrupted);
      updates[as_size(ranks.rank())] = trainer.progress().update;
    });
    EXPECT_EQ(updates, (std::array<std::int64_t, 3>{7, 7, 7}));
  }
}

TEST(RankTraining, OtherDataOrSettingsAreRefusedOnEveryRank) {
  for (const bool data : {true, false}) {
    TemporaryFolder folder;
    std::atomic<int> refused = 0;
    run_ranks(3, [&](Ranks& ranks) {
      const bool other = ranks.rank() == 2;
      Files files;
      Observer nobody;
      try {
        Trainer(tiny_config({!data && other ? "training.seed=2" : "training.seed=1"}), tiny_data(data && other ? 2 : 1),
                {.folder = folder.path(), .stop_after = {}, .ranks = &ranks}, files, nobody);
      } catch (const Error& e) {
        EXPECT_EQ(std::string(e.what()).substr(0, 6), "rank 2") << e.what();
        EXPECT_NE(std::string(e.what()).find(data ? "data" : "settings"), std::string::npos) << e.what();
        ++refused;
      }
    });
    EXPECT_EQ(refused, 3);
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  }
}

}  // namespace
}  // namespace fovea::ranks_test
