// `fovea check`: what it says of data, and that its exit code is what training would have.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "data/wav.h"
#include "support/process.h"
#include "support/temporary_folder.h"

namespace fovea::check_test {
namespace {

using nlohmann::json;

TEST(CheckCommand, SoundData) {
  TemporaryFolder folder;
  const std::string file = folder.write("data.tsv", "one\teins\ntwo\tzwei\nthree\tdrei\n");
  const Outcome outcome = run(fovea({"check", file}));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(says(outcome.out, "3 lines, 3 of them usable; columns source,target"));
  EXPECT_TRUE(says(outcome.out, "nothing to complain of"));
  EXPECT_TRUE(says(outcome.out, "looks like task = transduce"));
  EXPECT_TRUE(says(outcome.out, "source.tokenizer = char"));
}

TEST(CheckCommand, TheExitCodeIsThatOfTraining) {
  TemporaryFolder folder;
  for (const char* text :
       {"one\teins\nalone\n", "one\teins\nx\t\n", "one\teins\n\xFF\tx\n", "one\teins\ntwo\tzwei\nx\t\n", "",
        "one\teins\ntwo\tzwei\n", "one\teins\n\none\teins\ntwo\tzwei\n"}) {
    const std::string file = folder.write("data.tsv", text);
    for (const char* policy : {"fail", "skip"}) {
      const int wanted =
          run(fovea({"train", file, "-o", folder / "run", "--fresh", "--stop-after", "1u", "--on-bad-line", policy}))
              .code;
      EXPECT_EQ(run(fovea({"check", file, "--on-bad-line", policy})).code, wanted) << text;
      EXPECT_EQ(run(fovea({"check", file, "--on-bad-line", policy, "--json"})).code, wanted) << text;
    }
  }
}

// What can be read and yet not be learned from: by settings, and by lines that do not go with them.
TEST(CheckCommand, RefusesWhatTrainingRefuses) {
  TemporaryFolder folder;
  const std::string alone = folder.write("alone.tsv", "one\teins\n"),
                    right = folder.write("right.tsv", "abc\t2\nabd\t3\n"),
                    words = folder.write("words.tsv", "abc\t2\nabd\t5\nabe\t1\n"),
                    links = folder.write("links.tsv", "a b\tc d\t0-0\na c\td c\t9-9\nb c\td d\t0-0\n"),
                    sounds = folder.write("sounds.tsv", "none.wav\tone\nmissing.wav\ttwo\n");
  const struct {
    std::vector<std::string> words;
    std::string says;
  } all[] = {{{alone}, "no line to validate on"},
             {{words, "--set", "task=locate"}, "words.tsv:2: the target \"5\" is not a position"},
             {{links, "--columns", "source,target,alignment"}, "links.tsv:2: "},
             {{words, "--dev", words, "--set", "task=locate"}, "words.tsv:2: "},
             {{right, "--dev", words, "--set", "task=locate"}, "words.tsv:2: "},
             {{words, "--columns", "target"}, "task = transduce with columns target"},
             {{sounds, "--set", "source.kind=audio"}, "sounds.tsv:1: "}};
  for (const auto& one : all) {
    Command check = fovea({"check"}), train = fovea({"train", "-o", folder / "run", "--fresh", "--stop-after", "1u"});
    for (Command* command : {&check, &train}) {
      command->words.insert(command->words.end(), one.words.begin(), one.words.end());
    }
    const Outcome checked = run(check);
    EXPECT_NE(run(train).code, 0) << one.says;
    EXPECT_EQ(checked.code, 3) << one.says;
    EXPECT_TRUE(says(checked.out + checked.err, one.says)) << checked.out << checked.err;
  }
}

TEST(CheckCommand, SaysHowTextAloneAndUtf16AreRead) {
  TemporaryFolder folder;
  const std::string text = folder.write("text.txt", "once upon\na time\nthere was\n");
  for (const std::vector<std::string>& more : {std::vector<std::string>(), {"--set", "task=language_model"}}) {
    Command command = fovea({"check", text});
    command.words.insert(command.words.end(), more.begin(), more.end());
    const Outcome alone = run(command);
    EXPECT_EQ(alone.code, 3);
    EXPECT_TRUE(says(alone.out, "--columns target and --set task=language_model"));
    EXPECT_TRUE(says(alone.out, "looks like task = language_model"));
    EXPECT_TRUE(says(alone.out, "train takes it for that with --columns target --set task=language_model"));
    EXPECT_TRUE(says(alone.out, "decoder.style = plain"));
  }
  const Outcome piped = run(fovea({"check", "-"}), "once upon\na time\n");
  EXPECT_EQ(piped.code, 3) << "cannot be read twice";
  EXPECT_TRUE(says(piped.err, "--columns target and --set task=language_model"));
  const Outcome skipped = run(fovea({"check", text, "--on-bad-line", "skip"}));
  EXPECT_EQ(skipped.code, 3) << "training would not guess it either";
  const Outcome large = run(fovea({"check", folder.write("long.tsv", std::string(2000, 'x') + "\ty\n")}));
  EXPECT_EQ(large.code, 3);
  EXPECT_TRUE(says(large.err, "the source has 2000 characters")) << "and is no text alone";
  EXPECT_TRUE(says(large.err, "--max-length 2000 would read all"));
  const std::string wide(
      "\xFF\xFE"
      "a\0\t\0b\0\n\0c\0\t\0d\0\n\0",
      18);
  EXPECT_TRUE(says(run(fovea({"check", folder.write("wide.tsv", wide)})).out, "if the file is UTF-16"));
}

TEST(CheckCommand, AsJson) {
  TemporaryFolder folder;
  const std::string file = folder.write("data.tsv", "word\t3\nlonger\t6\nword\t3\n");
  const json found = json::parse(run(fovea({"check", file, "--dev", file, "--json"})).out);
  EXPECT_EQ(found.at("task"), "locate");
  EXPECT_EQ(found.at("settings").at("generator.kind"), "pointer");
  EXPECT_EQ(found.at("refused"), false);
  std::vector<std::string> what;
  for (const json& finding : found.at("findings")) what.push_back(finding.at("what"));
  EXPECT_NE(std::ranges::find(what, "duplicate"), what.end());
  EXPECT_NE(std::ranges::find(what, "overlap"), what.end());
}

TEST(CheckCommand, AGivenTaskIsNotGuessed) {
  TemporaryFolder folder;
  const std::string file = folder.write("data.tsv", "word\t3\nlonger\t6\n");
  const Outcome outcome = run(fovea({"check", file, "--set", "task=transduce"}));
  EXPECT_TRUE(says(outcome.out, "looks like task = locate"));
  EXPECT_TRUE(says(outcome.out, "train takes it for that with --set task=locate"));
  EXPECT_TRUE(says(outcome.out, "would take for task = transduce"));
}

// Settings for what the sources look like; training as text says the same, once.
TEST(CheckCommand, SettingsAreThoseOfTheKindThatWasFound) {
  TemporaryFolder folder;
  const std::string file = folder.write("data.tsv", "1.png\tone\n2.png\ttwo\n3.png\tthree\n");
  const std::string looks = "warning: every source looks like the name of a .png", kind = "source.kind = image";
  const Outcome checked = run(fovea({"check", file}));
  EXPECT_TRUE(says(checked.out, "would take for task = transduce, source.kind = image:"));
  EXPECT_FALSE(says(checked.out, "source.tokenizer"));
  EXPECT_EQ(json::parse(run(fovea({"check", file, "--json"})).out).at("settings").at("source.kind"), "image");
  const Outcome trained = run(fovea({"train", file, "-o", folder / "run", "--stop-after", "1u"}));
  EXPECT_EQ(trained.code, 0);
  EXPECT_TRUE(says(trained.err, looks)) << trained.err;
  EXPECT_TRUE(says(trained.err, kind));
}

TEST(CheckCommand, SoundsThatWereCutShort) {
  TemporaryFolder folder;
  for (const char* name : {"a.wav", "b.wav", "c.wav"}) folder.write(name, wav(chirp(4000)));
  folder.write("cut.wav", wav(chirp(1000), {.promised = 8000}));
  const std::string file = folder.write("data.tsv", "a.wav\tone\nb.wav\ttwo\ncut.wav\tthree\nc.wav\tone\n"),
                    told = "data.tsv:3: cut.wav has 25 % of the samples that its header promises";
  const Outcome checked = run(fovea({"check", file, "--set", "source.kind=audio"}));
  EXPECT_EQ(checked.code, 0) << checked.err;
  EXPECT_TRUE(says(checked.out, told)) << checked.out;
  const Outcome trained =
      run(fovea({"train", file, "-o", folder / "run", "--set", "source.kind=audio", "--stop-after", "1u"}));
  EXPECT_EQ(trained.code, 0) << trained.err;
  EXPECT_TRUE(says(trained.err, told)) << trained.err;
}

// A model that was told that case is nothing answers both alike, and is measured so.
TEST(Normalise, IsKeptInTheModel) {
  TemporaryFolder folder;
  std::string lines;
  for (const char* word : {"abc", "bca", "cab", "aab", "bbc", "cca", "ABC", "Bca", "cAB", "aaB"}) {
    lines += std::string(word) + "\t" + word + "\n";
  }
  const std::string file = folder.write("data.tsv", lines);
  const Outcome trained = run(fovea({"train", file, "-o", folder / "run", "--stop-after", "30u", "--set",
                                     "source.normalise=nfc,lower", "--set", "target.normalise=lower"}));
  ASSERT_EQ(trained.code, 0) << trained.err;
  const Outcome answers = run(fovea({"predict", folder / "run"}), "abc\nABC\n");
  const std::size_t half = answers.out.find('\n') + 1;
  EXPECT_EQ(answers.out.substr(0, half), answers.out.substr(half));
  const auto evaluated = [&](const char* text) {
    return run(fovea({"evaluate", folder / "run", folder.write("test.tsv", text), "--json"})).out;
  };
  EXPECT_EQ(evaluated("abc\tabc\n"), evaluated("ABC\tABC\n"));
  EXPECT_EQ(run(fovea({"show", folder / "run", "ABC"})).out, run(fovea({"show", folder / "run", "abc"})).out);
  EXPECT_EQ(run(fovea({"train", file, "-o", folder / "bad", "--set", "source.normalise=upper"})).code, 2);
}

}  // namespace
}  // namespace fovea::check_test
