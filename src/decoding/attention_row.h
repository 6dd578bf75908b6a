// Where one step looked through one attention map.
#pragma once

#include <vector>

namespace fovea {

struct AttentionRow {
  std::vector<float> scores = {};   // [positions]
  std::vector<float> weights = {};  // [positions]
  double context_norm = 0;
  std::vector<float> query = {};    // what was scored, if asked for
  std::vector<float> context = {};  // what this map read, likewise
};

}  // namespace fovea
