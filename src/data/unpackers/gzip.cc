// gzip, RFC 1952: two magic bytes, the only method there is, and then flags of which three must not be set.
#include <zlib.h>

#include <new>

#include "data/unpackers/unpacker.h"

namespace fovea {

namespace {

constexpr unsigned char reserved_flags = 0xE0;

class GzipUnpacker : public Unpacker {
 public:
  explicit GzipUnpacker(const std::string& file) : Unpacker(file, "gzip") {
    if (inflateInit2(&stream_, 16 + MAX_WBITS) != Z_OK) throw std::bad_alloc();
  }
  ~GzipUnpacker() override { inflateEnd(&stream_); }

  std::size_t unpack(std::string_view& packed, std::span<char> room, bool last) override {
    if (packed.empty() && between_members_) return 0;
    if (between_members_) inflateReset(&stream_);
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream_.avail_in = static_cast<uInt>(packed.size());
    stream_.next_out = reinterpret_cast<Bytef*>(room.data());
    stream_.avail_out = static_cast<uInt>(room.size());
    const int status = inflate(&stream_, Z_NO_FLUSH);
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
      damaged(stream_.msg != nullptr ? stream_.msg : "unexpected data");
    }
    packed.remove_prefix(packed.size() - stream_.avail_in);
    between_members_ = status == Z_STREAM_END;
    const std::size_t count = room.size() - stream_.avail_out;
    if (last && count == 0 && packed.empty() && !between_members_) cut_short();
    return count;
  }

 private:
  z_stream stream_{};
  bool between_members_ = false;
};

}  // namespace

extern const Packing Packing_gzip = {
    "gzip", "\x1F\x8B\x08", [](unsigned char flags) { return (flags & reserved_flags) == 0; },
    [](const std::string& file) -> std::unique_ptr<Unpacker> { return std::make_unique<GzipUnpacker>(file); }};

}  // namespace fovea
