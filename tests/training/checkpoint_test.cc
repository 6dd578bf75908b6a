// A checkpoint that someone changed on purpose, with its checksum made right again, is refused in one line.
#include "training/checkpoint.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "training/journal.h"
#include "training/tiny_run.h"

namespace fovea::checkpoint_test {
namespace {

class CheckpointTest : public testing::Test {
 protected:
  CheckpointTest() {
    run(4);
    whole_ = decode_safetensors(files_.read(path_), "checkpoint");
  }

  void run(std::int64_t updates) {
    Observer nobody;
    Trainer(tiny_config(), tiny_data(), {.folder = folder_.path(), .stop_after = {updates, Period::Unit::updates}},
            files_, nobody)
        .run();
  }

  // What going on from this file says.
  std::string refusal(const TensorFile& file) {
    files_.write_atomically(path_, encode_safetensors(file));
    try {
      run(8);
    } catch (const Error& error) {
      const std::string message = error.what();
      EXPECT_EQ(error.kind(), ErrorKind::model) << message;
      EXPECT_EQ(message.find('\n'), std::string::npos) << message;
      EXPECT_TRUE(message.starts_with(path_.string())) << message;
      EXPECT_LT(message.size(), 400u) << message;
      return message;
    } catch (const std::exception& error) {
      ADD_FAILURE() << "not one of ours: " << error.what();
    }
    return "it went on";
  }

  std::string refusal_with(const char* key, const nlohmann::json& value) {
    TensorFile file = whole_;
    nlohmann::json progress = nlohmann::json::parse(file.metadata["progress"]);
    progress[key] = value;
    file.metadata["progress"] = progress.dump();
    return refusal(file);
  }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / checkpoint_file_name;
  Files files_;
  TensorFile whole_;
};

testing::AssertionResult holds(const std::string& text, std::string_view part) {
  if (text.find(part) != text.npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "no \"" << part << "\" in: " << text;
}

TEST_F(CheckpointTest, TheWholeOneGoesOn) { EXPECT_EQ(refusal(whole_), "it went on"); }

TEST_F(CheckpointTest, ABatchBeyondTheEpochIsRefused) {
  constexpr int batches = 10;  // 160 lines, 16 at a time
  EXPECT_EQ(refusal_with("batch", batches - 1), "it went on");
  EXPECT_TRUE(holds(refusal_with("batch", batches), "beyond the data"));
  EXPECT_TRUE(holds(refusal_with("batch", batches + 1), "beyond the data"));
}

TEST_F(CheckpointTest, ImpossibleCountsAreRefused) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  for (const char* key : {"update", "epoch", "batch", "validations", "best_update", "since_best", "skipped",
                          "skipped_in_a_row", "symbols"}) {
    for (const nlohmann::json& value :
         {nlohmann::json(most), nlohmann::json(std::numeric_limits<std::uint64_t>::max()), nlohmann::json(-1),
          nlohmann::json(1e300), nlohmann::json(0.5), nlohmann::json("1"), nlohmann::json(nullptr),
          nlohmann::json(true), nlohmann::json("\x1b[2J\n"), nlohmann::json::array({1})}) {
      EXPECT_TRUE(holds(refusal_with(key, value), std::string("impossible ") + key)) << value;
    }
  }
  EXPECT_TRUE(holds(refusal_with("since_best", std::numeric_limits<int>::max()), "since_best"));
  EXPECT_TRUE(holds(refusal_with("skipped_in_a_row", std::numeric_limits<int>::max()), "skipped_in_a_row"));
  EXPECT_EQ(refusal_with("skipped", 4), "it went on") << "all four updates may have been skipped";
  EXPECT_TRUE(holds(refusal_with("skipped", 5), "more skipped updates"));
}

TEST_F(CheckpointTest, ImpossibleNumbersAreRefused) {
  for (const char* key : {"best", "best_loss", "rate_factor", "seconds"}) {
    for (const double value : {-1e300, -2e9, 1e300}) {
      EXPECT_TRUE(holds(refusal_with(key, value), "impossible score, rate or time")) << key << " " << value;
    }
    EXPECT_TRUE(holds(refusal_with(key, "much"), "cannot be read")) << key;
  }
  for (const char* key : {"smoothed_loss", "expected", "loss"}) {
    for (const std::string value : {"1e999", "-1e999", "null", "NaN", "Infinity"}) {
      TensorFile file = whole_;
      nlohmann::json progress = nlohmann::json::parse(file.metadata["progress"]);
      progress[key] = "here";
      std::string text = progress.dump();
      text.replace(text.find("\"here\""), 6, value);
      file.metadata["progress"] = text;
      EXPECT_TRUE(holds(refusal(file), "cannot be read")) << key << " " << value;
    }
  }
  for (const char* text : {"", "[]", "null", "{}", "{\"update\":1e999}", "\x1b"}) {
    TensorFile file = whole_;
    file.metadata["progress"] = text;
    EXPECT_TRUE(holds(refusal(file), "progress")) << text;
  }
}

TEST_F(CheckpointTest, AScoreOfAnotherMetricIsRefused) {
  TensorFile file = whole_;
  nlohmann::json progress = nlohmann::json::parse(file.metadata["progress"]);
  progress["validations"] = 1;
  for (const char* metric : {"loss", "beauty", ""}) {
    progress["metric"] = metric;
    file.metadata["progress"] = progress.dump();
    EXPECT_TRUE(holds(refusal(file), "training.metric is exact")) << metric;
  }
}

TEST_F(CheckpointTest, OtherVocabulariesAreRefused) {
  for (const char* key : {"source.vocabulary", "target.vocabulary"}) {
    TensorFile file = whole_;
    nlohmann::json vocabulary = nlohmann::json::parse(file.metadata[key]);
    std::swap(vocabulary[4], vocabulary[5]);
    file.metadata[key] = vocabulary.dump();
    EXPECT_TRUE(holds(refusal(file), key));
    file.metadata[key] = "[\"\\n\"]";
    EXPECT_TRUE(holds(refusal(file), key));
    file.metadata.erase(key);
    EXPECT_TRUE(holds(refusal(file), key));
  }
}

TEST_F(CheckpointTest, ArraysTooManyOrTooFewAreRefused) {
  for (const char* name : {"zzz", "weights/zzz", "third/generator.choice.weight"}) {
    TensorFile file = whole_;
    file.arrays.push_back({name, {2}, {1, 2}});
    EXPECT_TRUE(holds(refusal(file), "weights where")) << name;
  }
  for (std::size_t i = 0; i < whole_.arrays.size(); i += 5) {
    TensorFile file = whole_;
    file.arrays.erase(file.arrays.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_TRUE(holds(refusal(file), whole_.arrays[i].name));
  }
}

// Damage is called damage, whatever the damaged bytes would have been taken for.
TEST_F(CheckpointTest, DamageIsNamedFirst) {
  std::string bytes = encode_safetensors(whole_);
  for (const std::string_view part : {"encoder", "\\\"batch", "weights/", "data_offsets"}) {
    std::string changed = bytes;
    changed[changed.find(part) + 2] ^= 1;
    files_.write_atomically(path_, changed);
    try {
      run(8);
      ADD_FAILURE() << part;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::model);
      EXPECT_TRUE(holds(error.what(), "the checksum does not match")) << part;
    }
  }
}

TEST_F(CheckpointTest, AStrangeJournalIsPassedOver) {
  const std::filesystem::path path = folder_ / journal_file_name;
  std::string strange;
  for (const char* line :
       {R"({"event":5,"update":1})", R"({"event":null,"update":2})", R"({"event":["validation"],"update":3})",
        R"({"event":"validation","update":4,"epoch":"x","best":7,"exact":[],"samples":5,"worst":[{}]})",
        R"({"event":"update"})", R"({"update":18446744073709551615})", R"({"update":-9223372036854775808})",
        R"({"update":1e5})", R"({"update":1,"epoch":1e999})", "[]", "5", "{", ""}) {
    strange += std::string(line) + "\n";
  }
  strange += std::string(100'000, '[') + "\n\xFF\n";
  files_.write_atomically(path, strange);
  const JournalEvents events = read_journal(files_, path);
  EXPECT_EQ(events.validations.size(), 1u);
  EXPECT_EQ(events.validations[0].update, 4);
  EXPECT_TRUE(events.validations[0].samples.empty());
  EXPECT_GE(events.updates.size(), 3u);
  EXPECT_NO_THROW(run(8));
}

TEST_F(CheckpointTest, AJournalIsReadAsItWasWritten) {
  const std::filesystem::path path = folder_ / "journal";
  ValidationReport written;
  written.update = 7;
  written.samples.push_back({"wanted", {}});
  written.samples.back().answer.source_text = "asked";
  written.samples.back().answer.text = "answered";
  Progress progress;
  progress.update = 7;
  Journal(files_, path, progress).write(written);
  const JournalEvents events = read_journal(files_, path);
  ASSERT_EQ(events.validations.size(), 1u);
  ASSERT_EQ(events.validations[0].samples.size(), 1u);
  const Sample& sample = events.validations[0].samples[0];
  EXPECT_EQ(sample.target, "wanted");
  EXPECT_EQ(sample.answer.source_text, "asked");
  EXPECT_EQ(sample.answer.text, "answered");
  const std::string line = event_json(written).dump();
  EXPECT_EQ(journal_list(files_, path, line.size() + 1), "[" + line + "]");
  EXPECT_EQ(journal_list(files_, path, line.size()), "[]") << "what is too long is left out";
}

}  // namespace
}  // namespace fovea::checkpoint_test
