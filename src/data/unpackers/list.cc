#include "base/error.h"
#include "data/unpackers/unpacker.h"

namespace fovea {

#define PACKING(name) extern const Packing Packing_##name;
#include "data/unpackers/packings.def"
#undef PACKING

const Registry<Packing>& packings() {
  static const Registry<Packing> list("packing", {
#define PACKING(name) &Packing_##name,
#include "data/unpackers/packings.def"
#undef PACKING
                                                 });
  return list;
}

const Packing* find_packing(std::string_view bytes) {
  if (bytes.empty()) return nullptr;
  for (const Packing* packing : packings()) {
    const std::string_view magic = packing->magic;
    if (bytes.substr(0, magic.size()) != magic.substr(0, bytes.size())) continue;
    const bool there = bytes.size() > magic.size() && packing->goes_on != nullptr;
    if (!there || packing->goes_on(static_cast<unsigned char>(bytes[magic.size()]))) return packing;
  }
  return nullptr;
}

void Unpacker::damaged(std::string_view how) const {
  throw data_error("{}: the {} file is damaged ({}); copy or make it again", file_, packing_, how);
}

void Unpacker::cut_short() const {
  throw data_error("{}: the {} file is cut short; copy or make it again", file_, packing_);
}

void Unpacker::too_large(std::size_t max_bytes) const {
  throw data_error("{}: the {} file takes more than {} MiB of memory to unpack; pack it at a lower level", file_,
                   packing_, max_bytes >> 20);
}

}  // namespace fovea
