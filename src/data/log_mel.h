// What a sound is to the ear, roughly: how strong it is in bands of frequencies, frame by frame.
//
//   frame t: samples from t hop on, `frame` milliseconds of them, times a Hann window, w_n = (1 - cos(2 pi n / N)) / 2
//
//   power: |FFT|^2 of the frame filled up with zeros to a power of two
//
//   mel m: sum over frequencies of power times a triangle, whose corners are equally far apart on the mel scale,
//   2595 log10(1 + f / 700) (O'Shaughnessy 1987), from 0 to rate / 2 Hz
//
//   number: log(mel / mean mel of the sound + 1e-8), less the mean of all of these, divided by their deviation
//
// A sound of another rate than the setting's is heard in the same bands: nothing is resampled.
#pragma once

#include <vector>

#include "data/sound.h"
#include "data/source.h"

namespace fovea {

// [frames, numbers], `mels` numbers and, with `deltas`, how much each changes: (x_t+1 - x_t-1 + 2 (x_t+2 - x_t-2))
// / 10. A sound shorter than a frame has one.
std::vector<float> log_mel(const Sound& sound, const AudioOptions& options);

int log_mel_numbers(const AudioOptions& options);

}  // namespace fovea
