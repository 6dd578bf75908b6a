// The completions are asked for in the shells themselves, where they are installed.
#include <gtest/gtest.h>
#include <unistd.h>

#include <sstream>

#include "base/shell_word.h"
#include "cli/command_line.h"
#include "cli/terminal.h"
#include "data/pairs.h"
#include "support/process.h"
#include "support/temporary_folder.h"

namespace fovea::completions_test {
namespace {

using Words = std::vector<std::string>;

bool is_installed(const std::string& program) { return access(("/usr/bin/" + program).c_str(), X_OK) == 0; }

// The words bash hands to the function, cut at = as it does; the last one is to be completed.
class BashCompletion : public testing::Test {
 protected:
  BashCompletion() {
    folder_.write("completions", run(fovea({"completions", "bash"})).out);
    folder_.write("data.tsv", "");
    std::filesystem::create_directories(folder_ / "data.run");
  }

  Words complete(const Words& words) {
    std::string script = "source completions\nCOMP_WORDS=(fovea";
    for (const std::string& word : words) script += " " + shell_word(word);
    script += ")\nCOMP_CWORD=" + std::to_string(words.size()) + "\n_fovea\n(IFS=$'\\n'; echo \"${COMPREPLY[*]}\")\n";
    const Outcome outcome = run({.words = {"/bin/bash", "-c", script}, .folder = folder_.path()});
    EXPECT_EQ(outcome.err, "");
    std::istringstream lines(outcome.out);
    Words found;
    for (std::string line; std::getline(lines, line);) {
      if (!line.empty()) found.push_back(line);
    }
    std::ranges::sort(found);
    return found;
  }

  TemporaryFolder folder_;
};

TEST_F(BashCompletion, KnowsCommandsAndFlags) {
  EXPECT_EQ(complete({"tr"}), Words{"train"});
  EXPECT_EQ(complete({"--v"}), Words{"--version"});
  EXPECT_EQ(complete({"train", "--pr"}), (Words{"--preset", "--print-config", "--progress"}));
  EXPECT_EQ(complete({"predict", "model", "--nbest", "2", "--b"}), (Words{"--batch", "--beam"}));
  const ProgramHelp help = program_help();
  EXPECT_EQ(complete({""}).size(), help.commands.size());
  for (const CommandHelp& command : help.commands) {
    Words flags;
    for (const Argument& argument : command.arguments) {
      if (argument.is_flag) flags.insert(flags.end(), argument.names.begin(), argument.names.end());
    }
    std::ranges::sort(flags);
    EXPECT_EQ(complete({command.name, "-"}), flags);
  }
}

TEST_F(BashCompletion, KnowsWhatIsListed) {
  EXPECT_EQ(complete({"make", ""}), (Words{"copy", "dates", "extract", "reverse", "scenes", "series", "typos"}));
  EXPECT_EQ(complete({"list", "se"}), (Words{"selects", "settings"}));
  EXPECT_EQ(complete({"train", "--preset", "bah"}), Words{"bahdanau2015"});
  EXPECT_EQ(complete({"train", "data.tsv", "--preset", "=", "bah"}), Words{"bahdanau2015"});
  EXPECT_EQ(complete({"bench", "--shape", ""}), (Words{"L", "M", "S", "T"}));
  EXPECT_EQ(complete({"bench", "--mode", ""}), (Words{"beam", "greedy", "train"}));
  EXPECT_EQ(complete({"train", "--on-bad-line", ""}), (Words{"fail", "skip"}));
  EXPECT_EQ(complete({"completions", ""}), (Words{"bash", "fish", "zsh"}));
}

TEST_F(BashCompletion, KnowsSettings) {
  EXPECT_EQ(complete({"train", "--set", "encoder.bi"}), Words{"encoder.bidirectional="});
  EXPECT_EQ(complete({"train", "--set", "encoder.bidirectional", "="}), (Words{"false", "true"}));
  EXPECT_EQ(complete({"train", "--set", "training.optimizer", "=", "a"}), Words{"adam"});
  EXPECT_EQ(complete({"train", "--set", "=", "training.optimizer", "=", "a"}), Words{"adam"});
  EXPECT_EQ(complete({"train", "--set", "encoder.size", "="}), Words{});
  EXPECT_EQ(complete({"compare", "data.tsv", "--vary", "training.optimizer", "=", "adam,s"}), Words{"adam,sgd"});
}

TEST_F(BashCompletion, OffersFilesWhereFilesAreMeant) {
  EXPECT_EQ(complete({"train", "da"}), (Words{"data.run", "data.tsv"}));
  EXPECT_EQ(complete({"train", "data.tsv", "-o", "da"}), Words{"data.run"});
  EXPECT_EQ(complete({"evaluate", "data.run", "data.t"}), Words{"data.tsv"});
  EXPECT_EQ(complete({"predict", "data.run", "--beam", "da"}), Words{});
  EXPECT_EQ(complete({"show", "data.run", "da"}), Words{});
  EXPECT_EQ(complete({"train", "data.tsv", "da"}), Words{}) << "there is no second place";
}

TEST(ZshCompletion, IsSound) {
  if (!is_installed("zsh")) GTEST_SKIP() << "zsh is not installed";
  TemporaryFolder folder;
  const std::string text = run(fovea({"completions", "zsh"})).out;
  EXPECT_TRUE(text.starts_with("#compdef fovea\n"));
  const Outcome outcome = run({{"/usr/bin/zsh", "-n", folder.write("_fovea", text)}});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.err, "");
}

TEST(FishCompletion, OffersWhatIsMeant) {
  if (!is_installed("fish")) GTEST_SKIP() << "fish is not installed";
  TemporaryFolder folder;
  folder.write("data.tsv", "");
  folder.write("completions", run(fovea({"completions", "fish"})).out);
  const auto complete = [&](const std::string& line) {
    return run({.words = {"/usr/bin/fish", "--no-config", "-c", "source completions; complete -C " + in_quotes(line)},
                .environment = {"HOME=" + folder.path().string()},
                .folder = folder.path()});
  };
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"fovea tr", "train\t"},
      {"fovea train --prog", "--progress\t"},
      {"fovea train --preset bah", "bahdanau2015"},
      {"fovea list se", "settings"},
      {"fovea train da", "data.tsv"},
      {"fovea train --set encoder.si", "encoder.size="},
      {"fovea bench --mode ", "beam"},
      {"fovea train --set training.optimizer=", "training.optimizer=sgd"}};
  for (const auto& [line, wanted] : cases) {
    const Outcome outcome = complete(line);
    EXPECT_EQ(outcome.err, "") << line;
    EXPECT_TRUE(says(outcome.out, wanted)) << line;
  }
  EXPECT_EQ(complete("fovea predict model --beam da").out, "");
}

// The choices that are written down in the declaration; the others come from the lists that are looked up.
TEST(Choices, AreKnownToTheirReaders) {
  int seen = 0;
  for (const CommandHelp& command : program_help().commands) {
    for (const Argument& argument : command.arguments) {
      for (const std::string& choice : argument.choices) {
        const std::string& flag = argument.names.back();
        if (flag == "--progress") {
          EXPECT_NO_THROW(parse_progress(choice)) << command.name;
          ++seen;
        } else if (flag == "--on-bad-line") {
          EXPECT_NO_THROW(parse_bad_lines(choice)) << command.name;
          ++seen;
        }
      }
    }
  }
  EXPECT_EQ(seen, 16);  // of check, train, evaluate and compare
}

}  // namespace
}  // namespace fovea::completions_test
