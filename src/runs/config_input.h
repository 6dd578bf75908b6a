// The settings of a run, from wherever they are given.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tasks/defaults.h"

namespace fovea {

struct ConfigInput {
  std::string preset;  // later ones overrule earlier ones
  std::string config_file;
  std::vector<std::string> settings;  // a.b=c
  std::string columns;                // empty: as the config says, like
  std::int64_t max_length = 0;        // 0, and
  std::int64_t seed = -1;             // -1
};
// The settings as asked for. `from` has those of a model that the run begins from; which of them may be given anew
// check_settings_kept (tasks/beginning.h) says.
Config make_config(const ConfigInput& input, const Config* from = nullptr);
// And those nobody gave as they suit the lines to train on, which had these columns.
ResolvedConfig make_config(const ConfigInput& input, const std::vector<std::string>& columns,
                           std::span<const Example> training, const Config* from = nullptr);

}  // namespace fovea
