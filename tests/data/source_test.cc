#include "data/source.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/as_size.h"
#include "base/error.h"
#include "data/picture.h"
#include "data/sound.h"
#include "data/wav.h"
#include "support/temporary_folder.h"

namespace fovea::source_test {
namespace {

struct Sample {
  std::vector<std::string_view> cells;
  std::string_view cell;  // one more
};

// 8,000 Hz; a picture of 64 x 32 pixels and one half as large.
const TemporaryFolder& folder() {
  static const TemporaryFolder made;
  static const bool written = [] {
    made.write("long.wav", wav(chirp(4000)));
    made.write("short.wav", wav(chirp(1000)));
    Picture picture = {64, 32, 1, {}};
    for (int i = 0; i < 64 * 32; ++i) picture.pixels.push_back(static_cast<std::uint8_t>(i % 64 * 4));
    made.write("large.png", encode_png(picture));
    made.write("small.png", encode_png({32, 16, 1, std::vector<std::uint8_t>(512, 9)}));
    return true;
  }();
  EXPECT_TRUE(written);
  return made;
}

const std::map<std::string, Sample>& samples() {
  static const std::map<std::string, Sample> all = {{"text", {{"ab", "ba a"}, "abz"}},
                                                    {"document", {{"ab", "ba a"}, "ab. a"}},
                                                    {"features", {{"V;PST", "N|PL"}, "N;X"}},
                                                    {"vectors", {{"1 2; 3 4", "5 6"}, "2 2;4 4; 9 1"}},
                                                    {"audio", {{"long.wav", "short.wav"}, "long.wav"}},
                                                    {"image", {{"large.png", "small.png"}, "small.png"}}};
  return all;
}

SourceCell in_folder(std::string_view cell) {
  static const std::string place = folder().path().string();
  return {cell, {.folder = place}};
}

SourcePtr learned(const SourceKind& kind, std::vector<int>& lengths) {
  std::vector<SourceCell> cells;
  for (const std::string_view cell : samples().at(std::string(kind.name)).cells) cells.push_back(in_folder(cell));
  return kind.learn({}, cells, lengths);
}
SourcePtr learned(const SourceKind& kind) {
  std::vector<int> lengths;
  return learned(kind, lengths);
}

TEST(EverySource, HasASample) {
  std::vector<std::string> names = sources().names(), known;
  for (const auto& [name, sample] : samples()) known.push_back(name);
  std::ranges::sort(names);
  EXPECT_EQ(names, known);
}

TEST(EverySource, SaysHowLongTheCellsAre) {
  // Half a second: 48 frames of 25 ms, three of them a position; strips of 4 pixels, once brought to 32 pixels.
  const std::map<std::string, std::vector<int>> wanted = {{"text", {2, 4}},     {"document", {2, 4}},
                                                          {"features", {2, 2}}, {"vectors", {2, 1}},
                                                          {"audio", {16, 4}},   {"image", {16, 16}}};
  for (const SourceKind* kind : sources()) {
    std::vector<int> lengths;
    learned(*kind, lengths);
    EXPECT_EQ(lengths, wanted.at(std::string(kind->name))) << kind->name;
  }
}

TEST(EverySource, HasAPositionForEachThatItReads) {
  for (const SourceKind* kind : sources()) {
    const SourcePtr source = learned(*kind);
    const SourceCell cell = in_folder(samples().at(std::string(kind->name)).cell);
    const SourceData data = source->encode(cell);
    EXPECT_GT(data.length, 1) << kind->name;
    const SymbolSource* symbols = source->as_symbols();
    const std::vector<Token> tokens = symbols ? symbols->cut(cell.text) : std::vector<Token>();
    EXPECT_EQ(source->positions(data, tokens).size(), as_size(data.length)) << kind->name;
    EXPECT_EQ(kind->symbols, source->as_symbols() != nullptr) << kind->name;
    const SourceShape shape = source->shape();
    EXPECT_EQ(data.symbols.size(), kind->symbols ? as_size(data.length) : 0u) << kind->name;
    EXPECT_EQ(data.rows.size(), as_size(data.length * shape.width)) << kind->name;
    for (const std::int32_t symbol : data.symbols) EXPECT_LT(symbol, shape.symbols) << kind->name;
  }
}

TEST(EverySource, ReadsTheSameOnceItIsRestored) {
  for (const SourceKind* kind : sources()) {
    const SourcePtr source = learned(*kind);
    std::map<std::string, std::string> kept;
    for (const auto& [key, text] : source->learned()) kept["source." + key] = text;
    const SourcePtr restored = kind->restore({}, LearnedTexts(kept, "source.", "m"));
    const SourceCell cell = in_folder(samples().at(std::string(kind->name)).cell);
    EXPECT_EQ(restored->encode(cell).symbols, source->encode(cell).symbols) << kind->name;
    EXPECT_EQ(restored->encode(cell).rows, source->encode(cell).rows) << kind->name;
    EXPECT_EQ(restored->learned(), source->learned()) << kind->name;
  }
}

TEST(EverySource, RefusesAFileThatLacksWhatItLearned) {
  for (const SourceKind* kind : sources()) {
    if (learned(*kind)->learned().empty()) continue;  // there is nothing to lack
    for (const char* text : {"", "[", "[[1]]", "{}", "[\"a\"]", "[]", "[1e999]"}) {
      std::map<std::string, std::string> kept;
      for (const auto& [key, good] : learned(*kind)->learned()) {
        if (*text) kept["source." + key] = text;
      }
      try {
        kind->restore({}, LearnedTexts(kept, "source.", "m"));
        ADD_FAILURE() << kind->name << " takes " << text;
      } catch (const Error& e) {
        EXPECT_EQ(e.kind(), ErrorKind::model) << kind->name << " " << text;
      }
    }
  }
}

// Mean 0 and deviation 1 over the training data: columns 1 3 5 and 2 4 6 have the means 3 and 4 and the variance 8/3.
TEST(Vectors, AreBroughtToOneScale) {
  const SourceData data = learned(sources().find("vectors"))->encode("3 4; 5 0");
  const double deviation = std::sqrt(8.0 / 3);
  ASSERT_EQ(data.rows.size(), 4u);
  EXPECT_NEAR(data.rows[0], 0, 1e-6);
  EXPECT_NEAR(data.rows[1], 0, 1e-6);
  EXPECT_NEAR(data.rows[2], 2 / deviation, 1e-6);
  EXPECT_NEAR(data.rows[3], -4 / deviation, 1e-6);
}

TEST(Vectors, OfAnotherWidthAreRefused) {
  EXPECT_THROW(learned(sources().find("vectors"))->encode("1 2 3"), Error);
  std::vector<int> lengths;
  EXPECT_THROW(sources().find("vectors").learn({}, std::vector<SourceCell>{"1 2", "1"}, lengths), Error);
  EXPECT_THROW(sources().find("vectors").learn({}, std::vector<SourceCell>{";"}, lengths), Error);
}

TEST(Vectors, AColumnThatNeverChangesStaysFinite) {
  std::vector<int> lengths;
  const SourcePtr source = sources().find("vectors").learn({}, std::vector<SourceCell>{"7 1; 7 2"}, lengths);
  EXPECT_EQ(source->encode("7 1").rows[0], 0);
}

std::string refusal(const SourceKind& kind, const SourceCell& cell) {
  try {
    learned(kind)->encode(cell);
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::data);
    return e.what();
  }
  return "";
}

// One place decides whether files are opened that a line names.
TEST(NamedFiles, AreNotOpenedWhereThatIsForbidden) {
  const std::string place = folder().path().string();
  folder().write("rows.txt", "1 2\n");
  for (const auto& [kind, name] : {std::pair{"audio", "long.wav"}, {"image", "large.png"}, {"vectors", "rows.txt"}}) {
    EXPECT_EQ(refusal(sources().find(kind), {std::string_view(name), {.folder = place}}), "") << kind;
    EXPECT_NE(refusal(sources().find(kind), {std::string_view(name), {.folder = place, .open = OpenFiles::none}})
                  .find("not opened here"),
              std::string::npos)
        << kind;
  }
}

// What strangers may have opened: files of one folder, and no name leads out of it.
TEST(NamedFiles, StayInTheFolderWhereOnlyThatIsOpen) {
  const TemporaryFolder outer;
  std::filesystem::create_directories(outer / "open" / "deeper");
  std::filesystem::create_directories(outer / "opened");
  for (const char* name : {"open/rows.txt", "open/deeper/rows.txt", "opened/rows.txt", "secret.txt"}) {
    outer.write(name, "1 2\n");
  }
  std::filesystem::create_symlink(outer / "secret.txt", outer / "open" / "link.txt");
  std::filesystem::create_symlink(outer / "open" / "rows.txt", outer / "open" / "inside.txt");
  std::filesystem::create_directory_symlink(outer.path(), outer / "open" / "up");
  ASSERT_EQ(mkfifo((outer / "open" / "pipe.txt").c_str(), 0600), 0);
  const std::string place = (outer / "open").string();
  const SourceKind& vectors = sources().find("vectors");
  const auto problem = [&](const std::string& name) {
    return refusal(vectors, {std::string_view(name), {.folder = place, .open = OpenFiles::below_folder}});
  };
  for (const std::string name : {"rows.txt", "deeper/rows.txt", "deeper/../rows.txt", "inside.txt"}) {
    EXPECT_EQ(problem(name), "") << name;
  }
  EXPECT_EQ(problem((outer / "open" / "rows.txt").string()), "") << "it lies there, whatever it is called";
  const std::string missing = problem("none.txt");
  EXPECT_NE(missing.find("names no file in the folder"), missing.npos) << missing;
  for (const std::string name : {"../secret.txt", "deeper/../../secret.txt", "../opened/rows.txt", "link.txt",
                                 "up/secret.txt", "pipe.txt", "deeper", "/", "/etc/passwd", "/dev/zero", "~/x"}) {
    const std::string said = problem(name);
    EXPECT_NE(said.find("names no file in the folder"), said.npos) << name << ": " << said;
    EXPECT_EQ(said.find(outer.path().string()), said.npos) << "where the folder lies is not told: " << said;
  }
  EXPECT_NE(problem(std::string(300, 'x')), "");
  EXPECT_EQ(problem("../secret.txt").substr(15), problem("../nothing.txt").substr(16)) << "nor what is beside it";
}

TEST(NamedFiles, AreNamedWhereSomethingIsWrong) {
  folder().write("bad.wav", "RIFF, so to speak");
  const std::string problem = refusal(sources().find("audio"), in_folder("bad.wav"));
  EXPECT_NE(problem.find("bad.wav: neither a WAV nor a FLAC file"), std::string::npos) << problem;
  EXPECT_NE(refusal(sources().find("image"), in_folder("none.png")).find("beside the data file"), std::string::npos);
  folder().write("empty.png", "");
  const std::string empty = refusal(sources().find("image"), in_folder("empty.png"));
  EXPECT_NE(empty.find("empty.png: an empty file"), std::string::npos) << empty;
  EXPECT_EQ(empty.find("beside the data file"), std::string::npos) << "there it is: " << empty;
  EXPECT_NE(refusal(sources().find("image"), in_folder("bad.wav")).find("neither a PNG nor a JPEG"), std::string::npos);
}

// What waits for a writer, or never ends, is no file.
TEST(NamedFiles, PipesAndDevicesAreRefused) {
  const TemporaryFolder outer;
  ASSERT_EQ(mkfifo((outer / "pipe").c_str(), 0600), 0);
  for (const char* kind : {"audio", "image", "vectors"}) {
    for (const std::string& name : {(outer / "pipe").string(), std::string("/dev/zero"), outer.path().string()}) {
      const std::string problem = refusal(sources().find(kind), std::string_view(name));
      EXPECT_NE(problem.find("cannot read " + name + ": it is a folder, a pipe or a device"), problem.npos)
          << kind << ": " << problem;
    }
  }
}

TEST(NamedFiles, AreLookedForInTheFolderThatIsGiven) {
  SourceOptions options;
  options.folder = folder().path().string();
  std::vector<int> lengths;
  sources().find("image").learn(options, std::vector<SourceCell>{"large.png"}, lengths);
  EXPECT_EQ(lengths, std::vector<int>{16});
}

// "a + b": what stands in both is read as one.
TEST(NamedFiles, AreJoined) {
  const auto source = [](const char* kind) { return learned(sources().find(kind)); };
  EXPECT_EQ(source("audio")->encode(in_folder("long.wav + short.wav")).length, 21) << "61 frames";
  const SourceData data = source("image")->encode(in_folder("large.png + large.png + large.png"));
  EXPECT_EQ(data.picture_width, 192);
  EXPECT_EQ(data.length, 48);
  EXPECT_NE(refusal(sources().find("image"), in_folder("large.png + small.png")).find("small.png: 16 pixels high"),
            std::string::npos);
  folder().write("fast.wav", wav(chirp(4000), {.rate = 16000}));
  EXPECT_NE(refusal(sources().find("audio"), in_folder("long.wav + fast.wav")).find("fast.wav: 16000 samples"),
            std::string::npos);
  for (const char* names : {"large.png + ", " + large.png", "large.png + none.png", " + "}) {
    EXPECT_NE(refusal(sources().find("image"), in_folder(names)), "") << names;
  }
}

TEST(Image, TooLongForItsHeightIsNamed) {
  folder().write("line.png", encode_png({20'000, 1, 1, std::vector<std::uint8_t>(20'000, 9)}));
  const std::string problem = refusal(sources().find("image"), in_folder("line.png"));
  EXPECT_NE(problem.find("line.png: "), problem.npos) << problem;
}

TEST(Image, IsOneOfManyInAnIdxFile) {
  std::string bytes = {0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 32, 0, 0, 0, 8};
  bytes += std::string(256, '\0') + std::string(256, '\x7f');
  folder().write("digits.idx", bytes);
  const SourcePtr source = learned(sources().find("image"));
  const SourceData data = source->encode(in_folder("digits.idx#0 + digits.idx#1"));
  EXPECT_EQ(data.length, 4);
  EXPECT_EQ(data.picture_width, 16);
  EXPECT_LT(data.rows.front(), 0) << "the first is black";
  EXPECT_GT(data.rows.back(), 0);
  EXPECT_NEAR(data.rows.back(), -data.rows.front(), 1e-6);
  const auto refused = [](std::string_view name) { return refusal(sources().find("image"), in_folder(name)); };
  EXPECT_NE(refused("digits.idx#2").find("no picture 2: it has 2"), std::string::npos) << refused("digits.idx#2");
  EXPECT_NE(refused("digits.idx#99999999999999999999"), "");
  EXPECT_NE(refused("digits.idx#"), "");
  EXPECT_NE(refused("large.png#0").find("no idx file"), std::string::npos);
  folder().write("short.idx", bytes.substr(0, 400));
  EXPECT_EQ(refused("short.idx#0"), "");
  EXPECT_NE(refused("short.idx#1").find("ends within a picture"), std::string::npos);
  EXPECT_NE(refusal(sources().find("image"), {std::string_view("digits.idx#0"), {.open = OpenFiles::none}})
                .find("not opened"),
            std::string::npos);
}

TEST(Audio, PositionsAreSeconds) {
  const SourcePtr source = learned(sources().find("audio"));
  const auto positions = source->positions(source->encode(in_folder("long.wav")), {});
  EXPECT_EQ(positions[0].text, "0.00");
  EXPECT_EQ(positions[5].text, "0.15");
  EXPECT_EQ(positions[5].start, 150);
  EXPECT_EQ(positions[5].end, 180);
}

TEST(Audio, CanBeHeardAndItsSpectrogramSeen) {
  const SourcePtr source = learned(sources().find("audio"));
  std::vector<std::int16_t> tones;  // half a second of 300 Hz, then of 2,000
  for (int n = 0; n < 8000; ++n)
    tones.push_back(static_cast<std::int16_t>(9000 * std::sin(n * (n < 4000 ? 0.236 : 1.571))));
  folder().write("tones.wav", wav(tones));
  const std::vector<Media> media = source->media(in_folder("tones.wav"));
  ASSERT_EQ(media.size(), 2U);
  EXPECT_EQ(media[0].type, "image/png");
  const Picture picture = decode_picture(media[0].bytes, false);
  EXPECT_EQ(picture.height, 40);
  EXPECT_EQ(picture.width, 98) << "frames of 25 ms, 10 ms apart, in a second";
  EXPECT_EQ(media[0].width, 980) << "milliseconds";
  const auto lightest = [&](int column) {
    int best = 0;
    for (int y = 1; y < picture.height; ++y) {
      const auto at = [&](int row) { return picture.pixels[as_size(row * picture.width + column)]; };
      if (at(y) > at(best)) best = y;
    }
    return best;
  };
  EXPECT_GT(lightest(20), lightest(80)) << "low bands are at the bottom";
  EXPECT_EQ(media[1].type, "audio/wav");
  EXPECT_EQ(media[1].width, 1000);
  EXPECT_EQ(decode_sound(media[1].bytes).samples, decode_sound(wav(tones)).samples);
}

TEST(Image, CanBeSeen) {
  const std::vector<Media> media = learned(sources().find("image"))->media(in_folder("large.png"));
  ASSERT_EQ(media.size(), 1U);
  EXPECT_EQ(media[0].type, "image/png");
  EXPECT_EQ(media[0].width, 64);
  EXPECT_EQ(media[0].height, 32);
  const Picture picture = decode_picture(media[0].bytes, false);
  EXPECT_EQ(picture.width, 64);
  EXPECT_EQ(picture.pixels[63], 252) << "as it is";
  EXPECT_TRUE(learned(sources().find("text"))->media("ab").empty());
}

TEST(Audio, TheRateIsThatOfTheFirstSound) {
  const auto choices = sources().find("audio").choose({}, std::vector{in_folder("long.wav")});
  ASSERT_EQ(choices.size(), 1u);
  EXPECT_EQ(choices[0].setting, "audio.rate");
  EXPECT_EQ(choices[0].value, "8000");
}

// Regions stand column by column, and say where in the picture they are.
TEST(Image, RegionsAreCutInColumns) {
  SourceOptions options;
  options.image.rows = 2;
  options.image.region = 8;
  std::vector<int> lengths;
  const SourcePtr source = sources().find("image").learn(options, std::vector{in_folder("large.png")}, lengths);
  const SourceData data = source->encode(in_folder("large.png"));
  EXPECT_EQ(data.length, 16);
  EXPECT_EQ(source->shape().width, 16 * 8);
  const auto positions = source->positions(data, {});
  EXPECT_EQ(positions[3].text, "2,2");
  EXPECT_EQ(positions[3].box->left, 8);
  EXPECT_EQ(positions[3].box->top, 16);
  EXPECT_EQ(positions[3].box->right, 16);
  EXPECT_EQ(positions[3].box->bottom, 32);
  // The grey of column x is 4 x, and the mean 126.
  for (int i = 0; i < 16; ++i) {
    for (int n = 0; n < 128; ++n) {
      const double wanted = 2 * (4 * (i / 2 * 8 + n % 8) - 126) / 255.0;
      ASSERT_NEAR(data.rows[as_size(i * 128 + n)], wanted, 1e-5) << i << " " << n;
    }
  }
}

TEST(Image, ChoosesStripsForLinesAndAGridForTheRest) {
  const auto chosen = [](std::string_view cell) {
    std::map<std::string, std::string> all;
    for (const auto& choice : sources().find("image").choose({}, std::vector{in_folder(cell)})) {
      all[choice.setting] = choice.value;
    }
    return all;
  };
  EXPECT_EQ(chosen("large.png").at("image.rows"), "1");
  EXPECT_EQ(chosen("large.png").at("image.colour"), "false");
  folder().write("square.png", encode_png({8, 8, 3, std::vector<std::uint8_t>(192, 7)}));
  EXPECT_EQ(chosen("square.png").at("image.rows"), "4");
  Picture red = {8, 8, 3, std::vector<std::uint8_t>(192, 7)};
  red.pixels[0] = 200;
  folder().write("red.png", encode_png(red));
  EXPECT_EQ(chosen("red.png").at("image.colour"), "true");
}

TEST(Image, SettingsThatDoNotFitAreRefused) {
  for (const auto& [rows, region] : {std::pair{3, 4}, {1, 6}}) {
    SourceOptions options;
    options.image.rows = rows;
    options.image.region = region;
    std::vector<int> lengths;
    EXPECT_THROW(sources().find("image").learn(options, {}, lengths), Error) << rows << " " << region;
  }
}

TEST(Document, SentencesEndWhereTheySeemTo) {
  SourceOptions options;
  options.tokenizer = "word";
  std::vector<int> lengths;
  const std::string_view text = "It rains. \"Really?\" he asked <br /> and 3.5 left";
  const SourcePtr source = sources().find("document").learn(options, std::vector<SourceCell>{text}, lengths);
  EXPECT_EQ(source->encode(text).segments, (Symbols{0, 0, 1, 2, 2, 2, 2, 3, 3, 3}));
  const std::string_view apart = "( it was great . . . ) so ! .";  // a run of marks ends one sentence
  EXPECT_EQ(source->encode(apart).segments, (Symbols{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1}));
}

TEST(Features, StandWhereTheyWereWritten) {
  const SourcePtr source = learned(sources().find("features"));
  const auto positions = source->positions({}, source->as_symbols()->cut("é;PL |N"));
  ASSERT_EQ(positions.size(), 3u);
  EXPECT_EQ(positions[1].text, "PL");
  EXPECT_EQ(positions[1].start, 2);
  EXPECT_EQ(positions[1].end, 4);
  EXPECT_EQ(positions[2].start, 6);
}

}  // namespace
}  // namespace fovea::source_test
