// Picture files, and what they are brought to.
#include <cmath>

#include "base/as_size.h"
#include "data/picture.h"
#include "fuzz.h"

using namespace fovea;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  taken([&] {
    const Picture picture = decode_picture(as_text(data, size), size % 2 == 0);
    const auto pixels = as_size(picture.width) * as_size(picture.height);
    must(pixels > 0 && picture.pixels.size() == pixels * as_size(picture.channels));
    if (pixels > 100'000) return;
    for (const float number : scale_picture(picture, 8).values) must(std::isfinite(number));
  });
  taken([&] {
    const std::string_view bytes = as_text(data, size);
    const IdxHeader header = parse_idx_header(bytes);
    const Picture picture = decode_idx(header, bytes.substr(IdxHeader::bytes).substr(0, header.pixels()), false);
    must(picture.pixels.size() == header.pixels() && picture.width > 0 && picture.height > 0);
  });
  return 0;
}
