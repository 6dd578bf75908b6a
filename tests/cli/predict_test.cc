// `fovea predict`: as many lines out as in, in their order, whatever the bytes.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/random.h"
#include "data/packed.h"
#include "support/process.h"
#include "training/tiny_run.h"

namespace fovea::predict_test {
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
  EXPECT_TRUE(says(outcome.err, "1 line (first: standard input:2) longer than 4 characters"));
  EXPECT_TRUE(says(outcome.err, "1 line (first: standard input:3) not UTF-8"));
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

TEST_F(PredictCommandTest, Int8AnswersNearlyTheSameWhateverBatchAndThreads) {
  std::string input;
  for (const Example& example : tiny_examples(4, 100)) input += example.source + "\n";
  const std::vector<std::string> real = lines_of(run(predict(), input).out);
  const Outcome outcome = run(predict({"--int8"}), input);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::vector<std::string> whole = lines_of(outcome.out);
  ASSERT_EQ(whole.size(), real.size());
  int same = 0;
  for (std::size_t i = 0; i < real.size(); ++i) same += whole[i] == real[i];
  EXPECT_GE(same, 80);  // of a model that has learned little: its choices are near each other
  const std::string expected = run(predict({"--int8", "--json", "--threads", "1"}), input).out;
  EXPECT_TRUE(expected != run(predict({"--json"}), input).out) << "nothing was rounded";
  for (const char* batch : {"1", "5", "100"}) {
    EXPECT_TRUE(run(predict({"--int8", "--json", "--batch", batch, "--threads", "2"}), input).out == expected) << batch;
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
  for (const std::string& packed : {gzip(text), xz(text), zstd(text)}) {
    EXPECT_EQ(run(predict({folder_.write("in.txt.packed", packed)})).out, expected);
    EXPECT_EQ(run(predict({"-"}), packed).out, expected);
  }
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

TEST_F(PredictCommandTest, DrawsAreALinesOwn) {
  std::string input;
  for (const Example& example : tiny_examples(4, 60)) input += example.source + "\n";
  const auto draw = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"--sample", "1.0"});
    const Outcome outcome = run(predict(more), input);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.out;
  };
  const std::string expected = draw({"--seed", "3"});
  for (const char* batch : {"1", "7", "100"}) {
    EXPECT_EQ(draw({"--seed", "3", "--batch", batch, "--threads", "3"}), expected) << batch;
  }
  EXPECT_EQ(run(predict({"--sample", "1.0", "--seed", "3", folder_.write("in.txt", input)})).out, expected);
  EXPECT_NE(draw({"--seed", "4"}), expected);
  EXPECT_NE(run(predict(), input).out, expected) << "nothing was drawn";

  Process process(predict({"--sample", "1.0", "--seed", "3"}));  // a line at a time
  std::string piped;
  for (const std::string& line : lines_of(input)) {
    process.write(line + "\n");
    piped += process.read_line().value_or("nothing") + "\n";
  }
  EXPECT_EQ(process.finish().code, 0);
  EXPECT_EQ(piped, expected);

  const std::vector<std::string> alike =
      lines_of(run(predict({"--sample", "1.0"}), "abc\nabc\nabc\nabc\nabc\nabc\n").out);
  EXPECT_FALSE(std::ranges::all_of(alike, [&](const std::string& line) { return line == alike[0]; }))
      << "the same draws for each line";
}

// Lines of made-up words, each its own answer: what a model can do only by copying once a word is new to it.
class WordModelTest : public testing::Test {
 protected:
  static std::string word_lines() {
    std::string lines;
    for (std::uint64_t i = 0; i < 300; ++i) {
      const Random random = Random(1, Purpose::data).at(i);
      std::string line;
      for (std::uint64_t j = 0, count = 2 + random.below(3, 0); j < count; ++j) {
        line += j > 0 ? " " : "";
        line += "bdfgklmnprst"[random.below(12, 2 * j + 1)];
        line += "aeiou"[random.below(5, 2 * j + 2)];
      }
      lines += line + "\t" + line + "\n";
    }
    return lines;
  }
  void train(const std::string& data, const std::string& updates, const std::vector<std::string>& settings) const {
    Command command = fovea({"train", folder_.write("data.tsv", data), "-o", folder_ / "run", "--progress", "none",
                             "--stop-after", updates, "--set", "training.validate_every=1000u"});
    std::vector<std::string> all = {"encoder.size=32",   "encoder.embedding=32",       "attention.size=32",
                                    "decoder.size=32",   "decoder.embedding=32",       "generator.size=32",
                                    "training.batch=16", "training.learning_rate=0.01"};
    all.insert(all.end(), settings.begin(), settings.end());
    for (const std::string& setting : all) command.words.insert(command.words.end(), {"--set", setting});
    const Outcome outcome = run(command);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }
  Outcome predict(const std::vector<std::string>& more, const std::string& input) const {
    Command command = fovea({"predict", folder_ / "run"});
    command.words.insert(command.words.end(), more.begin(), more.end());
    return run(command, input);
  }

  TemporaryFolder folder_;
};

TEST_F(WordModelTest, CopiesWordsNeverSeenInTraining) {
  train(
      word_lines(), "300u",
      {"source.tokenizer=word", "target.tokenizer=word", "generator.kind=pointer_generator", "target.max_symbols=20"});
  const std::string input = "ba zebra\nzebra ti du\nma quagga me zebra\n";
  const Outcome outcome = predict({}, input);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, input);
  for (const std::string& line : lines_of(predict({"--json"}, input).out)) {
    EXPECT_TRUE(json::parse(line)["steps"][0]["copy_gate"].is_number()) << line;
  }
}

TEST_F(WordModelTest, ReplacesWhatItDoesNotKnow) {
  train(word_lines(), "100u",
        {"source.tokenizer=word", "target.tokenizer=word", "source.max_symbols=5", "target.max_symbols=5"});
  const std::string input = "zebra quagga\nquagga gnu ibex\nibex\n";
  const std::string plain = predict({}, input).out, replaced = predict({"--replace-unknown"}, input).out;
  EXPECT_FALSE(says(plain, "<unk>"));
  EXPECT_FALSE(says(replaced, "<unk>"));
  EXPECT_NE(replaced, plain);
  const std::vector<std::string> sources = lines_of(input), answers = lines_of(replaced);
  ASSERT_EQ(answers.size(), 3u);
  EXPECT_TRUE(says(answers[2], "ibex"));
  for (const char* word : {"zebra", "gnu", "ibex"}) {
    for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(!says(answers[i], word) || says(sources[i], word)) << answers[i];
  }
  const std::string words = folder_.write("words.tsv", "ibex\tSteinbock\t1\n");
  const std::string translated = lines_of(predict({"--replace-unknown", "--dictionary", words}, input).out)[2];
  EXPECT_TRUE(says(translated, "Steinbock"));
  EXPECT_FALSE(says(translated, "ibex"));
  const Outcome alone = predict({"--dictionary", words}, input);
  EXPECT_EQ(alone.code, 2);
  EXPECT_EQ(alone.out, "");
  EXPECT_TRUE(is_one_line(alone.err));
  EXPECT_TRUE(says(alone.err, "--replace-unknown"));
}

TEST_F(WordModelTest, ReadsFeaturesAfterATab) {
  std::string data;
  for (const Example& example : tiny_examples(1, 200)) {
    const bool first = data.size() % 2 == 0;
    data += example.source + "\t" + (first ? "x" : "yy") + "\t" + (first ? "N;SG" : "V;SG") + "\n";
  }
  train(data, "100u", {"columns=source,target,features"});
  EXPECT_EQ(predict({}, "abc\tN;SG\nabc\tV;SG\ndef\tV,SG\nfgh\tN|SG\n\n").out, "x\nyy\nyy\nx\n\n");
  EXPECT_EQ(lines_of(predict({}, "abc\n\tN\n").out).size(), 2u);
  const json answer = json::parse(predict({"--json"}, "abc\tN\n").out);
  EXPECT_EQ(answer["source"]["tokens"][0]["text"], "a") << answer["source"];
  EXPECT_EQ(answer["source"]["features"], "N") << answer["source"];
  const Outcome evaluated =
      run(fovea({"evaluate", folder_ / "run", folder_ / "data.tsv", "--json", "--min", "exact=1"}));
  EXPECT_EQ(evaluated.code, 0) << evaluated.out << evaluated.err;
}

}  // namespace
}  // namespace fovea::predict_test
