// A damaged model is refused with one line, wherever the damage is.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <random>

#include "base/as_size.h"
#include "support/process.h"
#include "training/tiny_run.h"

namespace fovea::damaged_model_test {
namespace {

std::string model_bytes() {
  const Model model = untrained_model();
  return encode_safetensors({model.metadata(), model.arrays()});
}

enum class Loaded { yes, refused, otherwise };

// Whether a load ends in one of the two ways it may.
Loaded load(std::string_view bytes, std::string& message) {
  try {
    Model::decode(ByteSource::of(bytes), "model.safetensors");
    return Loaded::yes;
  } catch (const Error& error) {
    message = error.what();
    const bool one_line = !message.empty() && message.find('\n') == message.npos;
    const bool names_file = message.find("model.safetensors") != message.npos;
    return error.kind() == ErrorKind::model && one_line && names_file ? Loaded::refused : Loaded::otherwise;
  } catch (const std::exception& error) {
    message = error.what();
    return Loaded::otherwise;
  }
}

TEST(DamagedModel, TheWholeFileLoads) {
  std::string message;
  EXPECT_EQ(load(model_bytes(), message), Loaded::yes) << message;
  EXPECT_LT(model_bytes().size(), 32u << 10);
}

// Slow: of what sanitizers could see the fuzzers see more.
TEST(SlowDamagedModel, AnyChangedByteIsRefused) {
  std::string bytes = model_bytes(), message;
  const std::size_t header_end = bytes.rfind("data_offsets");
  for (std::size_t i = 0; i < bytes.size(); i += i < header_end ? 1 : 9) {  // of the numbers some
    const char good = bytes[i];
    bytes[i] = static_cast<char>(good ^ (i % 2 ? 0xFF : 1 << (i / 2 % 8)));
    ASSERT_EQ(load(bytes, message), Loaded::refused) << "byte " << i << ": " << message;
    bytes[i] = good;
  }
}

TEST(SlowDamagedModel, AnyLengthButTheRightOneIsRefused) {
  const std::string bytes = model_bytes();
  std::string message;
  constexpr std::size_t beginning = 2000, step = 7;  // every length up to there, and of the numbers some
  for (std::size_t length = 0; length < bytes.size(); length += length < beginning ? 1 : step) {
    ASSERT_EQ(load(std::string_view(bytes).substr(0, length), message), Loaded::refused) << length << ": " << message;
  }
  for (std::size_t more = 1; more <= 16; ++more) {
    ASSERT_EQ(load(bytes + std::string(more, '\0'), message), Loaded::refused) << message;
  }
}

// With the checksum made right again, what the bytes say must still fit together.
TEST(SlowDamagedModel, AHostileHeaderLoadsOrIsRefused) {
  const std::string bytes = model_bytes();
  const std::size_t header_end = bytes.rfind("data_offsets");
  std::string message;
  int refused = 0;
  for (std::size_t i = 0; i < header_end; ++i) {
    constexpr int changes[] = {1, 2, 0x10};
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ changes[i % 3]);
    const Loaded loaded = load(seal(std::move(changed)), message);
    ASSERT_NE(loaded, Loaded::otherwise) << "byte " << i << ": " << message;
    refused += loaded == Loaded::refused;
  }
  EXPECT_GT(refused, static_cast<int>(header_end) / 3) << "many changes make no sense";
}

TEST(DamagedModel, WhatDoesNotFitTogetherIsRefused) {
  const Model model = untrained_model();
  const TensorFile good = {model.metadata(), model.arrays()};
  const auto refuses = [](const TensorFile& file) {
    std::string message;
    const Loaded loaded = load(encode_safetensors(file), message);
    return loaded == Loaded::refused ? testing::AssertionSuccess() : testing::AssertionFailure() << message;
  };
  for (const char* key : {"config", "source.vocabulary", "target.vocabulary"}) {
    TensorFile file = good;
    file.metadata.erase(key);
    EXPECT_TRUE(refuses(file)) << "without " << key;
    for (const char* text : {"", "{}x", "[", "null", "[1]", "[[\"a\"]]", "[\"a\",\"a\"]", "{\"encoder\":{\"size\":0}}",
                             "{\"encoder\":{\"size\":1e99}}", "{\"encoder\":7}", "{\"nothing\":1}"}) {
      file.metadata[key] = text;
      EXPECT_TRUE(refuses(file)) << key << " = " << text;
    }
  }
  TensorFile file = good;
  file.arrays.pop_back();
  EXPECT_TRUE(refuses(file)) << "a weight is missing";
  file = good;
  file.arrays.push_back({"zzz", {1}, {0}});
  EXPECT_TRUE(refuses(file)) << "a weight too many";
  file = good;
  std::ranges::reverse(file.arrays[1].shape);
  EXPECT_TRUE(refuses(file)) << "a weight has another shape";
  file = good;
  const std::string& config = good.metadata.at("config");
  file.metadata["config"] = std::string(config).replace(config.find("\"size\":8"), 8, "\"size\":16000");
  EXPECT_TRUE(refuses(file)) << "the config asks for more memory than the file has weights";
}

// What a vocabulary holds is written out: it must not end lines, nor steer a terminal.
TEST(DamagedModel, ControlCharactersInAVocabularyAreRefused) {
  TemporaryFolder folder;
  const Model model = untrained_model();
  const std::string path = folder / "model.safetensors";
  for (const std::string symbol : {"\n", "x\ny", "\x1b[2J", "\t", "\r", "\x7f", "\xC2\x9B["}) {
    for (const char* key : {"source.vocabulary", "target.vocabulary"}) {
      TensorFile file = {model.metadata(), model.arrays()};
      nlohmann::json vocabulary = nlohmann::json::parse(file.metadata[key]);
      vocabulary.back() = symbol;
      file.metadata[key] = vocabulary.dump();
      std::string message;
      EXPECT_EQ(load(encode_safetensors(file), message), Loaded::refused) << message;
      if (symbol != "x\ny" && symbol != "\x1b[2J") continue;
      folder.write("model.safetensors", encode_safetensors(file));
      const Outcome outcome = run(fovea({"predict", path}), "abc\n");
      EXPECT_EQ(outcome.code, 4);
      EXPECT_EQ(outcome.out, "");
      EXPECT_TRUE(is_one_line(outcome.err));
      EXPECT_TRUE(says(outcome.err, key));
      EXPECT_TRUE(says(outcome.err, "control character"));
      EXPECT_EQ(outcome.err.find('\x1b'), std::string::npos);
    }
  }
}

TEST(DamagedModel, TheCommandLineSaysSoInOneLine) {
  TemporaryFolder folder;
  const std::string bytes = model_bytes();
  const std::string path = folder / "model.safetensors";
  std::mt19937 random(3);
  for (int i = 0; i < 40; ++i) {
    const std::size_t place = i < 10 ? as_size(i) : random() % bytes.size();
    std::string damaged = bytes;
    if (i % 2 == 0) {
      damaged[place] = static_cast<char>(damaged[place] ^ (1 << (i % 8)));
    } else {
      damaged.resize(place);
    }
    folder.write("model.safetensors", damaged);
    const std::vector<std::string> uses[] = {{"predict", path}, {"inspect", path}, {"show", path, "abc"}};
    const Outcome outcome = run(fovea(uses[i % 3]), "abc\n");
    EXPECT_EQ(outcome.code, 4) << "place " << place;
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(is_one_line(outcome.err));
    EXPECT_TRUE(says(outcome.err, path));
  }
}

TEST(DamagedModel, OtherThingsAreNoModel) {
  TemporaryFolder folder;
  const std::string text = folder.write("text.safetensors", "this is a text\n");
  const auto started = std::chrono::steady_clock::now();
  const std::string pipe = folder / "pipe", huge = folder.write("huge", "");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::filesystem::resize_file(huge, std::uintmax_t{8} << 30);
  std::filesystem::create_directories(folder / "folder" / "model.safetensors");
  for (const std::string& path : {text, folder.path().string(), (folder / "nothing").string(), std::string("/dev/null"),
                                  std::string("/dev/zero"), pipe, huge, (folder / "folder").string()}) {
    const Outcome outcome = run(fovea({"predict", path}), "abc\n");
    EXPECT_EQ(outcome.code, 4) << path;
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(is_one_line(outcome.err));
    EXPECT_TRUE(says(outcome.err, path));
  }
  // None of them is waited for, or read further than needed: 8 GB alone take longer.
  EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::seconds(30));
}

}  // namespace
}  // namespace fovea::damaged_model_test
