#include "data/sound.h"

#include <sndfile.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <span>

#include "base/as_size.h"
#include "base/error.h"
#include "base/utf8.h"

namespace fovea {

namespace {

constexpr int max_channels = 8, lowest_rate = 1000, highest_rate = 192'000, max_seconds = 600;
constexpr sf_count_t at_once = 4096;  // samples of each channel

// What libsndfile reads as a file.
struct Reader {
  std::string_view bytes;
  sf_count_t at = 0;

  static Reader& of(void* self) { return *static_cast<Reader*>(self); }
  static sf_count_t size(void* self) { return std::ssize(of(self).bytes); }
  static sf_count_t tell(void* self) { return of(self).at; }
  static sf_count_t seek(sf_count_t offset, int whence, void* self) {
    const sf_count_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? tell(self) : size(self);
    // A damaged header may send it anywhere: it stays inside.
    const sf_count_t least = -from, most = size(self) - from;
    return of(self).at = from + std::clamp(offset, least, most);
  }
  static sf_count_t read(void* to, sf_count_t count, void* self) {
    Reader& reader = of(self);
    count = std::clamp<sf_count_t>(count, 0, size(self) - reader.at);
    if (count > 0) std::memcpy(to, reader.bytes.data() + reader.at, as_size(count));
    reader.at += count;
    return count;
  }
  static sf_count_t write(const void*, sf_count_t, void*) { return 0; }
};

// The only two that are let through to the library, by their first bytes.
void check_format(std::string_view bytes) {
  const bool wav = bytes.size() >= 12 && bytes.starts_with("RIFF") && bytes.substr(8, 4) == "WAVE";
  if (!wav && !bytes.starts_with("fLaC")) throw data_error("neither a WAV nor a FLAC file");
}

// Bytes of samples that the header of a WAV file promises and that are there, as a share; 1 of other files. The library
// takes what is there for what was promised. What is written to a pipe cannot know and promises none, or all there can
// be.
double share_there(std::string_view bytes) {
  const auto number = [&](std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = 4; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
    return value;
  };
  constexpr std::uint32_t unknown = 0x7FFFF000;
  if (!bytes.starts_with("RIFF")) return 1;
  for (std::size_t at = 12; at + 8 <= bytes.size();) {
    const std::uint32_t promised = number(at + 4);
    if (bytes.substr(at, 4) == "data") {
      const std::size_t there = bytes.size() - at - 8;
      return promised >= unknown || there >= promised ? 1 : static_cast<double>(there) / promised;
    }
    at += 8 + std::size_t(promised) + promised % 2;
  }
  return 1;
}

void check_header(const SF_INFO& info) {
  if (info.channels < 1 || info.channels > max_channels) {
    throw data_error("{} channels where 1 to {} are read", info.channels, max_channels);
  }
  if (info.samplerate < lowest_rate || info.samplerate > highest_rate) {
    throw data_error("{} samples a second where {} to {} are read", info.samplerate, lowest_rate, highest_rate);
  }
  if (info.frames > sf_count_t(max_seconds) * info.samplerate) {
    throw data_error("longer than {} minutes; cut it", max_seconds / 60);
  }
}

}  // namespace

Sound decode_sound(std::string_view bytes) {
  check_format(bytes);
  Reader reader{bytes};
  SF_VIRTUAL_IO io = {Reader::size, Reader::seek, Reader::read, Reader::write, Reader::tell};
  SF_INFO info = {};
  const std::unique_ptr<SNDFILE, int (*)(SNDFILE*)> file(sf_open_virtual(&io, SFM_READ, &info, &reader), sf_close);
  if (!file) throw data_error("a damaged sound file: {}", printable(sf_strerror(nullptr)));
  check_header(info);
  Sound sound{info.samplerate, {}, share_there(bytes)};
  const auto most = as_size(max_seconds) * as_size(info.samplerate);
  std::array<float, at_once * max_channels> block;
  // What is there counts, not what the header promises.
  for (sf_count_t count = 0; (count = sf_readf_float(file.get(), block.data(), at_once)) > 0;) {
    if (sound.samples.size() + as_size(count) > most) {
      throw data_error("longer than {} minutes; cut it", max_seconds / 60);
    }
    for (sf_count_t i = 0; i < count; ++i) {
      float sum = 0;
      for (int c = 0; c < info.channels; ++c) sum += block[as_size(i * info.channels + c)];
      const float mean = sum / static_cast<float>(info.channels);
      if (!std::isfinite(mean) || std::abs(mean) > 1e6F) {
        throw data_error("sample {} is not finite", sound.samples.size() + 1);
      }
      sound.samples.push_back(mean);
    }
  }
  if (const int problem = sf_error(file.get())) {
    throw data_error("a damaged sound file: {}", printable(sf_error_number(problem)));
  }
  if (sound.samples.empty()) throw data_error("a sound without a sample");
  sound.there = std::min(sound.there, static_cast<double>(sound.samples.size()) / static_cast<double>(info.frames));
  return sound;
}

std::string encode_wav(const Sound& sound, std::size_t max_samples) {
  const auto samples = std::span(sound.samples).first(std::min(sound.samples.size(), max_samples));
  const auto bytes = static_cast<std::uint32_t>(2 * samples.size()), rate = static_cast<std::uint32_t>(sound.rate);
  std::string wav;
  const auto add = [&](std::uint32_t number, int size) {  // the lowest byte first
    for (int i = 0; i < size; ++i) wav += static_cast<char>(number >> 8 * i & 255);
  };
  wav += "RIFF", add(36 + bytes, 4), wav += "WAVEfmt ", add(16, 4);
  add(1, 2), add(1, 2), add(rate, 4), add(2 * rate, 4), add(2, 2), add(16, 2);  // plain numbers, one channel
  wav += "data", add(bytes, 4);
  for (const float sample : samples) {
    add(static_cast<std::uint32_t>(std::clamp(std::lround(32768 * sample), -32768L, 32767L)), 2);
  }
  return wav;
}

void append_sound(Sound& sound, const Sound& next) {
  if (sound.samples.empty()) sound.rate = next.rate;
  if (next.rate != sound.rate) {
    throw data_error("{} samples a second behind a sound of {}: only sounds of one rate are joined", next.rate,
                     sound.rate);
  }
  const auto most = as_size(max_seconds) * as_size(sound.rate);
  if (sound.samples.size() + next.samples.size() > most) {
    throw data_error("longer than {} minutes with those before it", max_seconds / 60);
  }
  sound.samples.insert(sound.samples.end(), next.samples.begin(), next.samples.end());
  sound.there = std::min(sound.there, next.there);
}

}  // namespace fovea
