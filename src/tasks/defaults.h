// Settings that suit the data, for those that nobody gave: what a symbol is, how large the model, how it is trained.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "data/pairs.h"
#include "tasks/config.h"

namespace fovea {

// Settings that were chosen, and why.
struct Choice {
  std::string name;                   // of the setting, or what several have in common
  std::vector<std::string> settings;  // that have the value
  std::string value;
  std::string reason;
};

struct ResolvedConfig {
  Config config;
  std::vector<Choice> choices;  // those in force
};

double learning_rate_for(const ModelOptions& model);

// `give` sets what was asked for, and has the last word. The same examples and the same wishes give the same settings.
ResolvedConfig resolve_config(const std::function<void(Config&)>& give, std::span<const Example> training);

}  // namespace fovea
