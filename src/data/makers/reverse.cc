#include "data/makers/reverse.h"

#include <algorithm>

#include "data/makers/copy.h"

namespace fovea {

Example make_reverse(std::uint64_t seed, std::uint64_t index) {
  Example example = make_copy(seed, index);
  std::reverse(example.target.begin(), example.target.end());
  return example;
}

}  // namespace fovea
