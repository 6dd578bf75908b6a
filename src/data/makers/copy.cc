#include "data/makers/copy.h"

#include "base/random.h"
#include "data/makers/maker.h"

namespace fovea {

Example make_copy(std::uint64_t seed, std::uint64_t index) {
  const Random random = Random(seed, Purpose::data).at(index);
  const std::uint64_t letters = 3 + random.below(10, 0);
  Example example;
  for (std::uint64_t i = 1; i <= letters; ++i) example.source += static_cast<char>('a' + random.below(26, i));
  example.target = example.source;
  example.line = static_cast<std::int64_t>(index) + 1;
  return example;
}

extern const Maker Maker_copy = {"copy", "random words of 3 to 12 letters; target: the same word",
                                 plain_maker<make_copy>};

}  // namespace fovea
