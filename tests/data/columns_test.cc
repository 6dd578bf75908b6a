#include "data/columns.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/utf8.h"

namespace fovea::columns_test {
namespace {

using Names = std::vector<std::string>;

std::string refusal(const std::string& text) {
  try {
    Columns::parse(text);
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::usage);
    return e.what();
  }
  return "";
}

TEST(Columns, AreSourceAndTargetUnlessNamed) {
  EXPECT_EQ(Columns().names(), (Names{"source", "target"}));
  EXPECT_EQ(Columns().needed(), 2u);
  const Columns all = Columns::parse("skip,source,skip,features,target,alignment");
  EXPECT_EQ(all.text(), "skip,source,skip,features,target,alignment");
  EXPECT_TRUE(all.has("features") && all.has("alignment"));
  EXPECT_EQ(all.needed(), 5u) << "links may be missing";
  EXPECT_FALSE(Columns().has("features"));
}

TEST(Columns, OfOneNameAreRefused) {
  EXPECT_EQ(refusal("source,target,source"),
            "columns source,target,source: two of them are called source; what is not wanted is called skip");
  EXPECT_EQ(refusal("skip,features"), "columns skip,features: none is called source");
  for (const char* gap : {"source2,target", "source,source3,target"}) EXPECT_NE(refusal(gap), "") << gap;
  EXPECT_EQ(refusal("source,featurs"), "no column \"featurs\"; did you mean features?");
  for (const char* bad : {"", ",", "source,", "source target", "Source"}) EXPECT_NE(refusal(bad), "") << bad;
}

TEST(Columns, MayBeGivenByNumber) {
  EXPECT_EQ(Columns::parse("target=5,source=2").text(), "skip,source,skip,skip,target");
  EXPECT_EQ(Columns::parse("source=1,target=2,features=3").text(), "source,target,features");
  EXPECT_EQ(refusal("source=1,target=1"), "columns source=1,target=1: two of them are column 1");
  EXPECT_EQ(refusal("source=1,source=2"),
            "columns source,source: two of them are called source; what is not wanted is called skip");
  for (const char* mixed : {"source,target=3", "source=1,target"}) {
    EXPECT_EQ(refusal(mixed),
              std::string("columns ") + mixed + ": either all have a number, as source=1,target=3, or none has");
  }
  EXPECT_EQ(refusal("1,2"), "columns 1,2: say what each has; by number that is source=1,target=2");
  EXPECT_EQ(refusal("source=1,featurs=2"), "no column \"featurs\"; did you mean features?");
  EXPECT_EQ(refusal("source=1,target=0"), "columns source=1,target=0: \"0\" is no number of a column, 1 to 1000");
  for (const char* bad :
       {"source=", "source=1001", "source=-1", "source=1x", "source=1=2", "=1", "source=99999999999999999999"}) {
    EXPECT_NE(refusal(bad), "") << bad;
  }
  for (const char* written : {"source=\n", "source=1,target=1,\x1b=1", "source,\t=1"}) {  // reaches a terminal
    EXPECT_NE(refusal(written), "");
    EXPECT_FALSE(find_control(refusal(written))) << refusal(written);
  }
}

TEST(Columns, OfAnExample) {
  const Cells cells = Columns::parse("features,skip,source,target").example("N\tx\ta b\tc");
  EXPECT_EQ(cells.features, "N");
  EXPECT_EQ(cells.source, "a b");
  EXPECT_EQ(cells.target, "c");
  EXPECT_EQ(cells.alignment, "");
  EXPECT_EQ(Columns::parse("source,target").example("a\tb\tc").target, "b");
}

// What is read of it, "source|features"; "-" if it has too few columns.
std::string asked(const char* columns, const char* line) {
  const auto cells = Columns::parse(columns).question(line);
  return cells ? std::string(cells->source) + "|" + std::string(cells->features) : "-";
}

TEST(Columns, OfALineToBeAnswered) {
  EXPECT_EQ(asked("source,target", "a b"), "a b|");
  EXPECT_EQ(asked("source,target", "a\tb"), "a|") << "a line of the training data";
  EXPECT_EQ(asked("source,target", "a\tb\tc"), "a|");
  EXPECT_EQ(asked("target,source", "b"), "b|") << "of one column it is the source";
  EXPECT_EQ(asked("target,source", "a\tb"), "b|");
  EXPECT_EQ(asked("source,features,target", "a\tN;PL"), "a|N;PL");
  EXPECT_EQ(asked("source,features,target", "a\tN;PL\tas"), "a|N;PL");
  EXPECT_EQ(asked("source,target,features", "a\tN;PL"), "a|N;PL") << "without the target";
  EXPECT_EQ(asked("source,target,features", "a\tas\tN;PL"), "a|N;PL");
  EXPECT_EQ(asked("features,target,source", "N;PL\ta"), "a|N;PL");
  EXPECT_EQ(asked("source,features,target", "a"), "-");
  EXPECT_EQ(asked("skip,source,skip,target", "a"), "a|");
  EXPECT_EQ(asked("skip,source,skip,target", "7\ta"), "a|");
  EXPECT_EQ(asked("skip,skip,source,target", "7\ta"), "-");
  EXPECT_EQ(asked("source,features", "\t"), "|");
  EXPECT_EQ(Columns::parse("features,target,source").question_form(), "features<TAB>source");
  EXPECT_EQ(Columns().question_form(), "source");
}

TEST(Columns, OfALineThatAsksAgain) {
  const Cells cells = {"a", "b", "N;PL", "0-0", {"c", "d"}};
  EXPECT_EQ(Columns().question_line(cells), "a");
  EXPECT_EQ(Columns::parse("features,target,source").question_line(cells), "N;PL\ta");
  EXPECT_EQ(Columns::parse("source3,source,target,source2").question_line(cells), "d\ta\tc");
  EXPECT_EQ(Columns::parse("source,source2").question_line({"a"}), "a\t");
  EXPECT_EQ(Columns::parse("target").question_line(cells), "b");
}

}  // namespace
}  // namespace fovea::columns_test
