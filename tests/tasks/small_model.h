// A model that has learned nothing but answers variedly: its weights are random and large.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/random.h"
#include "tasks/model.h"

namespace fovea {

inline std::vector<std::string> random_lines(int count, int longest, std::uint64_t seed) {
  std::vector<std::string> lines;
  for (int i = 0; i < count; ++i) {
    const Random random = Random(seed, Purpose::data).at(static_cast<std::uint64_t>(i));
    std::string& line = lines.emplace_back();
    const std::uint64_t length = 1 + random.below(static_cast<std::uint64_t>(longest), 0);
    for (std::uint64_t j = 1; j <= length; ++j) line += static_cast<char>('a' + random.below(20, j));
  }
  return lines;
}

inline Config small_config() {
  Config config;
  config.model.encoder.size = 12;
  config.model.encoder.embedding = 9;
  config.model.attention.size = 11;
  config.model.decoder.size = 13;
  config.model.decoder.embedding = 7;
  config.model.generator.size = 10;
  return config;
}

inline Model small_model(const Config& config, double weight_scale) {
  std::vector<Example> examples;
  for (const std::string& line : random_lines(50, 20, 9)) examples.push_back({line, line, "", 0});
  Model model(config, Task(config, examples));
  for (Real& value : model.parameters().values()) value *= static_cast<Real>(weight_scale);
  model.parameters().invalidate_packed();
  return model;
}

}  // namespace fovea
