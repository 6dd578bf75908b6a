#include "data/log_mel.h"

#include <kiss_fftr.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <numbers>
#include <numeric>

#include "base/as_size.h"
#include "base/error.h"

namespace fovea {

namespace {

double mel_of(double hertz) { return 2595 * std::log10(1 + hertz / 700); }
double hertz_of(double mel) { return 700 * (std::pow(10, mel / 2595) - 1); }

// A triangle over some of the frequencies of a spectrum.
struct Band {
  std::size_t first = 0;
  std::vector<double> weights;
};

// `step` is how far apart the frequencies of the spectrum are, in Hz.
std::vector<Band> make_bands(const AudioOptions& options, double step, std::size_t frequencies) {
  const double top = mel_of(options.rate / 2.0);
  const auto corner = [&](int i) { return hertz_of(top * i / (options.mels + 1)); };
  std::vector<Band> bands;
  for (int m = 0; m < options.mels; ++m) {
    const double low = corner(m), middle = corner(m + 1), high = corner(m + 2);
    Band band;
    for (std::size_t k = 0; k < frequencies; ++k) {
      const double f = static_cast<double>(k) * step;
      const double weight = std::min((f - low) / (middle - low), (high - f) / (high - middle));
      if (weight <= 0) continue;
      if (band.weights.empty()) band.first = k;
      band.weights.push_back(weight);
    }
    bands.push_back(std::move(band));
  }
  return bands;
}

// Logarithms of powers, mean 0 and deviation 1 over the sound. Not band by band: which bands are strong all through
// says what sounds.
std::vector<float> normalise(const std::vector<double>& powers) {
  constexpr double quietest = 1e-8;  // beside the mean, as it was recorded
  const auto mean_of = [](const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  };
  const double loudness = mean_of(powers);
  std::vector<float> numbers(powers.size());
  if (loudness <= 0) return numbers;
  std::vector<double> logs, squares;
  for (const double power : powers) logs.push_back(std::log(power / loudness + quietest));
  const double mean = mean_of(logs);
  for (const double value : logs) squares.push_back((value - mean) * (value - mean));
  const double deviation = std::sqrt(mean_of(squares));
  if (deviation < 1e-5) return numbers;  // what never changes says nothing
  std::ranges::transform(logs, numbers.begin(), [&](double x) { return static_cast<float>((x - mean) / deviation); });
  return numbers;
}

// The changes of each number beside it; what is beyond the ends is like the ends.
std::vector<float> with_deltas(const std::vector<float>& values, std::size_t width) {
  const auto frames = static_cast<std::ptrdiff_t>(values.size() / width);
  std::vector<float> both;
  both.reserve(2 * values.size());
  for (std::ptrdiff_t t = 0; t < frames; ++t) {
    const auto at = [&](std::ptrdiff_t frame, std::size_t m) {
      return values[as_size(std::clamp<std::ptrdiff_t>(frame, 0, frames - 1)) * width + m];
    };
    for (std::size_t m = 0; m < width; ++m) both.push_back(at(t, m));
    for (std::size_t m = 0; m < width; ++m) {
      both.push_back((at(t + 1, m) - at(t - 1, m) + 2 * (at(t + 2, m) - at(t - 2, m))) / 10);
    }
  }
  return both;
}

}  // namespace

int log_mel_numbers(const AudioOptions& options) { return options.mels * (options.deltas ? 2 : 1); }

std::vector<float> log_mel(const Sound& sound, const AudioOptions& options) {
  const auto samples_of = [&](double milliseconds) {
    return as_size(std::max(1L, std::lround(milliseconds * sound.rate / 1000)));
  };
  const std::size_t frame = samples_of(options.frame), hop = samples_of(options.hop);
  const std::size_t size = std::bit_ceil(std::max<std::size_t>(frame, 4)), frequencies = size / 2 + 1;
  const std::size_t frames = sound.samples.size() <= frame ? 1 : (sound.samples.size() - frame) / hop + 1;
  const auto bands = make_bands(options, static_cast<double>(sound.rate) / static_cast<double>(size), frequencies);

  std::vector<float> window(frame), input(size);
  for (std::size_t n = 0; n < frame; ++n) {
    const double turn = 2 * std::numbers::pi * static_cast<double>(n) / static_cast<double>(frame);
    window[n] = static_cast<float>((1 - std::cos(turn)) / 2);
  }
  const std::unique_ptr<kiss_fftr_state, void (*)(void*)> plan(
      kiss_fftr_alloc(static_cast<int>(size), 0, nullptr, nullptr), [](void* state) { kiss_fftr_free(state); });
  check(plan != nullptr, "no plan for an FFT of {}", size);
  std::vector<kiss_fft_cpx> spectrum(frequencies);
  std::vector<double> powers;
  powers.reserve(frames * bands.size());
  for (std::size_t t = 0; t < frames; ++t) {
    const auto from = std::span(sound.samples).subspan(t * hop);
    for (std::size_t n = 0; n < frame; ++n) input[n] = n < from.size() ? from[n] * window[n] : 0.0F;
    kiss_fftr(plan.get(), input.data(), spectrum.data());
    for (const Band& band : bands) {
      double power = 0;
      for (std::size_t k = 0; k < band.weights.size(); ++k) {
        const kiss_fft_cpx c = spectrum[band.first + k];
        power += band.weights[k] * (static_cast<double>(c.r) * static_cast<double>(c.r) +
                                    static_cast<double>(c.i) * static_cast<double>(c.i));
      }
      powers.push_back(power);
    }
  }
  const std::vector<float> values = normalise(powers);
  return options.deltas ? with_deltas(values, bands.size()) : values;
}

}  // namespace fovea
