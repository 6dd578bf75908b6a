#include "cli/training_input.h"

#include <algorithm>
#include <fmt/core.h>

#include "base/nearest.h"
#include "base/streams.h"
#include "cli/presets.h"
#include "data/pairs.h"
#include "data/split.h"

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

Pairs read_and_say(const PairOptions& options, bool quiet) {
  Pairs pairs = read_pairs(options);
  if (const std::string text = describe(pairs); !quiet && !text.empty()) say(text + "\n");
  return pairs;
}

}  // namespace

Config make_config(const ConfigInput& input) {
  Config config;
  if (!input.preset.empty()) read_preset(config, input.preset);
  if (!input.config_file.empty()) {
    Files files;
    read_toml(config, files.read(input.config_file, 1 << 20), input.config_file);
  }
  for (const std::string& setting : input.settings) set_field(config, setting);
  if (!input.columns.empty()) config.columns = Columns::parse(input.columns).names();
  if (input.max_length > 0) config.max_length = input.max_length;
  if (input.seed >= 0) config.training.seed = input.seed;
  return config;
}

bool TrainingFiles::read_standard_input() const {
  const auto all = {data, source_file, target_file, alignment_file, dev, dev_source, dev_target};
  return std::ranges::find(all, "-") != all.end();
}

TrainingData read_training_data(const TrainingFiles& files, Config& config, bool quiet) {
  PairOptions options = {.file = files.data,
                         .source_file = files.source_file,
                         .target_file = files.target_file,
                         .alignment_file = files.alignment_file,
                         .columns = config.columns,
                         .bad_lines = parse_bad_lines(files.on_bad_line),
                         .max_length = config.max_length};
  if (files.data.empty() && !config.columns.empty() && config.columns != Columns().names()) {
    throw usage_error("columns {} are those of one file; --source and --target have one column each",
                      Columns(config.columns).text());
  }
  if (config.columns.empty() && config.model.objective.supervised > 0 && files.alignment_file.empty()) {
    options.columns = {"source", "target", "alignment"};
  }
  TrainingData data;
  if (!files.lexicon.empty()) data.lexicon = std::make_shared<Lexicon>(files.lexicon);
  Pairs pairs = read_and_say(options, quiet);
  config.columns = pairs.columns;
  const bool parallel = !files.dev_source.empty() || !files.dev_target.empty();
  if (!parallel && files.dev.empty()) {
    const Split parts = split(pairs.examples);
    for (const std::size_t i : parts.training) data.training.push_back(pairs.examples[i]);
    for (const std::size_t i : parts.held_out) data.held_out.push_back(pairs.examples[i]);
    return data;
  }
  if (parallel && (files.dev_source.empty() || files.dev_target.empty() || !files.dev.empty())) {
    throw usage_error("held-out lines are one file, --dev F, or two, --dev-source F --dev-target F");
  }
  if (parallel && Columns(pairs.columns).has("features")) {
    throw usage_error("--dev-source and --dev-target have no features, which the model reads; use --dev F");
  }
  options.columns = pairs.columns;
  options.file = files.dev;
  options.source_file = files.dev_source;
  options.target_file = files.dev_target;
  options.alignment_file.clear();  // the held-out lines are answered, and no more
  data.training = std::move(pairs.examples);
  data.held_out = read_and_say(options, quiet).examples;
  return data;
}

}  // namespace fovea
