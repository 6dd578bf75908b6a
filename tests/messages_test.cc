// The library speaks to whoever calls it: no text outside src/cli names a flag. What a caller may give it names in
// backticks, and for each such name the command line has a flag.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "cli/flags.h"
#include "support/process.h"
#include "support/source_files.h"

namespace fovea::messages_test {
namespace {

struct Literal {
  int line;
  std::string text;
};

// Those in plain quotes. Raw ones hold style sheets and presets, whose words are not ours.
std::vector<Literal> string_literals(const std::string& code) {
  std::vector<Literal> literals;
  int line = 1;
  for (std::size_t at = 0; at < code.size(); ++at) {
    const auto skip_to = [&](const std::string& end, std::size_t from) {
      const std::size_t stop = std::min(code.find(end, from), code.size() - end.size());
      line += static_cast<int>(std::count(code.begin() + static_cast<std::ptrdiff_t>(at),
                                          code.begin() + static_cast<std::ptrdiff_t>(stop + end.size()), '\n'));
      at = stop + end.size() - 1;
    };
    if (code[at] == '\n') ++line;
    if (code.compare(at, 2, "//") == 0) {
      skip_to("\n", at);
    } else if (code.compare(at, 2, "/*") == 0) {
      skip_to("*/", at);
    } else if (code.compare(at, 2, "R\"") == 0) {
      const std::size_t open = code.find('(', at);
      skip_to(")" + code.substr(at + 2, open - at - 2) + "\"", open);
    } else if (code[at] == '\'' && at + 2 < code.size() && (code[at + 1] == '\\' || code[at + 2] == '\'')) {
      at = code.find('\'', at + 2);
    } else if (code[at] == '"') {
      std::string text;
      for (++at; at < code.size() && code[at] != '"'; ++at) {
        text += code[at];
        if (code[at] == '\\') text += code[++at];
      }
      literals.push_back({line, text});
    }
  }
  return literals;
}

bool speaks_of_a_flag(const std::string& text) {
  static const std::regex flag("(^|[^-<!\\w])(--[a-z]|-o\\b)");
  return std::regex_search(text, flag);
}

// Path from src/ -> text, without those of the command line.
std::map<std::string, std::string> library() {
  auto files = read_texts(std::filesystem::path(FOVEA_SOURCE_DIR) / "src");
  std::erase_if(files, [](const auto& file) { return file.first.starts_with("cli/"); });
  return files;
}

TEST(Messages, LiteralsAreFound) {
  const std::string code =
      "f(\"a\");  // \"b\"\n/* \"c\"\n*/ g('\"', '\\'', \"d \\\" e\");\nh(R\"x(\"--f\"\n)x\", \"g\");\n1'000; "
      "k(\"h\");";
  std::vector<std::string> found;
  for (const Literal& literal : string_literals(code)) found.push_back(std::to_string(literal.line) + literal.text);
  EXPECT_EQ(found, (std::vector<std::string>{"1a", "3d \\\" e", "5g", "6h"}));
}

TEST(Messages, FlagsAreRecognised) {
  for (const char* text : {"--set {}", "give --dev", "(--columns)", "choose another -o", "-o {}"}) {
    EXPECT_TRUE(speaks_of_a_flag(text)) << text;
  }
  for (const char* text : {"a--b", "<!--note-->", "a - o", "ulimit -u", "held-out", "two-one", "---"}) {
    EXPECT_FALSE(speaks_of_a_flag(text)) << text;
  }
}

TEST(Messages, OfTheLibraryNameNoFlag) {
  const auto files = library();
  ASSERT_TRUE(files.contains("base/error.h")) << "looked in the wrong folder?";
  for (const auto& [path, code] : files) {
    for (const Literal& literal : string_literals(code)) {
      EXPECT_FALSE(speaks_of_a_flag(literal.text)) << "src/" << path << ":" << literal.line << ": " << literal.text;
    }
  }
}

TEST(Messages, EveryInputTheyNameHasAFlag) {
  std::set<std::string> named = {"source_file",     "target_file", "min",        "max",    "columns",
                                 "max_length",      "answer",      "bad_typing", "unseen", "replace_unknown",
                                 "coverage_penalty"};  // by way of {}
  const std::regex input("`([a-z_0-9]+)`");
  for (const auto& [path, code] : library()) {
    for (const Literal& literal : string_literals(code)) {
      for (std::sregex_iterator at(literal.text.begin(), literal.text.end(), input), end; at != end; ++at) {
        named.insert((*at)[1]);
        EXPECT_NE(with_flags((*at)[0].str()), (*at)[0].str()) << "src/" << path << ":" << literal.line;
      }
    }
  }
  std::string help;
  for (const char* command : {"train", "compare", "evaluate", "bench", "predict", "make", "serve"}) {
    help += run(fovea({command, "--help"})).out;
  }
  for (const auto& [name, flag] : input_flags()) {
    EXPECT_TRUE(named.contains(std::string(name)) || name == "settings" || name == "vary") << name << " is never named";
    EXPECT_TRUE(says(help, std::string(flag.substr(flag.rfind(' ') + 1)))) << name;
  }
}

TEST(Messages, OfTheCommandLineNameFlags) {
  EXPECT_EQ(with_flags("start over with `fresh`, or choose another `folder`"),
            "start over with --fresh, or choose another folder with -o");
  EXPECT_EQ(with_flags("a `b` c: \"`columns`\" (`columns`)`"), "a `b` c: \"`columns`\" (--columns)`");
}

}  // namespace
}  // namespace fovea::messages_test
