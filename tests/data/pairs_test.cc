#include "data/pairs.h"

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "temporary_file.h"

namespace fovea::pairs_test {
namespace {

using namespace std::string_literals;

Pairs read_text(const std::string& content, BadLines policy = BadLines::fail, std::int64_t max_length = 1000) {
  const TemporaryFile file(content);
  PairOptions options;
  options.file = file.path();
  options.bad_lines = policy;
  options.max_length = max_length;
  return read_pairs(options);
}

Pairs read_columns(const std::string& content, const std::vector<std::string>& columns, const std::string& links = "",
                   BadLines policy = BadLines::fail) {
  const TemporaryFile file(content), alignment(links);
  PairOptions options;
  options.file = file.path();
  options.columns = columns;
  options.bad_lines = policy;
  if (!links.empty()) options.alignment_file = alignment.path();
  return read_pairs(options);
}

Pairs read_sides(const std::string& source, const std::string& target, BadLines policy = BadLines::fail) {
  const TemporaryFile source_file(source);
  const TemporaryFile target_file(target);
  PairOptions options;
  options.source_file = source_file.path();
  options.target_file = target_file.path();
  options.bad_lines = policy;
  return read_pairs(options);
}

template <class Call>
std::string error_of(ErrorKind kind, Call call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.what();
  }
  return "no error";
}

std::string data_error_of(const std::string& content) {
  return error_of(ErrorKind::data, [&] { read_text(content); });
}

void expect_in(const std::string& part, const std::string& whole) {
  EXPECT_NE(whole.find(part), std::string::npos) << "\"" << part << "\" not in: " << whole;
}

TEST(Pairs, ColumnsAndLineNumbers) {
  const Pairs pairs = read_columns("a\tb\t\r\n\nc d\t e \tN;PL\nf\tg\t", {"source", "target", "features"});
  ASSERT_EQ(pairs.examples.size(), 3u);
  EXPECT_EQ(pairs.examples[0].source, "a");
  EXPECT_EQ(pairs.examples[0].target, "b");
  EXPECT_EQ(pairs.examples[0].features, "");
  EXPECT_EQ(pairs.examples[0].line, 1);
  EXPECT_EQ(pairs.examples[1].source, "c d");
  EXPECT_EQ(pairs.examples[1].target, " e ");
  EXPECT_EQ(pairs.examples[1].features, "N;PL");
  EXPECT_EQ(pairs.examples[1].line, 3);
  EXPECT_EQ(pairs.examples[2].target, "g");
  EXPECT_EQ(pairs.examples[2].features, "");
  EXPECT_EQ(pairs.report.lines, 4);
  EXPECT_EQ(pairs.report.kept, 3);
  EXPECT_EQ(pairs.report.by(SkipReason::blank).lines, 1);
}

TEST(Pairs, NulAndUnicodeLineEndsAreText) {
  const Pairs pairs = read_text("a\0b\tc\xE2\x80\xA8z\n"s);
  ASSERT_EQ(pairs.examples.size(), 1u);
  EXPECT_EQ(pairs.examples[0].source, "a\0b"s);
  EXPECT_EQ(pairs.examples[0].target, "c\xE2\x80\xA8z");
}

TEST(Pairs, LinesWithControlCharactersAreKeptAndCounted) {
  const Pairs pairs = read_text("a\tb\na\x1B[2J\tb\n\na\tb\xC2\x9B\tx\n");
  EXPECT_EQ(pairs.examples.size(), 3u);
  EXPECT_EQ(pairs.report.with_control, 2);
  expect_in("left out: 1 blank; control characters, to the model unknown symbols: 2 lines (first: ",
            describe(pairs.report));
  expect_in(":2)", describe(pairs.report));
  EXPECT_EQ(read_sides("a\tb\n", "c\n").report.with_control, 1) << "a tab, where it separates nothing";
  EXPECT_EQ(describe(read_text("a\tb\r\n").report), "");
}

TEST(Pairs, BadUtf8IsLocatedInCharacters) {
  const std::string error = data_error_of("ok\tok\nn\xC3\xA4h\xE4\tx\n");
  expect_in(":2:4: byte 0xE4 is not UTF-8", error);
  expect_in("Latin-1", error);
  expect_in("it is a bzip2 file; unpack it first", data_error_of("BZh91AY&SY\x80\n"));
  expect_in("it is a zip file; unpack it first", data_error_of("PK\x03\x04\x14\xE4\n"));
  expect_in("\"n\xC3\xA4h\xEF\xBF\xBD", error);
}

TEST(Pairs, WrongColumns) {
  expect_in(":2: 1 column, ", data_error_of("a\tb\nc\x1B[2J\n"));
  expect_in("(source,target); tabs stand between columns, not commas: \"a,b\"", data_error_of("a,b\n"));
  expect_in("(source,target); tabs stand between columns, not semicolons: \"a,b;c\"", data_error_of("a,b;c\n"));
  for (const char* text : {"a b\n", "Well, prince; so here we are\n", "the end;\n"}) {
    expect_in("(source,target); text alone is read with `columns` target and `settings` task=language_model: \"",
              data_error_of(text));
  }
  EXPECT_EQ(data_error_of("c\x1B[2J\n").find('\x1B'), std::string::npos);
  const auto fail = [](const std::string& text, const std::vector<std::string>& columns) {
    return error_of(ErrorKind::data, [&] { read_columns(text, columns); });
  };
  expect_in(
      ":2: 2 columns, but 3 are needed (source,features,target): \"a\xE2\x90\x89"
      "b\"",
      fail("a\tN\tb\na\tb\n", {"source", "features", "target"}));
  expect_in(":1: 2 columns, but 4 are needed", fail("a\tb\n", {"skip", "source", "skip", "target"}));
}

TEST(Pairs, ColumnsByName) {
  const Pairs pairs =
      read_columns("7\tcat\tN;PL\tcats\t0-0\n8\tdog\t\tdogs\n", {"skip", "source", "features", "target", "alignment"});
  ASSERT_EQ(pairs.examples.size(), 2u);
  EXPECT_EQ(pairs.examples[0].source, "cat");
  EXPECT_EQ(pairs.examples[0].target, "cats");
  EXPECT_EQ(pairs.examples[0].features, "N;PL");
  EXPECT_EQ(pairs.examples[0].alignment, "0-0");
  EXPECT_EQ(pairs.examples[1].features, "");
  EXPECT_EQ(pairs.examples[1].alignment, "") << "may be missing at the end";
  EXPECT_EQ(pairs.columns, (std::vector<std::string>{"skip", "source", "features", "target", "alignment"}));
  EXPECT_EQ(describe(pairs), "");
  expect_in(":1:3: the target is empty",
            error_of(ErrorKind::data, [] { read_columns("a\t\t\n", {"source", "target", "skip"}); }));
  expect_in(":1:7: the target is empty",
            error_of(ErrorKind::data, [] { read_columns("cat\tN\t\n", {"source", "skip", "target"}); }));
  expect_in("none is called target", error_of(ErrorKind::usage, [] { read_columns("a\tb\n", {"source", "skip"}); }));
}

TEST(Pairs, ColumnsWithoutANameAreCounted) {
  const Pairs pairs = read_text("a\tb\nc\td\t4\ne\tf\t5\t6\n");
  EXPECT_EQ(pairs.examples.size(), 3u);
  EXPECT_EQ(pairs.examples[2].target, "f");
  EXPECT_EQ(pairs.examples[2].features, "");
  EXPECT_EQ(pairs.report.with_more, 2);
  expect_in(
      "what stands behind column 2 is not read (`columns` gives names to more, such as source,features,target for "
      "tags, "
      "source,target,alignment for links as 0-0 1-2, source,source2,target for two things that are read): 2 lines "
      "(first: ",
      describe(pairs));
  expect_in(":2)", describe(pairs));
}

TEST(Pairs, ColumnsOfTagsAreFound) {
  const Pairs second = read_text("aalen\tpos=V,mood=IND,per=1\taale\n\nHaus\tpos=N,mood={OPT/SBJV}\tH\xC3\xA4user\n");
  EXPECT_EQ(second.columns, (std::vector<std::string>{"source", "features", "target"}));
  EXPECT_EQ(second.examples[1].target, "H\xC3\xA4user");
  EXPECT_EQ(second.examples[1].features, "pos=N,mood={OPT/SBJV}");
  EXPECT_EQ(second.examples[1].line, 3);
  EXPECT_EQ(describe(second.report), "left out: 1 blank");
  EXPECT_EQ(describe(second),
            "columns source,features,target, since the second looks like tags (pos=V,mood=IND,per=1); `columns` says "
            "otherwise; left out: 1 blank");
  EXPECT_EQ(read_text("iez\tikehesse\tN;IN+ALL;SG\nso\tso\tADV\na\tb\tV;3\n").columns,
            (std::vector<std::string>{"source", "target", "features"}));
  EXPECT_EQ(read_text("V;PST\twalk\twalked\nN;PL\tcat\tcats\n").columns,
            (std::vector<std::string>{"features", "source", "target"}));
  EXPECT_EQ(read_text("kukka\tN;TRANS;PL\tkukiks\tseg|x\nkana\tN;SG\tkana\t\n").columns,
            (std::vector<std::string>{"source", "features", "target"}))
      << "what stands behind is not read";
  EXPECT_EQ(read_text("go\tTense=Past|VerbForm=Fin\twent\nwho\tNumber[psor]=Sing|PronType=Int,Rel\twhose\n").columns,
            (std::vector<std::string>{"source", "features", "target"}))
      << "as Universal Dependencies have them";
  EXPECT_EQ(read_columns("a\tV;PST\tb\n", {"source", "target"}).examples[0].target, "V;PST") << "as asked for";
  for (const char* other : {"a\tb\t12\n", "a\tU.S.A\tb\n", "a\tV;PST\n", "a\tV;PST\tb\nc\tV; PST\td\n",
                            "a\tV;PST\tb\nc\tV;PST\td\te\n", "a\t1,2\tb\n", "a\tV;;X\tb\n", "a\tx=,y=B\tc\n"}) {
    EXPECT_EQ(read_text(other).columns, (std::vector<std::string>{"source", "target"})) << other;
  }
}

TEST(Pairs, LinksMayHaveAFileOfTheirOwn) {
  const Pairs pairs = read_columns("a\tb\n\nc d\te\n", {}, "0-0\n\n0-0 1-0\n");
  ASSERT_EQ(pairs.examples.size(), 2u);
  EXPECT_EQ(pairs.examples[0].alignment, "0-0");
  EXPECT_EQ(pairs.examples[1].alignment, "0-0 1-0") << "by line";
  const auto fail = [](const std::string& links) {
    return error_of(ErrorKind::data, [&] { read_columns("a\tb\nc\td\n", {}, links, BadLines::skip); });
  };
  expect_in(" has 2 lines, but ", fail("0-0\n"));
  expect_in(" ends early with 1; every pair needs its links on the same line", fail("0-0\n"));
  expect_in(" has 4 lines, but ", fail("0-0\n0-0\n0-0\n0-0\n"));
  expect_in(" ends early with 2; ", fail("0-0\n0-0\n0-0\n0-0\n"));
  expect_in("not from both", error_of(ErrorKind::usage,
                                      [] { read_columns("a\tb\t0-0\n", {"source", "target", "alignment"}, "0-0\n"); }));

  const TemporaryFile source("a\nb\n"), target("A\nB\n"), links("0-0\n\n"), short_links("0-0\n");
  PairOptions options;
  options.source_file = source.path();
  options.target_file = target.path();
  options.alignment_file = links.path();
  EXPECT_EQ(read_pairs(options).examples[0].alignment, "0-0");
  EXPECT_EQ(read_pairs(options).examples[1].alignment, "");
  options.alignment_file = short_links.path();
  expect_in("every pair needs its links", error_of(ErrorKind::data, [&] { read_pairs(options); }));
}

TEST(Pairs, EmptySides) {
  expect_in(":1:1: the source is empty", data_error_of("\tb\n"));
  expect_in(":1:3: the target is empty", data_error_of("\xC3\xA4\t\n"));
  EXPECT_EQ(read_text(" \t \n").examples.size(), 1u);  // a space is not nothing
}

TEST(Pairs, LengthIsLimitedInCharacters) {
  EXPECT_EQ(read_text("\xC3\xA4\xC3\xA4\xC3\xA4\tabc\n", BadLines::fail, 3).report.kept, 1);
  const auto read = [](const std::string& text) {
    return error_of(ErrorKind::data, [&] { read_text(text, BadLines::fail, 3); });
  };
  expect_in(":1:4: the source has 4 characters, more than the limit of 3", read("\xC3\xA4xyz\ta\n"));
  expect_in(":1:6: the target has 5 characters", read("a\tbcdef\n"));
  const std::string error = data_error_of("x" + std::string(3000, '\xC3') + "\ta\n");
  EXPECT_LT(error.size(), 400u);
  std::string umlauts;
  for (int i = 0; i < 2000; ++i) umlauts += "\xC3\xA4";
  EXPECT_EQ(data_error_of(umlauts + "\ta\n").find("\xEF\xBF\xBD"), std::string::npos);  // cut between characters
  EXPECT_EQ(data_error_of("x" + umlauts + "\ta\n").find("\xEF\xBF\xBD"), std::string::npos);
}

TEST(Pairs, SkippingCountsEveryReason) {
  const Pairs pairs = read_text("a\tb\n\n\xFF\tx\n\xFE\tx\none\n\tb\na\t\nabcdef\tb\ntwo\n", BadLines::skip, 5);
  const ReadReport& report = pairs.report;
  EXPECT_EQ(report.lines, 9);
  EXPECT_EQ(report.kept, 1);
  EXPECT_EQ(report.by(SkipReason::blank).lines, 1);
  EXPECT_EQ(report.by(SkipReason::bad_utf8).lines, 2);
  EXPECT_EQ(report.by(SkipReason::wrong_columns).lines, 2);
  EXPECT_EQ(report.by(SkipReason::empty_side).lines, 2);
  EXPECT_EQ(report.by(SkipReason::too_long).lines, 1);
  expect_in(":3:1: byte 0xFF", report.by(SkipReason::bad_utf8).first);
  expect_in(":5: ", report.by(SkipReason::wrong_columns).first);
  expect_in("2 bad UTF-8 (first: ", describe(report));
  expect_in("left out: 1 blank, ", describe(report));
  EXPECT_EQ(describe(read_text("a\tb\n").report), "");
}

TEST(Pairs, NothingUsableIsAnError) {
  expect_in("the file is empty", data_error_of(""));
  expect_in("no usable line among 2; left out: 2 blank", data_error_of("\n\n"));
}

TEST(Pairs, ParallelFiles) {
  const Pairs pairs = read_sides("a\tb\n\nc\n", "A\n\nC");  // a tab is text here
  ASSERT_EQ(pairs.examples.size(), 2u);
  EXPECT_EQ(pairs.examples[0].source, "a\tb");
  EXPECT_EQ(pairs.examples[1].target, "C");
  EXPECT_EQ(pairs.examples[1].line, 3);
  EXPECT_EQ(pairs.report.by(SkipReason::blank).lines, 1);
  const auto fail = [](const std::string& source, const std::string& target) {
    return error_of(ErrorKind::data, [&] { read_sides(source, target); });
  };
  expect_in(":2:1: the target is empty", fail("a\nb\n", "A\n\n"));
  expect_in(":1:2: byte 0xFF", fail("a\n", "A\xFF\n"));
}

TEST(Pairs, ParallelFilesOfDifferentLength) {
  const TemporaryFile three("a\nb\nc\n");
  const TemporaryFile one("A\n");
  PairOptions options;
  options.bad_lines = BadLines::skip;
  options.source_file = three.path();
  options.target_file = one.path();
  expect_in(three.path() + " has 3 lines, but " + one.path() + " ends early with 1;",
            error_of(ErrorKind::data, [&] { read_pairs(options); }));
  std::swap(options.source_file, options.target_file);
  expect_in(three.path() + " has 3 lines, but " + one.path() + " ends early with 1;",
            error_of(ErrorKind::data, [&] { read_pairs(options); }));
}

TEST(Pairs, ContradictoryOptions) {
  const auto fail = [](const PairOptions& options) { return error_of(ErrorKind::usage, [&] { read_pairs(options); }); };
  PairOptions options;
  expect_in("give either", fail(options));
  options.source_file = "-";
  expect_in("`target_file` is missing", fail(options));
  options.target_file = "-";
  expect_in("both", fail(options));
  options.file = "a.tsv";
  expect_in("give either", fail(options));
  EXPECT_EQ(parse_bad_lines("skip"), BadLines::skip);
  EXPECT_EQ(parse_bad_lines("fail"), BadLines::fail);
  expect_in("there are fail and skip", error_of(ErrorKind::usage, [] { parse_bad_lines("maybe"); }));
}

}  // namespace
}  // namespace fovea::pairs_test
