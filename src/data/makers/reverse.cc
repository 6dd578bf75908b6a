// reverse: the target is the source backwards, so that attention has to walk from the end to the start.
#include <algorithm>

#include "data/makers/copy.h"
#include "data/makers/maker.h"

namespace fovea {

namespace {

Example make_reverse(std::uint64_t seed, std::uint64_t index) {
  Example example = make_copy(seed, index);
  std::reverse(example.target.begin(), example.target.end());
  return example;
}

}  // namespace

extern const Maker Maker_reverse = {"reverse", "random words of 3 to 12 letters; target: the word backwards",
                                    plain_maker<make_reverse>};

}  // namespace fovea
