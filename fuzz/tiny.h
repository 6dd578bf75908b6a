// The smallest model there is: what checkpoints are read into, and what seeds are made of.
#pragma once

#include <string>
#include <vector>

#include "tasks/model.h"

namespace fovea {

inline constexpr std::uint64_t tiny_data_hash = 1;  // that its checkpoints are of

inline Config tiny_config(const std::vector<std::string>& settings = {}) {
  Config config;
  for (const char* size : {"encoder.size=2", "encoder.embedding=2", "encoder.feed_forward=2", "attention.size=2",
                           "attention.positions=8", "self_attention.size=2", "self_attention.heads=1", "decoder.size=2",
                           "decoder.embedding=2", "decoder.feed_forward=2", "generator.size=2"}) {
    set_field(config, size);
  }
  for (const std::string& setting : settings) set_field(config, setting);
  return config;
}

inline Model tiny_model(const Config& config) {
  std::vector<Example> examples(1);
  examples[0].source = "ab";
  examples[0].target = "ba";
  examples[0].line = 1;
  return Model(config, Task(config, examples));
}

}  // namespace fovea
