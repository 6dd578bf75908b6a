// `fovea predict`: as many lines out as in, in their order, whatever the bytes.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "data/temporary_file.h"
#include "support/process.h"
#include "training/tiny_run.h"

namespace fovea {
namespace {

using nlohmann::json;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    lines.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return lines;
}

class PredictCommandTest : public testing::Test {
 protected:
  PredictCommandTest() { make_tiny_model(folder_.path()); }
  Command predict(const std::vector<std::string>& more = {}) const {
    Command command = fovea({"predict", folder_.path()});
    command.words.insert(command.words.end(), more.begin(), more.end());
    return command;
  }

  TemporaryFolder folder_;
};

struct Hostile {
  const char* name;
  std::string input;
};

std::vector<Hostile> hostile_inputs() {
  using namespace std::string_literals;
  std::string all_bytes;
  for (int byte = 0; byte < 256; ++byte) all_bytes += "a"s + static_cast<char>(byte) + "b\n";
  return {{"nothing", ""},
          {"one empty line", "\n"},
          {"only newlines", "\n\n\n\n\n"},
          {"no final newline", "abc\ndef"},
          {"empty line between", "abc\n\ndef\n"},
          {"a megabyte", std::string(1 << 20, 'a') + "\nabc\n"},
          {"a megabyte of bad bytes", std::string(1 << 20, '\xFF') + "\n"},
          {"a megabyte without a newline", std::string(1 << 20, 'a')},
          {"NUL", "a\0b\n\0\nabc\0\n"s},
          {"bad UTF-8", "\xFF\n\xC3\n\xE2\x82\n\xED\xA0\x80\n\xF5\x80\x80\x80\nabc\xC3"},
          {"CRLF", "abc\r\n\r\ndef\r\n"},
          {"lone CR", "a\rb\n\r\n\r"},
          {"byte order mark",
           "\xEF\xBB\xBF"
           "abc\n\xEF\xBB\xBF"
           "def\n"},
          {"other line ends of Unicode",
           "a\xE2\x80\xA8"
           "b\na\xE2\x80\xA9"
           "b\na\xC2\x85"
           "b\na\x0B"
           "b\x0C\n"},
          {"every byte", all_bytes},
          {"tabs", "a\tb\n\t\n"},
          {"words like options", "--help\n-\n"},
          {"what no vocabulary knows", "\xF0\x9F\x98\x80\xE2\x80\x8D\xF0\x9F\x91\xA9\n"}};
}

TEST_F(PredictCommandTest, AsManyLinesOutAsIn) {
  for (const auto& [name, input] : hostile_inputs()) {
    auto expected = std::ranges::count(input, '\n');
    if (!input.empty() && input.back() != '\n') ++expected;
    // All bytes at once reach one path, with --beam and --json others.
    for (const std::vector<std::string>& more :
         {std::vector<std::string>{}, {"--json"}, {"--beam", "3", "--nbest", "2"}, {"--batch", "1"}}) {
      const Outcome outcome = run(predict(more), input);
      EXPECT_EQ(outcome.code, 0) << name << ": " << outcome.err;
      EXPECT_EQ(std::ranges::count(outcome.out, '\n'), expected) << name << (more.empty() ? "" : more[0]);
      EXPECT_TRUE(outcome.out.empty() || outcome.out.back() == '\n') << name;
    }
  }
}

TEST_F(PredictCommandTest, BlankInBlankOutAndTooLongIsCounted) {
  const Outcome outcome = run(predict({"--max-length", "4"}), "\nabcde\nab\xFF\nabcd\n\n");
  const std::vector<std::string> lines = lines_of(outcome.out);
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines[0], "");
  EXPECT_EQ(lines[1], "");
  EXPECT_NE(lines[2], "");
  EXPECT_NE(lines[3], "");
  EXPECT_EQ(lines[4], "");
  EXPECT_TRUE(says(outcome.err, "1 lines (first: line 2) longer than 4 characters"));
  EXPECT_TRUE(says(outcome.err, "1 lines (first: line 3) not UTF-8"));
}

TEST_F(PredictCommandTest, EachLineIsAnsweredAsSoonAsItIsThere) {
  Process process(predict());
  const std::string alone = run(predict(), "abc\n").out;
  for (int i = 0; i < 3; ++i) {
    process.write("abc\n");
    const auto answer = process.read_line();
    ASSERT_TRUE(answer.has_value()) << "it waits for more";
    EXPECT_EQ(*answer + "\n", alone);
  }
  process.write("abc\nde");  // the beginning of a line does not hold up the one before it
  EXPECT_EQ(process.read_line().value_or("nothing") + "\n", alone);
  process.write("f\nabc\n");
  EXPECT_TRUE(process.read_line().has_value());
  EXPECT_EQ(process.read_line().value_or("nothing") + "\n", alone);
  process.write("abc");
  const Outcome outcome = process.finish();
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(lines_of(outcome.out).size(), 7u) << "the last line has no newline";
}

TEST_F(PredictCommandTest, AnswersComeInTheOrderOfTheLines) {
  std::string input;
  for (const Example& example : tiny_examples(3, 300)) input += example.source + "\n";
  const std::vector<std::string> sources = lines_of(input);
  const Outcome outcome = run(predict({"--json", "--batch", "7", "--threads", "3"}), input);
  const std::vector<std::string> answers = lines_of(outcome.out);
  ASSERT_EQ(answers.size(), sources.size());
  for (std::size_t i = 0; i < answers.size(); ++i) EXPECT_EQ(json::parse(answers[i])["source"]["text"], sources[i]);
}

TEST_F(PredictCommandTest, BatchAndThreadsChangeNothing) {
  std::string input;
  for (const Example& example : tiny_examples(4, 100)) input += example.source + "\n";
  const std::string expected = run(predict({"--json"}), input).out;
  for (const char* batch : {"1", "5", "100"}) {
    EXPECT_TRUE(run(predict({"--json", "--batch", batch, "--threads", "3"}), input).out == expected) << batch;
  }
}

TEST_F(PredictCommandTest, JsonHasAWeightForEachSourceToken) {
  const Outcome outcome = run(predict({"--json"}), "abc\nx\nno\xC3\xA9l \xFFz\n\n");
  int steps = 0;
  for (const std::string& line : lines_of(outcome.out)) {
    const json answer = json::parse(line);
    EXPECT_EQ(answer["schema"], "fovea.explanation/1");
    for (const json& step : answer["steps"]) {
      ++steps;
      ASSERT_EQ(step["looks"].size(), answer["maps"].size());
      for (const json& look : step["looks"]) {
        ASSERT_EQ(look["weights"].size(), answer["source"]["tokens"].size());
        ASSERT_EQ(look["scores"].size(), answer["source"]["tokens"].size());
        double sum = 0;
        for (const json& weight : look["weights"]) sum += weight.get<double>();
        EXPECT_NEAR(sum, 1, 1e-4);
      }
    }
  }
  EXPECT_GT(steps, 6) << "answers of several symbols";
}

TEST_F(PredictCommandTest, NbestNeedsABeam) {
  const Outcome without = run(predict({"--nbest", "3"}), "abc\n");
  EXPECT_EQ(without.code, 2);
  EXPECT_EQ(without.out, "");
  EXPECT_TRUE(says(without.err, "--nbest 3 needs --beam 3"));
  const Outcome with = run(predict({"--nbest", "3", "--beam", "4"}), "abc\n");
  EXPECT_EQ(with.code, 0);
  EXPECT_EQ(std::ranges::count(with.out, '\t'), 5) << "three answers, each with its score: " << with.out;
}

TEST_F(PredictCommandTest, ReadsFilesPlainAndPacked) {
  const std::string text = "abc\nde\n\nxyz";
  const std::string expected = run(predict(), text).out;
  EXPECT_EQ(run(predict({folder_.write("in.txt", text)})).out, expected);
  EXPECT_EQ(run(predict({folder_.write("in.txt.gz", gzip(text))})).out, expected);
  EXPECT_EQ(run(predict({"-"}), gzip(text)).out, expected);
  const Outcome cut = run(predict({folder_.write("cut.gz", gzip(text).substr(0, 15))}));
  EXPECT_EQ(cut.code, 3);
  EXPECT_TRUE(says(cut.err, "cut.gz"));
}

TEST_F(PredictCommandTest, TakesTheFolderOrTheFile) {
  const std::string expected = run(predict(), "abc\n").out;
  EXPECT_EQ(run(fovea({"predict", folder_ / "model.safetensors"}), "abc\n").out, expected);
  Command relative = fovea({"predict", "model.safetensors"});
  relative.folder = folder_.path();
  EXPECT_EQ(run(relative, "abc\n").out, expected);
}

TEST_F(PredictCommandTest, LocaleAndPlaceChangeNothing) {
  const std::vector<std::string> beam = {"--beam", "3", "--nbest", "3", "--length-power", "0.75"};
  const std::string expected = run(predict(beam), "abc\nno\xC3\xA9l\n").out;
  EXPECT_TRUE(says(expected, "."));  // a decimal point
  for (const char* locale : {"LC_ALL=C", "LC_ALL=de_DE.UTF-8", "LC_ALL=tr_TR.UTF-8", "LC_ALL=nowhere"}) {
    Command command = predict(beam);
    command.environment = {locale, "LANG=de_DE.UTF-8", "HOME=/nowhere", "TERM="};
    EXPECT_EQ(run(command, "abc\nno\xC3\xA9l\n").out, expected) << locale;
  }
  Command command = predict(beam);
  command.folder = folder_ / "gone";
  std::filesystem::create_directory(command.folder);
  command.folder_is_removed = true;
  const Outcome outcome = run(command, "abc\nno\xC3\xA9l\n");
  EXPECT_EQ(outcome.out, expected) << outcome.err;
}

TEST_F(PredictCommandTest, AReaderThatGoesAwayIsAFailureWithoutACrash) {
  std::string input;
  for (int i = 0; i < 20'000; ++i) input += "abc\n";
  Command command = predict();
  command.output_is_closed = true;
  const Outcome outcome = run(command, input);
  EXPECT_EQ(outcome.signal, 0);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(is_one_line(outcome.err));
}

}  // namespace
}  // namespace fovea
