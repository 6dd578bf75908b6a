#include "cli/training_input.h"

#include <fmt/core.h>

#include "base/nearest.h"
#include "base/streams.h"
#include "cli/presets.h"
#include "data/split.h"
#include "tasks/defaults.h"

namespace fovea {

namespace {

void read_preset(Config& config, const std::string& name) {
  std::vector<std::string> known;
  for (const Preset& preset : presets()) {
    if (preset.name == name) return read_toml(config, preset.toml, "preset " + name);
    known.emplace_back(preset.name);
  }
  throw unknown_name("preset", name, known, "see fovea list presets");
}

void say_left_out(const Pairs& pairs) {
  if (const std::string left_out = describe(pairs.report); !left_out.empty()) say(left_out + "\n");
}

void give(Config& config, const ConfigInput& input) {
  if (!input.preset.empty()) read_preset(config, input.preset);
  if (!input.config_file.empty()) {
    Files files;
    read_toml(config, files.read(input.config_file, 1 << 20), input.config_file);
  }
  for (const std::string& setting : input.settings) set_field(config, setting);
  if (input.seed >= 0) config.training.seed = input.seed;
}

void say_choices(const std::vector<Choice>& choices) {
  if (choices.empty()) return;
  std::string text = "settings that suit the data (--set gives others):\n";
  for (const Choice& choice : choices) {
    text += fmt::format("  {:<34}{}\n", choice.setting + " = " + choice.value, choice.reason);
  }
  say(text);
}

}  // namespace

Config make_config(const ConfigInput& input) {
  Config config;
  give(config, input);
  return config;
}

Config make_config(const ConfigInput& input, std::span<const Example> training, bool quiet) {
  const ResolvedConfig resolved = resolve_config([&](Config& config) { give(config, input); }, training);
  if (!quiet) say_choices(resolved.choices);
  return resolved.config;
}

TrainingData read_training_data(const PairOptions& options, const std::string& held_out_file,
                                const std::string& lexicon, bool quiet) {
  TrainingData data;
  if (!lexicon.empty()) data.lexicon = std::make_shared<Lexicon>(lexicon);
  Pairs pairs = read_pairs(options);
  if (!quiet) say_left_out(pairs);
  if (!held_out_file.empty()) {
    PairOptions held_out_options;
    held_out_options.file = held_out_file;
    held_out_options.bad_lines = options.bad_lines;
    held_out_options.max_length = options.max_length;
    Pairs held_out = read_pairs(held_out_options);
    if (!quiet) say_left_out(held_out);
    data.training = std::move(pairs.examples);
    data.held_out = std::move(held_out.examples);
    return data;
  }
  const Split parts = split(pairs.examples);
  for (const std::size_t i : parts.training) data.training.push_back(pairs.examples[i]);
  for (const std::size_t i : parts.held_out) data.held_out.push_back(pairs.examples[i]);
  return data;
}

}  // namespace fovea
