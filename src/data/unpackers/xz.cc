// xz, https://tukaani.org/xz/xz-file-format.txt.
#include <lzma.h>

#include <new>

#include "data/unpackers/unpacker.h"

namespace fovea {

namespace {

constexpr std::size_t max_xz_memory = std::size_t(256) << 20;  // xz -9 asks for 65 MiB

class XzUnpacker : public Unpacker {
 public:
  explicit XzUnpacker(const std::string& file) : Unpacker(file, "xz") {
    if (lzma_stream_decoder(&stream_, max_xz_memory, LZMA_CONCATENATED) != LZMA_OK) throw std::bad_alloc();
  }
  ~XzUnpacker() override { lzma_end(&stream_); }

  std::size_t unpack(std::string_view& packed, std::span<char> room, bool last) override {
    if (ended_) return 0;
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(packed.data());
    stream_.avail_in = packed.size();
    stream_.next_out = reinterpret_cast<std::uint8_t*>(room.data());
    stream_.avail_out = room.size();
    const lzma_ret status = lzma_code(&stream_, last ? LZMA_FINISH : LZMA_RUN);
    packed.remove_prefix(packed.size() - stream_.avail_in);
    const std::size_t count = room.size() - stream_.avail_out;
    switch (status) {
      case LZMA_OK:
        return count;
      case LZMA_STREAM_END:
        ended_ = true;
        return count;
      case LZMA_BUF_ERROR:  // nothing more to be had of these bytes
        if (last && count == 0) cut_short();
        return count;
      case LZMA_MEM_ERROR:
        throw std::bad_alloc();
      case LZMA_MEMLIMIT_ERROR:
        too_large(max_xz_memory);
      default:
        damaged(status == LZMA_OPTIONS_ERROR ? "unknown options" : "unexpected data");
    }
  }

 private:
  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool ended_ = false;
};

}  // namespace

extern const Packing Packing_xz = {
    "xz",
    std::string_view("\xFD"
                     "7zXZ\0",
                     6),
    nullptr, [](const std::string& file) -> std::unique_ptr<Unpacker> { return std::make_unique<XzUnpacker>(file); }};

}  // namespace fovea
