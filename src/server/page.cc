#include "server/page.h"

#include <array>

#include "base/error.h"
#include "data/unpackers/unpacker.h"

namespace fovea {

std::string plain_page() {
  std::string_view packed = embedded_page().gzip;
  const Packing* packing = find_packing(packed);
  check(packing != nullptr, "the page in this program is not packed");
  const auto unpacker = packing->make("the page");
  std::string page;
  std::array<char, 1 << 14> room;
  while (const std::size_t count = unpacker->unpack(packed, room, true)) page.append(room.data(), count);
  return page;
}

}  // namespace fovea
