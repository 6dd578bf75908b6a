// Packed lines: any bytes behind the gzip magic ones, and any text once it is packed, which gives the lines it gave
// before.
#include <zlib.h>

#include "data/lines.h"
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

std::string packed(std::string_view text) {
  z_stream stream{};
  must(deflateInit2(&stream, 1, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  must(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = as_text(data, size);
  taken([&] { lines_of("\x1F\x8B" + std::string(bytes)); });
  if (bytes.starts_with("\x1F\x8B")) {
    taken([&] { lines_of(bytes); });
    return 0;
  }
  // One line longer than the reader takes is refused either way.
  taken([&] {
    const std::vector<std::string> plain = lines_of(bytes);
    must(lines_of(packed(bytes)) == plain);
    must(lines_of(packed(bytes) + packed("")) == plain);
  });
  return 0;
}
