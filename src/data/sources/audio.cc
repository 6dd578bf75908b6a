// audio: a sound, named by the cell, or several, one after the other: frames of log-mel numbers (data/log_mel.h), some
// of them side by side as one position.
#include <algorithm>

#include "base/as_size.h"
#include "base/error.h"
#include "base/utf8.h"
#include "data/log_mel.h"
#include "data/named_parts.h"
#include "data/picture.h"
#include "data/source.h"

namespace fovea {

namespace {

constexpr std::uint64_t max_sound_bytes = std::uint64_t(256) << 20;
constexpr double clearly_less = 0.99;  // a header may count a little more than samples
constexpr std::size_t max_shown_frames = 1 << 13, max_heard_samples = 1 << 20;

Sound read_sound(const SourceCell& cell, const std::string& folder) {
  Sound sound;
  for (const SourceCell& one : named_one_by_one(cell)) {
    const std::string bytes = read_named_file(one, folder, max_sound_bytes);
    naming_file(one, folder, [&] { append_sound(sound, decode_sound(bytes)); });
  }
  return sound;
}

// What is read of a sound as a picture: a column a frame, low bands at the bottom, the louder the lighter.
Picture draw_spectrogram(std::span<const float> numbers, const AudioOptions& options) {
  const auto width = as_size(log_mel_numbers(options)), bands = as_size(options.mels);
  const std::size_t frames = std::min(numbers.size() / width, max_shown_frames);
  Picture picture = {static_cast<int>(frames), options.mels, 1, {}};
  for (std::size_t band = bands; band-- > 0;) {
    for (std::size_t t = 0; t < frames; ++t) {
      const float share = (numbers[t * width + band] + 2) / 5;  // in deviations from the sound's mean
      picture.pixels.push_back(static_cast<std::uint8_t>(255 * std::clamp(share, 0.0F, 1.0F)));
    }
  }
  return picture;
}

class AudioSource : public Source {
 public:
  AudioSource(std::string folder, const AudioOptions& options) : folder_(std::move(folder)), options_(options) {}

  SourceData encode(const SourceCell& cell) const override {
    SourceData data;
    const Sound sound = read_sound(cell, folder_);
    if (sound.there < clearly_less) {
      data.doubt = fmt::format("{} has {:.0f} % of the samples that its header promises", printable(cell.text),
                               100 * sound.there);
    }
    data.rows = log_mel(sound, options_);
    const auto width = as_size(shape().width);
    data.length = static_cast<int>((data.rows.size() + width - 1) / width);
    data.rows.resize(as_size(data.length) * width);  // frames that are missing are silent ones
    return data;
  }

  std::vector<SourcePosition> positions(const SourceData& data, std::span<const Token>) const override {
    std::vector<SourcePosition> positions;
    const double step = options_.hop * options_.stack;  // milliseconds
    for (int i = 0; i < data.length; ++i) {
      const auto at = [&](int position) { return static_cast<int>(step * position); };
      positions.push_back({fmt::format("{:.2f}", step * i / 1000), at(i), at(i + 1)});
    }
    return positions;
  }

  std::vector<Media> media(const SourceCell& cell) const override {
    const Sound sound = read_sound(cell, folder_);
    const Picture picture = draw_spectrogram(log_mel(sound, options_), options_);
    const std::size_t heard = std::min(sound.samples.size(), max_heard_samples);
    return {{"image/png", encode_png(picture), static_cast<int>(options_.hop * picture.width), options_.mels},
            {"audio/wav", encode_wav(sound, heard), static_cast<int>(1000 * heard / as_size(sound.rate))}};
  }

  SourceShape shape() const override { return SourceShape::of_frames(options_.stack * log_mel_numbers(options_)); }
  std::map<std::string, std::string> learned() const override { return {}; }

 private:
  std::string folder_;
  AudioOptions options_;
};

SourcePtr learn_audio(const SourceOptions& options, std::span<const SourceCell> cells, std::vector<int>& lengths) {
  auto source = std::make_shared<AudioSource>(options.folder, options.audio);
  for (const SourceCell& cell : cells) lengths.push_back(source->encode(cell).length);
  return source;
}

SourcePtr restore_audio(const SourceOptions& options, const LearnedTexts&) {
  return std::make_shared<AudioSource>(options.folder, options.audio);
}

// The rate of the first sound.
std::vector<SourceChoice> choose_audio(const SourceOptions& options, std::span<const SourceCell> cells) {
  if (cells.empty()) return {};
  const int rate = read_sound(cells[0], options.folder).rate;
  return {{"audio.rate", std::to_string(rate), "as the first sound has it"}};
}

bool names_sounds(std::string_view cell) { return names_files_like(cell, {".wav", ".flac"}); }

}  // namespace

extern const SourceKind Source_audio = {
    .name = "audio",
    .description = "the name of a .wav or .flac file, or of several: log-mel frames",
    .learn = learn_audio,
    .restore = restore_audio,
    .symbols = false,
    .choose = choose_audio,
    .names_files = true,
    .suits = names_sounds};

}  // namespace fovea
