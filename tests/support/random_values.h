// Numbers for tests, the same on every run.
#pragma once

#include <string>
#include <vector>

#include "base/as_size.h"
#include "base/random.h"
#include "base/real.h"

namespace fovea {

// In [-scale, scale), another stream for each name.
inline std::vector<Real> random_values(int count, const std::string& name, Real scale = 1) {
  Random random(1, Purpose::data);
  for (const char letter : name) random = random.at(static_cast<unsigned char>(letter));
  std::vector<Real> values(as_size(count));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = scale * static_cast<Real>(2 * random.uniform(i) - 1);
  return values;
}

}  // namespace fovea
