// The same seed gives the same bytes: for any number of threads, after any stop, however often a run is saved.
#include <gtest/gtest.h>

#include <random>

#include "training/tiny_run.h"

namespace fovea::determinism_test {
namespace {

constexpr std::int64_t all_updates = 60;
constexpr Period to_the_end = {all_updates, Period::Unit::updates};

// Asks for an end at an update, as a signal does.
class Stopper : public Observer {
 public:
  explicit Stopper(std::int64_t update) : update_(update) {}
  void updated(const UpdateReport& report) override {
    if (report.update >= update_) signal = 15;
  }
  std::atomic<int> signal = 0;

 private:
  std::int64_t update_;
};

Ending train(const Config& config, const std::filesystem::path& folder, Period stop_after = to_the_end,
             int threads = 1) {
  Files files;
  Observer nobody;
  return Trainer(config, tiny_data(), {.folder = folder, .threads = threads, .stop_after = stop_after}, files, nobody)
      .run();
}

std::string train_whole(const Config& config, int threads = 1) {
  TemporaryFolder folder;
  EXPECT_EQ(train(config, folder.path(), to_the_end, threads), Ending::stopped);
  return remains(folder.path());
}

// Of a run with any intervals: a hash of its last weights.
std::string train_weights(const Config& config, Period save_every = {}) {
  TemporaryFolder folder;
  Files files;
  Observer nobody;
  Trainer trainer(config, tiny_data(), {.folder = folder.path(), .stop_after = to_the_end, .save_every = save_every},
                  files, nobody);
  trainer.run();
  const std::span<const Real> weights = trainer.model().parameters().values();
  return fmt::format(
      "{:x}", std::hash<std::string_view>()({reinterpret_cast<const char*>(weights.data()), weights.size_bytes()}));
}

// Every part of training that draws random numbers or remembers anything takes part.
Config lively() {
  return tiny_config(
      {"training.scheduled_sampling=0.3", "training.scheduled_sampling_warmup=40", "training.warmup=10"});
}

TEST(Determinism, ThreadsChangeNothing) {
  const std::string expected = train_whole(lively(), 1);
  for (const int threads : {2, 3, 5}) EXPECT_EQ(train_whole(lively(), threads), expected) << threads << " threads";
}

// Models that draw, keep a history, or train two models at once: threads and a stop in the middle change nothing.
class DeterminismOf : public testing::TestWithParam<std::vector<std::string>> {};

TEST_P(DeterminismOf, ThreadsAndAStopChangeNothing) {
  const Config config = tiny_config(GetParam());
  const std::string expected = train_whole(config, 1);
  EXPECT_EQ(train_whole(config, 3), expected);
  if (!files_are_exact) return;
  TemporaryFolder folder;
  train(config, folder.path(), {23, Period::Unit::updates}, 2);
  train(config, folder.path());
  EXPECT_EQ(remains(folder.path()), expected);
}

INSTANTIATE_TEST_SUITE_P(
    Models, DeterminismOf,
    testing::Values(
        std::vector<std::string>{"attention.select=hard", "attention.heads=2"},
        std::vector<std::string>{"objective.baseline=average", "attention.select=hard"},
        std::vector<std::string>{"attention.select=gumbel"}, std::vector<std::string>{"attention.select=monotonic"},
        std::vector<std::string>{"attention.select=actions"},
        std::vector<std::string>{"attention.select=monotonic_hmm", "decoder.style=luong", "decoder.feeding=false"},
        std::vector<std::string>{"encoder.rationale=true"},
        std::vector<std::string>{"objective.agreement=0.5", "attention.bias=markov,coverage"},
        std::vector<std::string>{"generator.kind=copynet"},
        std::vector<std::string>{"encoder.kind=transformer", "decoder.kind=transformer", "self_attention.heads=2",
                                 "self_attention.rotary=true", "training.scheduled_sampling=0.3"}),
    [](const auto& info) {
      std::string name;
      for (const char c : info.param[0]) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
      return name;
    });

TEST(Determinism, ModelIsNotTheOneOfTheFirstValidation) {
  TemporaryFolder folder;
  train(lively(), folder.path(), {20, Period::Unit::updates});
  const std::string first = read_bytes(folder / model_file_name);
  train(lively(), folder.path());
  EXPECT_TRUE(read_bytes(folder / model_file_name) != first) << "the other tests would compare too little";
}

TEST(Determinism, StopsAtAnyUpdateChangeNothing) {
  if (!files_are_exact) GTEST_SKIP() << "checkpoints hold floats";
  const std::string expected = train_whole(lively());
  std::mt19937 random(7);
  for (int round = 0; round < 6; ++round) {
    TemporaryFolder folder;
    for (std::int64_t update = 0; update < all_updates;) {
      update = std::min<std::int64_t>(all_updates, update + 1 + static_cast<std::int64_t>(random() % 25));
      train(lively(), folder.path(), {update, Period::Unit::updates}, 1 + static_cast<int>(random() % 3));
    }
    EXPECT_EQ(remains(folder.path()), expected) << "round " << round;
  }
}

TEST(Determinism, SignalsAtAnyUpdateChangeNothing) {
  if (!files_are_exact) GTEST_SKIP() << "checkpoints hold floats";
  const std::string expected = train_whole(lively());
  for (const std::int64_t update : {1, 7, 20, 33, 59}) {
    TemporaryFolder folder;
    Files files;
    Stopper stopper(update);
    Trainer trainer(lively(), tiny_data(),
                    {.folder = folder.path(), .stop_after = to_the_end, .stop_signal = &stopper.signal}, files,
                    stopper);
    EXPECT_EQ(trainer.run(), Ending::interrupted);
    EXPECT_EQ(trainer.progress().update, update);
    train(lively(), folder.path());
    EXPECT_EQ(remains(folder.path()), expected) << "interrupted at " << update;
  }
}

// Asks for an end when a validation is about to begin.
class ValidationStopper : public Observer {
 public:
  explicit ValidationStopper(std::int64_t update) : update_(update) {}
  void saved(const std::string&, std::int64_t update) override {
    if (update == update_) signal = 15;
  }
  void validated(const ValidationReport& report) override { validated_at = report.update; }
  std::atomic<int> signal = 0;
  std::int64_t validated_at = 0;

 private:
  std::int64_t update_;
};

TEST(Determinism, ASignalWithinAValidationEndsItAndItIsDoneAgain) {
  if (!files_are_exact) GTEST_SKIP() << "checkpoints hold floats";
  TemporaryFolder whole;
  train(lively(), whole.path());
  for (const std::int64_t update : {20, 40, 60}) {
    TemporaryFolder folder;
    Files files;
    ValidationStopper stopper(update);
    Trainer trainer(
        lively(), tiny_data(),
        {.folder = folder.path(), .threads = 2, .stop_after = {}, .save_every = {}, .stop_signal = &stopper.signal},
        files, stopper);
    EXPECT_EQ(trainer.run(), Ending::interrupted);
    EXPECT_EQ(trainer.progress().update, update);
    EXPECT_EQ(stopper.validated_at, update - 20) << "the validation was done all the same";
    // A process that was killed between the two may have told of a validation that its checkpoint does not know.
    files.append(folder / journal_file_name, fmt::format("{{\"event\":\"validation\",\"update\":{}}}\n", update));
    train(lively(), folder.path());
    EXPECT_EQ(remains(folder.path()), remains(whole.path())) << "interrupted at " << update;
    EXPECT_EQ(journal_without_times(folder.path()), journal_without_times(whole.path()));
  }
}

TEST(Determinism, ASignalWithinTheLastValidationInterruptsTheRun) {
  TemporaryFolder folder, whole;
  Files files;
  ValidationStopper stopper(25);
  const Period until = {25, Period::Unit::updates};
  Trainer trainer(lively(), tiny_data(), {.folder = folder.path(), .stop_after = until, .stop_signal = &stopper.signal},
                  files, stopper);
  EXPECT_EQ(trainer.run(), Ending::interrupted) << "what was learned since update 20 is not measured";
  EXPECT_EQ(stopper.validated_at, 20);
  if (!files_are_exact) GTEST_SKIP() << "checkpoints hold floats";
  train(lively(), folder.path(), until);
  train(lively(), whole.path(), until);
  EXPECT_EQ(remains(folder.path()), remains(whole.path()));
}

TEST(Determinism, JournalOfAStoppedRunIsThatOfAWholeOne) {
  if (!files_are_exact) GTEST_SKIP() << "checkpoints hold floats";
  TemporaryFolder whole, parts;
  train(lively(), whole.path(), {110, Period::Unit::updates});
  for (const std::int64_t update : {30, 45, 99, 110}) train(lively(), parts.path(), {update, Period::Unit::updates});
  EXPECT_EQ(journal_without_times(parts.path()), journal_without_times(whole.path()));
}

TEST(Determinism, SeedsDiffer) {
  Config other = lively();
  other.training.seed = 2;
  EXPECT_NE(train_weights(lively()), train_weights(other));
}

TEST(Determinism, SavingAndValidatingDrawNoRandomNumbers) {
  const std::vector<std::string> steady = {"training.decay=none", "training.scheduled_sampling=0.3"};
  const std::string expected = train_weights(tiny_config(steady));
  for (const char* period : {"1u", "7u", "1e", "1s"}) {
    EXPECT_EQ(train_weights(tiny_config(steady), parse_period(period)), expected) << period;
  }
  for (const char* setting : {"training.validate_every=7u", "training.validate_every=1e"}) {
    Config config = tiny_config(steady);
    set_field(config, setting);
    EXPECT_EQ(train_weights(config), expected) << setting;
  }
}

TEST(Determinism, JournalOfAResumedRunHasEachEventOnce) {
  TemporaryFolder whole, parts;
  train(lively(), whole.path());
  for (const std::int64_t update : {13, 21, 60}) train(lively(), parts.path(), {update, Period::Unit::updates});
  // A killed process may have written events of updates that its checkpoint does not know, and half a line.
  Files files;
  files.append(parts / journal_file_name, "{\"event\":\"validation\",\"update\":80,\"exact\":0.5}\n{\"event\":\"upd");
  train(lively(), parts.path());
  const JournalEvents expected = read_journal(files, whole / journal_file_name);
  const JournalEvents got = read_journal(files, parts / journal_file_name);
  ASSERT_EQ(expected.validations.size(), 3u);
  ASSERT_EQ(got.validations.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(got.validations[i].update, 20 * static_cast<std::int64_t>(i + 1));
    if (!files_are_exact) continue;
    EXPECT_FALSE(got.validations[i].metrics.empty());
    EXPECT_EQ(got.validations[i].metrics, expected.validations[i].metrics);
    EXPECT_EQ(got.validations[i].training_loss, expected.validations[i].training_loss);
  }
  ASSERT_EQ(got.updates.size(), 1u);
  EXPECT_EQ(got.updates[0].update, 50);
}

TEST(Determinism, FinishedRunStaysFinished) {
  const Config config = tiny_config({"training.patience=1", "training.learning_rate=0"});
  TemporaryFolder folder;
  EXPECT_EQ(train(config, folder.path(), {}), Ending::finished);
  const std::string first = remains(folder.path());
  EXPECT_EQ(train(config, folder.path(), {}), Ending::finished);
  EXPECT_EQ(remains(folder.path()), first);
}

}  // namespace
}  // namespace fovea::determinism_test
