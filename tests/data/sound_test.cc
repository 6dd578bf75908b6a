#include "data/sound.h"

#include <gtest/gtest.h>
#include <sndfile.h>

#include "base/error.h"
#include "data/wav.h"
#include "support/temporary_folder.h"

namespace fovea::sound_test {
namespace {

std::string refusal(const std::string& bytes) {
  try {
    decode_sound(bytes);
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::data);
    return e.what();
  }
  return "";
}

TEST(Sound, SamplesAreThoseOfTheFile) {
  const Sound sound = decode_sound(wav({0, 16384, -32768, 32767}, {.rate = 11025}));
  EXPECT_EQ(sound.rate, 11025);
  EXPECT_EQ(sound.samples, (std::vector<float>{0, 0.5F, -1, 32767 / 32768.0F}));
}

TEST(Sound, ChannelsAreBroughtTogether) {
  EXPECT_EQ(decode_sound(wav({16384, 0, -16384, -32768}, {.channels = 2})).samples,
            (std::vector<float>{0.25F, -0.75F}));
}

TEST(Sound, FlacIsReadLikeWav) {
  const TemporaryFolder folder;
  const std::string path = (folder / "a.flac").string();
  const std::vector<std::int16_t> samples = chirp(5000);
  SF_INFO info = {};
  info.samplerate = 8000, info.channels = 1, info.format = SF_FORMAT_FLAC | SF_FORMAT_PCM_16;
  SNDFILE* file = sf_open(path.c_str(), SFM_WRITE, &info);
  ASSERT_TRUE(file);
  sf_write_short(file, samples.data(), std::ssize(samples));
  sf_close(file);
  std::ifstream in(path, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(in), {});
  EXPECT_EQ(decode_sound(bytes).samples, decode_sound(wav(samples)).samples);
  EXPECT_NE(refusal(bytes.substr(0, 60)), "");
}

TEST(Sound, WhatItCannotReadItSays) {
  EXPECT_EQ(refusal("ID3 and so on"), "neither a WAV nor a FLAC file");
  EXPECT_EQ(refusal(""), "neither a WAV nor a FLAC file");
  EXPECT_EQ(refusal(wav({})), "a sound without a sample");
  EXPECT_EQ(refusal(wav(chirp(18), {.channels = 9})), "9 channels where 1 to 8 are read");
  EXPECT_EQ(refusal(wav(chirp(8), {.rate = 500})), "500 samples a second where 1000 to 192000 are read");
  EXPECT_EQ(refusal(wav(std::vector<std::int16_t>(600'001), {.rate = 1000})), "longer than 10 minutes; cut it");
  EXPECT_NE(refusal(wav(chirp(8)).substr(0, 20)).find("damaged"), std::string::npos);
}

TEST(Sound, IsWrittenAsItWasRead) {
  const Sound sound = decode_sound(wav(chirp(100)));
  const Sound again = decode_sound(encode_wav(sound, 1000));
  EXPECT_EQ(again.rate, 8000);
  ASSERT_EQ(again.samples.size(), 100u);
  EXPECT_EQ(again.samples, sound.samples);
  EXPECT_EQ(decode_sound(encode_wav(sound, 40)).samples.size(), 40u);
  EXPECT_EQ(decode_sound(encode_wav({16000, {2.0F, -2.0F}}, 9)).samples, (std::vector<float>{32767.0F / 32768, -1}))
      << "too loud";
}

TEST(Sound, OneIsPutBehindTheOther) {
  Sound sound;
  append_sound(sound, {8000, {0.5F}});
  append_sound(sound, {8000, {0.25F, -1}});
  EXPECT_EQ(sound.rate, 8000);
  EXPECT_EQ(sound.samples, (std::vector<float>{0.5F, 0.25F, -1}));
  EXPECT_THROW(append_sound(sound, {16000, {0}}), Error);
  EXPECT_THROW(append_sound(sound, {8000, std::vector<float>(600 * 8000 - 2)}), Error) << "more than ten minutes";
  EXPECT_EQ(sound.samples.size(), 3u);
}

// A header that promises more than there is must not make anything large.
TEST(Sound, WhatIsThereCounts) {
  const Sound sound = decode_sound(wav(chirp(100), {.promised = 8'000'000}));
  EXPECT_EQ(sound.samples.size(), 100u);
}

TEST(Sound, KnowsWhichShareOfItIsThere) {
  EXPECT_EQ(decode_sound(wav(chirp(100))).there, 1);
  EXPECT_DOUBLE_EQ(decode_sound(wav(chirp(100), {.promised = 800})).there, 0.25);
  for (const std::uint32_t unknown : {0xFFFFFFFFU, 0x7FFFFFFFU}) {
    EXPECT_EQ(decode_sound(wav(chirp(100), {.promised = unknown})).there, 1) << "written to a pipe";
  }
  Sound both;
  append_sound(both, decode_sound(wav(chirp(100))));
  append_sound(both, decode_sound(wav(chirp(100), {.promised = 400})));
  EXPECT_DOUBLE_EQ(both.there, 0.5);
}

}  // namespace
}  // namespace fovea::sound_test
