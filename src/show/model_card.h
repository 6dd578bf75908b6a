// README.md of a trained model: what it is, how to use it, what it was trained on and how well it does. The front
// matter has the form of model cards on the Hugging Face Hub.
#pragma once

#include <cstdint>
#include <string>

#include "tasks/metrics/metric_values.h"

namespace fovea {

struct ModelCard {
  std::string name;  // of the folder, as commands take it
  std::string task;
  std::string config_toml;
  std::int64_t training_lines = 0;
  std::int64_t held_out_lines = 0;
  std::int64_t weights = 0;
  MetricValues metrics;  // on the held-out lines, and the loss there
  std::int64_t updates = 0;
  double seconds = 0;
  std::string instruction_set;
  std::string version;
  std::string data_hash;
  std::string command;  // that trained it; empty: none is shown
};

std::string draw_model_card(const ModelCard& card);

}  // namespace fovea
