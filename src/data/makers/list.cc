#include <array>
#include <string>
#include <vector>

#include "base/nearest.h"
#include "data/makers/copy.h"
#include "data/makers/dates.h"
#include "data/makers/maker.h"
#include "data/makers/reverse.h"

namespace fovea {

std::span<const Maker> makers() {
  static constexpr std::array<Maker, 3> list = {{
      {"dates", "English dates as people write them; target: ISO 8601", make_date},
      {"copy", "random words of 3 to 12 letters; target: the same word", make_copy},
      {"reverse", "random words of 3 to 12 letters; target: the word backwards", make_reverse},
  }};
  return list;
}

const Maker& find_maker(std::string_view name) {
  std::vector<std::string> known;
  for (const Maker& maker : makers()) {
    if (maker.name == name) return maker;
    known.emplace_back(maker.name);
  }
  throw unknown_name("maker", name, known);
}

}  // namespace fovea
