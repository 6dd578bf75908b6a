#include "base/shell_word.h"

#include <gtest/gtest.h>

#include "support/process.h"

namespace fovea::shell_word_test {
namespace {

TEST(ShellWord, IsReadBackByAShell) {
  for (const std::string word : {"plain", "a.b=c,d", "", "two words", "it's", "$HOME", "a\\b", "\"", "ä*?[", "a\nb"}) {
    const Outcome outcome = run({{"/bin/sh", "-c", "printf %s " + shell_word(word)}});
    EXPECT_EQ(outcome.out, word);
    EXPECT_EQ(run({{"/bin/sh", "-c", "printf %s " + in_quotes(word)}}).out, word);
  }
  EXPECT_EQ(shell_word("--set=a.b=c"), "--set=a.b=c");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
}

}  // namespace
}  // namespace fovea::shell_word_test
