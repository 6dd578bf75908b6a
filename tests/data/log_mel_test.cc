// Held against numbers that another implementation made (tests/golden/make_log_mel_goldens.py).
#include "data/log_mel.h"

#include <gtest/gtest.h>

#include "support/golden.h"

namespace fovea::log_mel_test {
namespace {

TEST(LogMel, IsWhatItsDefinitionSays) {
  const Golden golden("log_mel.json");
  for (const std::string n : {"0", "1", "2", "3", "4"}) {
    const std::vector<double>& s = golden.input("settings_" + n).values;
    AudioOptions options;
    options.rate = static_cast<int>(s[1]);
    options.mels = static_cast<int>(s[2]);
    options.frame = s[3];
    options.hop = s[4];
    options.deltas = s[5] != 0;
    const Sound sound = {static_cast<int>(s[0]), golden.input("samples_" + n).as<float>()};
    const std::vector<float> found = log_mel(sound, options);
    const std::vector<double>& wanted = golden.output("frames_" + n).values;
    ASSERT_EQ(found.size(), wanted.size()) << n;
    EXPECT_EQ(golden.output("frames_" + n).shape[1], log_mel_numbers(options)) << n;
    for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], wanted[i], 2e-3) << n << " " << i;
  }
}

TEST(LogMel, SilenceIsZero) {
  for (const float value : log_mel({8000, std::vector<float>(2000)}, {})) ASSERT_EQ(value, 0);
}

// How loud it was recorded says nothing.
TEST(LogMel, LoudnessIsTakenOut) {
  const Golden golden("log_mel.json");
  Sound quiet = {8000, {}}, loud = {8000, {}};
  for (const double sample : golden.input("samples_0").values) {
    quiet.samples.push_back(static_cast<float>(sample / 4));
    loud.samples.push_back(static_cast<float>(sample));
  }
  const std::vector<float> a = log_mel(quiet, {}), b = log_mel(loud, {});
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 1e-3);
}

}  // namespace
}  // namespace fovea::log_mel_test
