// Zstandard, RFC 8878.
#include <zstd.h>
#include <zstd_errors.h>

#include <new>

#include "data/unpackers/unpacker.h"

namespace fovea {

namespace {

constexpr int max_window_bits = 27;  // as the program zstd has it; only its --ultra and --long make wider ones

class ZstdUnpacker : public Unpacker {
 public:
  explicit ZstdUnpacker(const std::string& file) : Unpacker(file, "zstd"), stream_(ZSTD_createDStream()) {
    if (stream_ == nullptr) throw std::bad_alloc();
    ZSTD_DCtx_setParameter(stream_, ZSTD_d_windowLogMax, max_window_bits);
  }
  ~ZstdUnpacker() override { ZSTD_freeDStream(stream_); }

  std::size_t unpack(std::string_view& packed, std::span<char> room, bool last) override {
    if (packed.empty() && between_frames_) return 0;
    ZSTD_inBuffer in = {packed.data(), packed.size(), 0};
    ZSTD_outBuffer out = {room.data(), room.size(), 0};
    const std::size_t status = ZSTD_decompressStream(stream_, &out, &in);
    if (ZSTD_isError(status)) {
      const ZSTD_ErrorCode code = ZSTD_getErrorCode(status);
      if (code == ZSTD_error_memory_allocation) throw std::bad_alloc();
      if (code == ZSTD_error_frameParameter_windowTooLarge) too_large(std::size_t(1) << max_window_bits);
      damaged(ZSTD_getErrorName(status));
    }
    packed.remove_prefix(in.pos);
    between_frames_ = status == 0;
    if (last && out.pos == 0 && packed.empty() && !between_frames_) cut_short();
    return out.pos;
  }

 private:
  ZSTD_DStream* stream_;
  bool between_frames_ = false;
};

}  // namespace

extern const Packing Packing_zstd = {
    "zstd", "\x28\xB5\x2F\xFD", nullptr,
    [](const std::string& file) -> std::unique_ptr<Unpacker> { return std::make_unique<ZstdUnpacker>(file); }};

}  // namespace fovea
