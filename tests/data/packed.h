// Text packed in each way that can be unpacked.
#pragma once

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <cstdlib>
#include <string>
#include <string_view>

namespace fovea {

inline std::string gzip(std::string_view text) {
  z_stream stream{};
  if (deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK) std::abort();
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) std::abort();
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

inline std::string xz(std::string_view text) {
  lzma_stream stream = LZMA_STREAM_INIT;
  if (lzma_easy_encoder(&stream, 1, LZMA_CHECK_CRC64) != LZMA_OK) std::abort();
  std::string out(lzma_stream_buffer_bound(text.size()), '\0');
  stream.next_in = reinterpret_cast<const std::uint8_t*>(text.data());
  stream.avail_in = text.size();
  stream.next_out = reinterpret_cast<std::uint8_t*>(out.data());
  stream.avail_out = out.size();
  if (lzma_code(&stream, LZMA_FINISH) != LZMA_STREAM_END) std::abort();
  out.resize(stream.total_out);
  lzma_end(&stream);
  return out;
}

// With a checksum, as the program zstd packs.
inline std::string zstd(std::string_view text) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  std::string out(ZSTD_compressBound(text.size()), '\0');
  const std::size_t size = ZSTD_compress2(context, out.data(), out.size(), text.data(), text.size());
  if (ZSTD_isError(size)) std::abort();
  out.resize(size);
  ZSTD_freeCCtx(context);
  return out;
}

}  // namespace fovea
