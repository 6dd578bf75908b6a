#include <fmt/format.h>

#include <array>
#include <string>

#include "base/error.h"
#include "base/utf8.h"
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
  std::string known;
  for (const Maker& maker : makers()) {
    if (maker.name == name) return maker;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", maker.name);
  }
  throw usage_error("no data set \"{}\" can be made; known: {}", printable(name), known);
}

}  // namespace fovea
