// Sound files, and the features that are made of them.
#include <cmath>

#include "data/log_mel.h"
#include "fuzz.h"

using namespace fovea;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  taken([&] {
    Sound sound = decode_sound(as_text(data, size));
    must(sound.rate >= 1000 && sound.rate <= 192'000 && !sound.samples.empty());
    sound.samples.resize(std::min<std::size_t>(sound.samples.size(), 20'000));  // more says no more
    for (const float number : log_mel(sound, {})) must(std::isfinite(number));
  });
  return 0;
}
