#include "runs/config_input.h"

#include "base/files.h"
#include "base/nearest.h"
#include "data/columns.h"
#include "runs/presets.h"
#include "tasks/beginning.h"

namespace fovea {

namespace {

void read_preset(Config& config, const std::string& name) {
  std::vector<std::string> known;
  for (const Preset& preset : presets()) {
    if (preset.name == name) return read_toml(config, preset.toml, "preset " + name);
    known.emplace_back(preset.name);
  }
  throw unknown_name("preset", name, known);
}

void give(Config& config, const ConfigInput& input, const Config* from) {
  if (from) {
    TrainingOptions training = config.training;
    config = *from;
    config.training = std::move(training);
    config.columns = Columns(from->columns).names();
    for (TextOptions* side :
         std::initializer_list<TextOptions*>{&config.source, &config.source2, &config.source3, &config.target}) {
      side->vectors.clear();  // they did their work when that model began
    }
  }
  if (!input.preset.empty()) read_preset(config, input.preset);
  if (!input.config_file.empty()) {
    Files files;
    read_toml(config, files.read(input.config_file, 1 << 20), input.config_file);
  }
  for (const std::string& setting : input.settings) set_field(config, setting, "settings");
  if (!input.columns.empty()) config.columns = Columns::parse(input.columns).names();
  if (input.max_length > 0) config.max_length = input.max_length;
  if (input.seed >= 0) config.training.seed = input.seed;
  if (from) check_settings_kept(*from, config);
}

}  // namespace

Config make_config(const ConfigInput& input, const Config* from) {
  Config config;
  give(config, input, from);
  return config;
}

ResolvedConfig make_config(const ConfigInput& input, const std::vector<std::string>& columns,
                           std::span<const Example> training, const Config* from) {
  const auto asked = [&](Config& config) {
    give(config, input, from);
    config.columns = columns;
  };
  ResolvedConfig resolved = resolve_config(asked, training);
  if (from) {  // only these were there to be chosen
    std::erase_if(resolved.choices, [](const Choice& choice) { return !choice.name.starts_with("training."); });
  }
  return resolved;
}

}  // namespace fovea
