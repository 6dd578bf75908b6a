// What the commands that train have in common: settings and data as the command line names them.
#pragma once

#include <string>
#include <vector>

#include "tasks/config.h"
#include "training/trainer.h"

namespace fovea {

struct ConfigInput {
  std::string preset;  // later ones overrule earlier ones
  std::string config_file;
  std::vector<std::string> settings;  // a.b=c
  std::string columns;                // empty: as the config says, like
  std::int64_t max_length = 0;        // 0, and
  std::int64_t seed = -1;             // -1
};
Config make_config(const ConfigInput& input);

struct TrainingFiles {
  std::string data;         // of columns, or
  std::string source_file;  // two files
  std::string target_file;
  std::string alignment_file;
  std::string dev;  // held-out lines, as columns or as two files; none: a part of the data
  std::string dev_source;
  std::string dev_target;
  std::string lexicon;  // for outputs that look symbols up; empty: none
  std::string on_bad_line = "fail";

  bool read_standard_input() const;
};

// Puts the columns that were read into the config. Says on standard error which they are, if that had to be guessed,
// and which lines were left out, unless quiet.
TrainingData read_training_data(const TrainingFiles& files, Config& config, bool quiet = false);

}  // namespace fovea
