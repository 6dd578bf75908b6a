// What the commands that train have in common: settings and data as the command line names them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "data/pairs.h"
#include "tasks/config.h"
#include "training/trainer.h"

namespace fovea {

struct ConfigInput {
  std::string preset;  // later ones overrule earlier ones
  std::string config_file;
  std::vector<std::string> settings;  // a.b=c
  std::int64_t seed = -1;             // -1: as the config says
};
// The settings as asked for, and those nobody gave as they suit the lines to train on; says on standard error what was
// chosen and why, unless quiet.
Config make_config(const ConfigInput& input, std::span<const Example> training, bool quiet);
// Without data.
Config make_config(const ConfigInput& input);

// Without a file of held-out lines they are a part of the data. Says on standard error which lines were left out,
// unless quiet. An empty name of a lexicon: none.
TrainingData read_training_data(const PairOptions& options, const std::string& held_out_file,
                                const std::string& lexicon, bool quiet = false);

}  // namespace fovea
