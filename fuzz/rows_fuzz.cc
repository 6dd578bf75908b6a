// Rows of numbers: NumPy's files, and text.
#include <cmath>

#include "base/as_size.h"
#include "data/rows.h"
#include "fuzz.h"

using namespace fovea;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const auto parse : {parse_npy, parse_rows}) {
    taken([&] {
      const Rows rows = parse(as_text(data, size));
      must(rows.values.size() == as_size(rows.width) * as_size(rows.count()));
      for (const float number : rows.values) must(std::isfinite(number));
    });
  }
  return 0;
}
