// Packed lines: any bytes behind the magic ones of each packing, and any text once it is packed, which gives the lines
// it gave before.
#include "data/lines.h"
#include "data/packed.h"
#include "data/unpackers/unpacker.h"
#include "fuzz.h"

using namespace fovea;

namespace {

std::vector<std::string> lines_of(std::string_view bytes) {
  const MemoryFile file(bytes);
  LineReader reader(file.path(), 1 << 16);
  std::vector<std::string> lines;
  for (std::string line; reader.next(line);) {
    must(line.find('\n') == line.npos);
    lines.push_back(line);
  }
  must(reader.line_number() == std::ssize(lines));
  return lines;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = as_text(data, size);
  if (find_packing(bytes)) {
    taken([&] { lines_of(bytes); });
    return 0;
  }
  for (const char* magic : {"\x1F\x8B", "\xFD\x37zXZ", "\x28\xB5\x2F\xFD"}) {
    taken([&] { lines_of(magic + std::string(bytes)); });
  }
  // One line longer than the reader takes is refused either way.
  taken([&] {
    const std::vector<std::string> plain = lines_of(bytes);
    for (const auto pack : {gzip, xz, zstd}) {
      must(lines_of(pack(bytes)) == plain);
      must(lines_of(pack(bytes) + pack("")) == plain);
    }
  });
  return 0;
}
