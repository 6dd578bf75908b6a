// The smallest run that has all parts of a large one: several validations and epochs, batches of several shards.
#pragma once

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "data/makers/maker.h"
#include "support/temporary_folder.h"
#include "training/trainer.h"

namespace fovea {

// In a double build the files hold floats, so a resumed run is rounded once.
inline constexpr bool files_are_exact = sizeof(Real) == sizeof(float);

// As settings, so that a test can give them to the library and to the command line alike.
inline std::vector<std::string> tiny_settings() {
  return {"encoder.size=8",
          "encoder.embedding=8",
          "attention.size=8",
          "decoder.size=8",
          "decoder.embedding=8",
          "generator.size=8",
          "training.batch=16",
          "training.learning_rate=0.02",
          "training.patience=1000",
          "training.validate_every=20u",
          "training.average=0",
          "training.dropout=0.1",
          "training.metric=exact",
          "training.patience_updates=0",
          "source.tokenizer=char",
          "target.tokenizer=char",
          "objective.label_smoothing=0"};
}

inline Config tiny_config(const std::vector<std::string>& more = {}) {
  Config config;
  for (const std::string& setting : tiny_settings()) set_field(config, setting);
  for (const std::string& setting : more) set_field(config, setting);
  return config;
}

// Which half of the alphabet the first letters are from: easy enough that the best model changes from validation to
// validation.
inline std::vector<Example> tiny_examples(std::uint64_t seed, int count) {
  std::vector<Example> examples;
  for (int i = 0; i < count; ++i) {
    Example example = makers().find("copy").make(seed, static_cast<std::uint64_t>(i));
    for (char& letter : example.target = example.source.substr(0, 3)) letter = letter < 'n' ? 'x' : 'y';
    examples.push_back(std::move(example));
  }
  return examples;
}

inline TrainingData tiny_data(std::uint64_t seed = 1) {
  return {tiny_examples(seed, 160), tiny_examples(seed + 100, 40)};
}

inline std::string to_tsv(const std::vector<Example>& examples) {
  std::string text;
  for (const Example& example : examples) text += example.source + "\t" + example.target + "\n";
  return text;
}

// A model with the weights it is born with.
inline Model untrained_model(const std::vector<std::string>& settings = {}) {
  const Config config = tiny_config(settings);
  return Model(config, Task(config, tiny_examples(1, 160)));
}

// Leaves a model in the folder that answers something, and other things to other sources.
inline void make_tiny_model(const std::filesystem::path& folder) {
  Files files;
  Observer nobody;
  const Config config = tiny_config({"training.validate_every=1000u"});
  Trainer(config, tiny_data(), {.folder = folder, .stop_after = {80, Period::Unit::updates}}, files, nobody).run();
}

// What must be the same after two runs, short enough to print: the best model to the byte, and where the run stands but
// for the time it took.
inline std::string remains(const std::filesystem::path& folder) {
  TensorFile file = decode_safetensors(read_bytes(folder / checkpoint_file_name), "checkpoint");
  auto progress = nlohmann::json::parse(file.metadata.at("progress"));
  progress.erase("seconds");
  file.metadata.clear();
  const std::hash<std::string> hash;
  return fmt::format("model {:x}, weights and memories {:x}, {}", hash(read_bytes(folder / model_file_name)),
                     hash(encode_safetensors(file)), progress.dump());
}

// metrics.jsonl but for the times in it.
inline std::string journal_without_times(const std::filesystem::path& folder) {
  std::istringstream lines(read_bytes(folder / journal_file_name));
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    auto event = nlohmann::json::parse(line);
    for (const char* time : {"seconds", "tokens_per_second"}) event.erase(time);
    text += event.dump() + "\n";
  }
  return text;
}

}  // namespace fovea
