// What training does from update to update, as an observer sees it.
#include "training/trainer.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/as_size.h"
#include "training/trainer_run.h"

namespace fovea::trainer_test {
namespace {

TEST_F(TrainerTest, ANewRunForgetsWhatAnotherHadSetAside) {
  const auto aside = folder_.path() / "before-stop.model.safetensors";
  files_.write_atomically(aside, "the best model of another run");
  Trainer(tiny_config(), tiny_data(),
          {.folder = folder_.path(), .stop_after = {1, Period::Unit::updates}, .fresh = true}, files_, record_)
      .run();
  EXPECT_FALSE(files_.exists(aside)) << "or going on would put it in the place of this run's";
}

TEST_F(TrainerTest, LossFallsAndAnswersGetBetter) {
  train(tiny_config({"training.validate_every=100u"}), 200);
  ASSERT_EQ(record_.updates.size(), 200u);
  EXPECT_LT(record_.updates.back().training_loss, 0.3 * record_.updates.front().training_loss);
  ASSERT_EQ(record_.validations.size(), 2u);
  EXPECT_LT(record_.validations[0].training_loss, record_.updates.front().training_loss) << "of a symbol, too";
  EXPECT_LT(record_.validations[1].training_loss, record_.validations[0].training_loss);
  const auto exact = [&](std::size_t validation) {
    return record_.validations[validation].metrics.find("exact").value();
  };
  EXPECT_GT(exact(1), std::max(0.3, exact(0)));
}

TEST_F(TrainerTest, ReportsAreNumberedAndSavesFallDue) {
  save_every_ = {8, Period::Unit::updates};
  train(tiny_config(), 45);
  for (std::size_t i = 0; i < record_.updates.size(); ++i) {
    EXPECT_EQ(record_.updates[i].update, static_cast<std::int64_t>(i + 1));
    EXPECT_NEAR(record_.updates[i].epoch, static_cast<double>(i + 1) / 10, 1e-9);  // 160 lines, 16 a batch
  }
  EXPECT_EQ(record_.saves, (std::vector<std::int64_t>{8, 16, 20, 20, 24, 32, 40, 40, 45}));
  ASSERT_EQ(record_.starts.size(), 1u);
  EXPECT_EQ(record_.starts[0].training_lines, 160);
  EXPECT_EQ(record_.starts[0].held_out_lines, 40);
  EXPECT_EQ(record_.starts[0].updates_per_epoch, 10);
  EXPECT_EQ(record_.starts[0].resumed_from, 0);
  train(tiny_config(), 46);
  EXPECT_EQ(record_.starts[1].resumed_from, 45);
}

TEST_F(TrainerTest, ValidationsByEpoch) {
  train(tiny_config({"training.validate_every=2e"}), 45);
  ASSERT_EQ(record_.validations.size(), 3u);
  EXPECT_EQ(record_.validations[0].update, 20);
  EXPECT_EQ(record_.validations[1].update, 40);
  EXPECT_TRUE(record_.validations[2].aside) << "before it stops";
  EXPECT_NEAR(record_.validations[1].epoch, 4, 1e-9);
  EXPECT_NEAR(record_.validations[2].epoch, 4.5, 1e-9);
}

TEST_F(TrainerTest, ValidationsByTimeAreRefused) {
  EXPECT_THROW(train(tiny_config({"training.validate_every=10s"}), 1), Error);
  EXPECT_THROW(train(tiny_config({"training.validate_every=none"}), 1), Error);
}

TEST_F(TrainerTest, PatienceEndsTheRun) {
  std::vector<std::string> settings = stuck;
  settings.push_back("training.patience=3");
  Trainer run = trainer(tiny_config(settings), 1000);
  EXPECT_EQ(run.run(), Ending::finished);
  EXPECT_EQ(run.progress().update, 20);  // the first is the best, then three more
  EXPECT_NE(run.progress().finished.find("3 validations"), std::string::npos);
  EXPECT_EQ(record_.validations.back().patience_left, 0);
  EXPECT_FALSE(run.has_left_single_symbols());
}

// Also where it stops before it was to be validated.
TEST_F(TrainerTest, AStopSaysWhetherAnythingWasLearned) {
  Trainer early = trainer(tiny_config({"training.learning_rate=1e-12", "training.validate_every=1000u"}), 3);
  EXPECT_EQ(early.run(), Ending::stopped);
  ASSERT_TRUE(early.best_loss());
  EXPECT_FALSE(early.has_left_single_symbols());
}

TEST_F(TrainerTest, PatienceIsOverAfterSoManyUpdatesAtTheEarliest) {
  std::vector<std::string> settings = stuck;
  settings.insert(settings.end(), {"training.patience=3", "training.patience_updates=37"});
  Trainer run = trainer(tiny_config(settings), 1000);
  EXPECT_EQ(run.run(), Ending::finished);
  EXPECT_EQ(run.progress().update, 45);  // the first validation with 37 updates since the best, which was at 5
}

TEST_F(TrainerTest, AFinishedRunGoesOnWithMorePatience) {
  std::vector<std::string> settings = stuck;
  settings.push_back("training.patience=3");
  trainer(tiny_config(settings), 1000).run();
  settings.push_back("training.patience=5");
  Trainer run = trainer(tiny_config(settings), 1000);
  EXPECT_EQ(run.run(), Ending::finished);
  EXPECT_EQ(run.progress().update, 30);
  EXPECT_EQ(record_.updates.size(), 30u) << "what was done is not done again";
}

TEST_F(TrainerTest, TheMetricDecidesWhatIsBest) {
  for (const std::string& metric : Criterion::names()) {
    const Criterion criterion(metric);
    const auto score = [&](const ValidationReport& report) {
      return criterion.find(report.metrics, report.held_out_loss).value();
    };
    record_ = Record();
    trainer(tiny_config({"training.validate_every=10u", "training.metric=" + metric}), 100, true).run();
    const ValidationReport* best = nullptr;
    for (const ValidationReport& report : record_.validations) {
      const double before = best ? score(*best) : 0, now = score(report);
      const bool better =
          !best || criterion.better(now, before) || (now == before && report.held_out_loss < best->held_out_loss);
      EXPECT_EQ(report.metric, metric);
      EXPECT_EQ(report.best, better) << metric << " at " << report.update;
      if (better) best = &report;
    }
    const TensorFile checkpoint = decode_safetensors(read_bytes(folder_ / checkpoint_file_name), "checkpoint");
    const auto progress = nlohmann::json::parse(checkpoint.metadata.at("progress"));
    EXPECT_EQ(progress.at("metric"), metric);
    const JournalEvents events = read_journal(files_, folder_ / journal_file_name);
    EXPECT_EQ(events.validations.back().metrics, record_.validations.back().metrics)
        << "the journal has them as they are";
    EXPECT_EQ(events.validations.back().epoch, record_.validations.back().epoch);
    const auto kept = [&](const ValidationReport& report) { return report.best && !report.aside; };
    const auto last = std::ranges::find_if(record_.validations.rbegin(), record_.validations.rend(), kept);
    EXPECT_EQ(progress.at("best").get<double>(), score(*last)) << metric << ", as it is measured";
  }
}

// The model of a run that stops as asked is the best there is, that of the last update included; and when the run goes
// on, it is as if it had never stopped.
TEST_F(TrainerTest, AStopValidatesFirstAndLeavesNoTrace) {
  if (!files_are_exact) GTEST_SKIP() << "checkpoints hold floats";
  const std::vector<std::string> settings = {"training.validate_every=20u", "training.metric=loss"};
  train(tiny_config(settings), 50);
  ASSERT_EQ(record_.validations.size(), 3u);
  EXPECT_EQ(record_.validations[2].update, 50);
  EXPECT_TRUE(record_.validations[2].aside);
  ASSERT_TRUE(record_.validations[2].best) << "choose a run that gets better";
  const std::string stopped = read_bytes(folder_ / model_file_name);
  train(tiny_config(settings), 51);
  EXPECT_NE(read_bytes(folder_ / model_file_name), stopped);
  train(tiny_config(settings), 60);
  TemporaryFolder folder;
  Trainer(tiny_config(settings), tiny_data(), {.folder = folder.path(), .stop_after = {60, Period::Unit::updates}},
          files_, record_)
      .run();
  EXPECT_EQ(remains(folder_.path()), remains(folder.path()));
  EXPECT_EQ(journal_without_times(folder_.path()), journal_without_times(folder.path()));
}

// A model that was better at a stop than the run's later ones gives way to the run's own best.
TEST_F(TrainerTest, TheBestModelOfARunIsItsOwn) {
  if (!files_are_exact) GTEST_SKIP() << "checkpoints hold floats";
  const std::vector<std::string> settings = {"training.validate_every=20u", "training.metric=loss"};
  train(tiny_config(settings), 20);
  const std::string own = read_bytes(folder_ / model_file_name);
  train(tiny_config(settings), 33);
  ASSERT_NE(read_bytes(folder_ / model_file_name), own);
  const std::atomic<int> signal = 15;
  Trainer run(tiny_config(settings), tiny_data(), {.folder = folder_.path(), .stop_after = {}, .stop_signal = &signal},
              files_, record_);
  EXPECT_EQ(run.run(), Ending::interrupted);
  EXPECT_EQ(read_bytes(folder_ / model_file_name), own);
}

TEST_F(TrainerTest, AveragedWeightsAnswer) {
  train(tiny_config({"training.average=0.9", "training.validate_every=40u"}), 40);
  const TensorFile model = decode_safetensors(read_bytes(folder_ / model_file_name), "model");
  const TensorFile checkpoint = decode_safetensors(read_bytes(folder_ / checkpoint_file_name), "checkpoint");
  std::size_t same = 0, averages = 0;
  for (const NamedArray& array : model.arrays) {
    for (const NamedArray& kept : checkpoint.arrays) {
      same += kept.name == "weights/" + array.name && kept.values == array.values;
      averages += kept.name == "average/" + array.name && kept.values == array.values;
    }
  }
  EXPECT_EQ(averages, model.arrays.size());
  EXPECT_EQ(same, 0u);
}

TEST_F(TrainerTest, TheEndIsEstimated) {
  train(tiny_config(), 30);
  EXPECT_EQ(record_.updates.back().until, "stop-after");
  EXPECT_EQ(record_.updates.back().seconds_left, 0);
  const UpdateReport& first = record_.updates.front();  // 29 more, each as long as it
  EXPECT_GT(first.seconds_left, 0.999 * 29 * first.seconds) << "the time was taken a moment before the estimate";
  EXPECT_LT(first.seconds_left, 10 * 29 * first.seconds);
  const UpdateReport& tenth = record_.updates.at(9);
  EXPECT_GT(tenth.seconds_left, 0.999 * 20 * tenth.seconds / 10);
  EXPECT_LT(tenth.seconds_left, 10 * 20 * tenth.seconds / 10);
  record_ = Record();
  std::vector<std::string> settings = stuck;
  settings.push_back("training.patience=3");
  trainer(tiny_config(settings), 1000, true).run();
  EXPECT_EQ(record_.updates.back().until, "patience");
}

TEST_F(TrainerTest, TheEndAfterEpochsIsEstimatedInUpdates) {
  TemporaryFolder folder;
  Trainer(tiny_config(), tiny_data(), {.folder = folder.path(), .stop_after = {2, Period::Unit::epochs}}, files_,
          record_)
      .run();
  ASSERT_EQ(record_.updates.size(), 20u);  // of 10 an epoch
  const UpdateReport& first = record_.updates.front();
  EXPECT_GT(first.seconds_left, 0.999 * 19 * first.seconds);
  EXPECT_LT(first.seconds_left, 10 * 19 * first.seconds);
  EXPECT_EQ(record_.updates.back().seconds_left, 0);
}

// All lines in one update, after which a signal comes.
TEST_F(TrainerTest, TimesAddUpFromTheFirstUpdate) {
  struct Once : Record {
    void updated(const UpdateReport& report) override {
      Record::updated(report);
      signal = 15;
    }
    std::atomic<int> signal = 0;
  } once;
  Trainer run(tiny_config({"training.batch=200", "training.patience=1000000"}), tiny_data(),
              {.folder = folder_.path(), .stop_after = {60, Period::Unit::seconds}, .stop_signal = &once.signal},
              files_, once);
  EXPECT_EQ(run.run(), Ending::interrupted);
  ASSERT_EQ(once.updates.size(), 1u);
  const UpdateReport& report = once.updates[0];
  EXPECT_EQ(report.until, "stop-after");
  EXPECT_NEAR(report.seconds + report.seconds_left, 60, 1);
  double tokens = 0;
  for (const Example& example : tiny_data().training) {
    const Encoding encoded = run.model().task().encode(example);
    tokens += static_cast<double>(encoded.source.size() + std::ssize(encoded.target));
  }
  EXPECT_GT(report.tokens_per_second * report.seconds, 0.999 * tokens) << "the rate was taken a moment before the time";
  EXPECT_LT(report.tokens_per_second * report.seconds, 10 * tokens);
}

// Updates of the run's last weights with these settings, against the plain ones.
TEST_F(TrainerTest, DropoutSamplingAndClippingChangeTheResult) {
  const auto last_loss = [](const std::string& setting) {
    TemporaryFolder folder;
    Files files;
    Record record;
    Config config = tiny_config({"training.dropout=0", "training.clip=0"});
    set_field(config, setting);
    Trainer(config, tiny_data(), {.folder = folder.path(), .stop_after = {12, Period::Unit::updates}}, files, record)
        .run();
    return record.updates.back().training_loss;
  };
  const double plain = last_loss("training.dropout=0");
  for (const char* setting : {"training.dropout=0.3", "training.scheduled_sampling=0.9", "training.clip=0.01",
                              "training.optimizer=sgd", "training.shards=1", "training.seed=2"}) {
    if (std::string(setting) == "training.shards=1") {
      EXPECT_NEAR(last_loss(setting), plain, 1e-3) << "shards are for speed alone";
    } else {
      EXPECT_NE(last_loss(setting), plain) << setting;
    }
    EXPECT_EQ(last_loss(setting), last_loss(setting)) << setting;
  }
}

TEST_F(TrainerTest, SamplingRisesFromZero) {
  const auto first_losses = [](const std::vector<std::string>& settings) {
    TemporaryFolder folder;
    Files files;
    Record record;
    Trainer(tiny_config(settings), tiny_data(), {.folder = folder.path(), .stop_after = {10, Period::Unit::updates}},
            files, record)
        .run();
    return std::pair(record.updates[0].training_loss, record.updates[9].training_loss);
  };
  const auto none = first_losses({"training.scheduled_sampling=0"});
  const auto rising = first_losses({"training.scheduled_sampling=1", "training.scheduled_sampling_warmup=5"});
  EXPECT_EQ(rising.first, none.first);
  EXPECT_NE(rising.second, none.second);
}

// b_k = 0.9 b_{k-1} + 0.1 log p of a symbol; an update reads what those before it brought.
TEST_F(TrainerTest, TheBaselineIsAMovingAverage) {
  const auto run = [&](const std::string& baseline) {
    record_ = Record();
    const Config config = tiny_config({"training.batch=200", "training.learning_rate=0", "training.dropout=0",
                                       "attention.select=hard", "objective.baseline=" + baseline});
    Trainer of = trainer(config, 3, true);
    of.run();
    return of.progress().expected;
  };
  const auto term = [&](std::size_t update, const std::string& wanted) {
    for (const auto& [name, value] : record_.updates.at(update).terms) {
      if (name == wanted) return value;
    }
    return 0.0;
  };
  const double expected = run("average");
  double average = 0;
  for (std::size_t update = 0; update < 3; ++update) average = 0.9 * average - 0.1 * term(update, "nll");
  EXPECT_NEAR(expected, average, 1e-9);
  EXPECT_EQ(term(0, "baseline"), 0);
  // The same draws in other updates: what they were worth shrinks by what was to be expected.
  EXPECT_NE(term(0, "reinforce"), term(1, "reinforce"));
  run("learned");
  EXPECT_GT(term(0, "baseline"), 0);
}

// Every update sees the same lines and the same weights, so that only what is dropped can differ.
TEST_F(TrainerTest, EachUpdateDropsOtherValues) {
  const auto norms = [&](const char* dropout) {
    record_ = Record();
    trainer(tiny_config({"training.batch=200", "training.learning_rate=0", dropout}), 2, true).run();
    return std::pair(record_.updates.at(0).gradient_norm, record_.updates.at(1).gradient_norm);
  };
  const auto plain = norms("training.dropout=0"), dropped = norms("training.dropout=0.3");
  EXPECT_NEAR(plain.first, plain.second, 1e-4 * plain.first);
  EXPECT_GT(std::abs(dropped.first - dropped.second), 1e-3 * dropped.first);
}

TEST_F(TrainerTest, FreshForgetsTheRun) {
  train(tiny_config(), 12);
  record_ = Record();
  trainer(tiny_config(), 3, true).run();
  EXPECT_EQ(record_.starts[0].resumed_from, 0);
  EXPECT_EQ(record_.updates.front().update, 1);
  EXPECT_EQ(record_.saves, (std::vector<std::int64_t>{3}));
}

// A rate that no setting allows, so that one update ruins the weights.
Config ruinous() {
  Config config = tiny_config({"training.clip=0", "training.validate_every=3u"});
  config.training.learning_rate = static_cast<double>(std::numeric_limits<Real>::max()) / 4;
  return config;
}

TEST_F(TrainerTest, NonFiniteUpdatesAreSkippedCountedAndEndTheRun) {
  Config config = ruinous();
  save_every_ = {};
  config.training.validate_every = {1000, Period::Unit::updates};
  Trainer run = trainer(config, 1000);
  try {
    run.run();
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::failure);
    const std::string message = error.what();
    EXPECT_NE(message.find("20 updates in a row"), std::string::npos) << message;
    EXPECT_NE(message.find("training.learning_rate="), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos);
  }
  EXPECT_GE(run.progress().skipped, 20);
  EXPECT_EQ(run.progress().skipped_in_a_row, 20);
  EXPECT_EQ(run.progress().update, static_cast<std::int64_t>(record_.updates.size()) + run.progress().skipped);
  EXPECT_EQ(record_.warnings.size(), as_size(run.progress().skipped) - 1);
}

TEST_F(TrainerTest, NothingNonFiniteIsWritten) {
  for (const double factor : {1e-8, 1.0, 1e10}) {  // the last makes the weights themselves infinite
    Config config = ruinous();
    config.training.learning_rate *= factor;
    try {
      trainer(config, 40, true).run();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::failure);
    }
    for (const char* name : {checkpoint_file_name, model_file_name}) {
      if (!files_.exists(folder_ / name)) continue;
      for (const NamedArray& array : decode_safetensors(files_.read(folder_ / name), name).arrays) {
        for (const float value : array.values) ASSERT_TRUE(std::isfinite(value)) << name << " " << array.name;
      }
    }
  }
}

TEST_F(TrainerTest, ASkippedUpdateLeavesWeightsAlone) {
  if (!files_are_exact) GTEST_SKIP() << "no float is so large that doubles overflow";
  Config config = ruinous();
  config.training.learning_rate = 0.02;
  Trainer sound = trainer(config, 4);
  sound.run();
  const std::span<const Real> values = sound.model().parameters().values();
  const std::vector<Real> before(values.begin(), values.end());
  // A checkpoint with weights so large that no update after it is finite.
  TensorFile file = decode_safetensors(files_.read(folder_ / checkpoint_file_name), "checkpoint");
  for (NamedArray& array : file.arrays) {
    if (array.name == "weights/generator.choice.weight") std::ranges::fill(array.values, 3e38f);
  }
  files_.write_atomically(folder_ / checkpoint_file_name, encode_safetensors(file));
  Trainer ruined = trainer(config, 6);
  ruined.run();
  EXPECT_EQ(ruined.progress().skipped, 2);
  std::size_t changed = 0;
  for (std::size_t i = 0; i < before.size(); ++i) changed += ruined.model().parameters().values()[i] != before[i];
  EXPECT_EQ(changed, as_size(8 * ruined.model().task().target().size()));
}

// Adam's correction counts the updates it has seen.
TEST_F(TrainerTest, SkippedUpdatesAreNoStepsOfTheOptimizer) {
  const Config config = tiny_config({"training.dropout=0"});  // which depends on the number of the update
  const auto weights_after = [&](std::int64_t update, std::int64_t skipped) {
    trainer(config, 4, true).run();
    TensorFile file = decode_safetensors(files_.read(folder_ / checkpoint_file_name), "checkpoint");
    nlohmann::json progress = nlohmann::json::parse(file.metadata["progress"]);
    progress["update"] = update;
    progress["skipped"] = skipped;
    file.metadata["progress"] = progress.dump();
    files_.write_atomically(folder_ / checkpoint_file_name, encode_safetensors(file));
    Trainer run = trainer(config, update + 1);
    run.run();
    const std::span<const Real> values = run.model().parameters().values();
    return std::vector<Real>(values.begin(), values.end());
  };
  const auto apart = [](const std::vector<Real>& a, const std::vector<Real>& b) {
    return std::transform_reduce(a.begin(), a.end(), b.begin(), 0.0, std::plus<>(),
                                 [](Real x, Real y) { return std::abs(static_cast<double>(x - y)); });
  };
  const std::vector<Real> skipping = weights_after(4, 2);
  // Rare symbols are hidden now and then, by the number of the update, too.
  EXPECT_LT(apart(skipping, weights_after(2, 0)), 0.2 * apart(skipping, weights_after(4, 0)));
}

TEST_F(TrainerTest, RefusesOtherSettingsAndOtherData) {
  train(tiny_config(), 3);
  const auto message = [&](const Config& config, std::uint64_t data_seed) -> std::string {
    try {
      const RunOptions options = {.folder = folder_.path(), .stop_after = {}};
      Trainer(config, tiny_data(data_seed), options, files_, record_).run();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      return error.what();
    }
    return "nothing was thrown";
  };
  EXPECT_NE(message(tiny_config({"training.dropout=0.25"}), 1).find("training.dropout = 0.1, not 0.25"),
            std::string::npos);
  EXPECT_NE(message(tiny_config({"encoder.size=9"}), 1).find("encoder.size = 8, not 9"), std::string::npos);
  EXPECT_NE(message(tiny_config(), 2).find("other data"), std::string::npos);
}

// A recipe for two sources may be trained with one of them; what is set for the other is said to nobody.
TEST_F(TrainerTest, SettingsOfASourceThatIsNotReadDoNotKeepARunFromGoingOn) {
  const Config config = tiny_config({"source2.tokenizer=word"});
  train(config, 3);
  EXPECT_NO_THROW(train(config, 5));
  EXPECT_EQ(record_.updates.back().update, 5);
}

// A disk that is full from one update to another.
class FullDisk : public Files, public Observer {
 public:
  FullDisk(std::int64_t from, std::int64_t to) : from_(from), to_(to) {}
  void updated(const UpdateReport& report) override { full_ = report.update >= from_ && report.update < to_; }
  void warned(const std::string& message) override { warnings.push_back(message); }
  void append(const std::filesystem::path& path, std::string_view text) override {
    Files::append(path, text.substr(0, full_ ? text.size() / 2 : text.size()));
    check(!full_, "cannot append to {}", path.string());
  }
  std::vector<std::string> warnings;

 protected:
  std::ptrdiff_t write(int file, std::string_view bytes) override {
    return full_ ? -ENOSPC : Files::write(file, bytes);
  }

 private:
  std::int64_t from_, to_;
  bool full_ = false;
};

TEST_F(TrainerTest, AFullDiskIsWaitedFor) {
  if (!files_are_exact) GTEST_SKIP() << "checkpoints hold floats";
  train(tiny_config(), 110);
  TemporaryFolder folder;
  FullDisk disk(18, 57);
  Trainer(tiny_config(), tiny_data(), {.folder = folder.path(), .stop_after = {110, Period::Unit::updates}}, disk, disk)
      .run();
  EXPECT_EQ(remains(folder.path()), remains(folder_.path()));
  EXPECT_EQ(journal_without_times(folder.path()), journal_without_times(folder_.path()));
  ASSERT_EQ(disk.warnings.size(), 4u);  // before and after two validations
  EXPECT_NE(disk.warnings[0].find("checkpoint.safetensors: write: No space left on device; training goes on"),
            std::string::npos)
      << disk.warnings[0];
}

TEST_F(TrainerTest, ADiskThatIsFullAtTheEndIsAnErrorAndLosesNothing) {
  if (!files_are_exact) GTEST_SKIP() << "checkpoints hold floats";
  const auto to_the_end = [&](Files& files, Observer& observer) {
    Trainer(tiny_config(), tiny_data(), {.folder = folder_.path(), .stop_after = {60, Period::Unit::updates}}, files,
            observer)
        .run();
  };
  FullDisk disk(31, 1000);
  EXPECT_THROW(to_the_end(disk, disk), Error);
  EXPECT_NE(remains(folder_.path()).find("\"update\":20,"), std::string::npos) << remains(folder_.path());
  to_the_end(files_, record_);
  TemporaryFolder whole;
  Trainer(tiny_config(), tiny_data(), {.folder = whole.path(), .stop_after = {60, Period::Unit::updates}}, files_,
          record_)
      .run();
  EXPECT_EQ(remains(folder_.path()), remains(whole.path()));
}

TEST_F(TrainerTest, SourcesMayHaveAsManySymbolsAsAScoreHasPlaces) {
  train(tiny_config({"attention.score=location"}), 2);
  EXPECT_EQ(record_.updates.size(), 2u);
  EXPECT_THROW(trainer(tiny_config({"attention.score=location", "attention.positions=3"}), 2, true).run(), Error);
  std::size_t longest = 0;
  for (const TrainingData data = tiny_data(); const auto* examples : {&data.training, &data.held_out}) {
    for (const Example& example : *examples) longest = std::max(longest, example.source.size());
  }
  const std::string enough = fmt::format("attention.positions={}", longest + 1);  // the stop symbol has one, too
  EXPECT_NO_THROW(trainer(tiny_config({"attention.score=location", enough}), 2, true).run());
}

TEST_F(TrainerTest, SupervisedAttentionWithoutAlignmentsIsRefused) {
  const Config config = tiny_config({"objective.supervised=1"});
  TrainingData data = tiny_data();
  const RunOptions options = {.folder = folder_.path(), .stop_after = {2, Period::Unit::updates}};
  try {
    Trainer(config, data, options, files_, record_);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data);
    EXPECT_NE(std::string(error.what()).find("no line to train on has an alignment"), std::string::npos);
  }
  data.training[3].alignment = "0-0";
  EXPECT_EQ(Trainer(config, data, options, files_, record_).run(), Ending::stopped);
}

// Held-out lines of one source are one question, and any of their targets is right.
TEST_F(TrainerTest, SeveralTargetsOfASourceAreAllRight) {
  const auto exact = [&](const TrainingData& data) {
    TemporaryFolder folder;
    Trainer trainer(tiny_config(), data, {.folder = folder.path(), .stop_after = {60, Period::Unit::updates}}, files_,
                    record_);
    trainer.run();
    return trainer.progress().best;
  };
  TrainingData data = tiny_data();
  const double once = exact(data);
  EXPECT_GT(once, 0.1);
  std::vector<Example> wrong = data.held_out;
  for (Example& example : wrong) example.target = "zzzzzzzzz";
  data.held_out.insert(data.held_out.begin(), wrong.begin(), wrong.end());
  EXPECT_EQ(exact(data), once);
  EXPECT_EQ(record_.starts.back().held_out_lines, 80);
  for (const Sample& sample : record_.validations.back().samples) {
    EXPECT_NE(sample.target, "zzzzzzzzz") << "the nearest is shown";
  }
}

TEST_F(TrainerTest, FeaturesThatOnlyHeldOutLinesHaveAreSaid) {
  TrainingData data = tiny_data();
  for (Example& example : data.training) example.features = "N;SG";
  data.held_out[3].features = "N;PL";
  data.held_out[3].line = 4;
  Trainer(tiny_config({"columns=source,target,features"}), data,
          {.folder = folder_.path(), .stop_after = {1, Period::Unit::updates}}, files_, record_)
      .run();
  EXPECT_EQ(record_.warnings,
            std::vector<std::string>{"1 of 40 held-out sources have features that no line to train on has (first: line "
                                     "4, \"PL\")"});
}

// Of lines of any length a validation keeps what a page can show.
TEST_F(TrainerTest, SamplesAreBounded) {
  TrainingData data = tiny_data();
  for (Example& example : data.held_out) example.source = std::string(300, 'a');
  Trainer(tiny_config({"attention.heads=4", "training.validate_every=1u"}), data,
          {.folder = folder_.path(), .stop_after = {1, Period::Unit::updates}}, files_, record_)
      .run();
  ASSERT_EQ(record_.validations.size(), 1u);
  for (const Sample& sample : record_.validations[0].samples) {
    std::size_t cells = 0;
    for (const OutputStep& step : sample.answer.steps) {
      for (const AttentionRow& look : step.looks) cells += look.weights.size();
    }
    EXPECT_LE(cells, sample_limits.cells);
    EXPECT_EQ(sample.answer.left_out.positions, 201u);
  }
}

TEST_F(TrainerTest, FrozenVectorsDoNotShrink) {
  for (const char* frozen : {"encoder.frozen=true", "decoder.frozen=true"}) {
    EXPECT_THROW(train(tiny_config({frozen, "training.weight_decay=0.01"}), 1), Error) << frozen;
  }
}

TEST_F(TrainerTest, NoLinesAreNoData) {
  const RunOptions options = {.folder = folder_.path(), .stop_after = {}};
  EXPECT_THROW(Trainer(tiny_config(), {}, options, files_, record_), Error);
  EXPECT_THROW(Trainer(tiny_config(), {tiny_examples(1, 4), {}}, options, files_, record_), Error);
}

}  // namespace
}  // namespace fovea::trainer_test
