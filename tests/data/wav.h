// Sound files for tests, as the WAV format has them: 16 bits a sample.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fovea {

struct WavHeader {
  std::uint16_t channels = 1;
  std::uint32_t rate = 8000;
  std::uint32_t promised = 0;  // bytes of samples, if other than there are
};

inline std::string wav(const std::vector<std::int16_t>& samples, WavHeader header = {}) {
  std::string bytes;
  const auto put = [&](std::uint32_t number, int size) {
    for (int i = 0; i < size; ++i) bytes += static_cast<char>(number >> (8 * i) & 255);
  };
  const auto size = header.promised ? header.promised : static_cast<std::uint32_t>(samples.size() * 2);
  bytes += "RIFF";
  put(36 + size, 4);
  bytes += "WAVEfmt ";
  put(16, 4);
  put(1, 2);
  put(header.channels, 2);
  put(header.rate, 4);
  put(header.rate * header.channels * 2, 4);
  put(header.channels * 2u, 2);
  put(16, 2);
  bytes += "data";
  put(size, 4);
  for (const std::int16_t sample : samples) put(static_cast<std::uint16_t>(sample), 2);
  return bytes;
}

// So many samples that no two frames are alike.
inline std::vector<std::int16_t> chirp(int count) {
  std::vector<std::int16_t> samples;
  for (int n = 0; n < count; ++n) samples.push_back(static_cast<std::int16_t>((n * n / 7) % 20000 - 10000));
  return samples;
}

}  // namespace fovea
