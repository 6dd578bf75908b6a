// Sound files: WAV and FLAC, decoded by libsndfile.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fovea {

struct Sound {
  int rate = 0;                // samples a second
  std::vector<float> samples;  // of all channels, their mean; mostly in -1 .. 1
  double there = 1;            // share of the samples that the header promises
};

// From the bytes of a file. Throws a data_error: for other formats, for what is damaged, for more than eight channels,
// rates outside 1,000 to 192,000 Hz, more than ten minutes, and numbers that are not finite.
Sound decode_sound(std::string_view bytes);

// As a WAV file of one channel, 16 bits a sample: at most so many samples.
std::string encode_wav(const Sound& sound, std::size_t max_samples);

// Puts the next one behind it. Throws a data_error: of another rate, or more than ten minutes in all.
void append_sound(Sound& sound, const Sound& next);

}  // namespace fovea
