#include "base/as_size.h"
#include "data/makers/maker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "base/error.h"
#include "base/utf8.h"
#include "data/picture.h"
#include "data/rows.h"
#include "support/temporary_folder.h"

namespace fovea::makers_test {
namespace {

// What a maker needs to be asked for.
MakerOptions options_of(const Maker& maker, const TemporaryFolder& folder) {
  MakerOptions options;
  const auto obeys = [&](std::string_view name) {
    return std::ranges::find(maker.options, name) != maker.options.end();
  };
  if (obeys("words")) {
    std::string words;
    for (std::uint64_t i = 0; i < 300; ++i) words += makers().find("copy").make(9, i).source + "\t5\n";
    options.words = folder.write("words.tsv", words);
  }
  if (obeys("pictures")) options.pictures = (folder / "pictures").string();
  return options;
}

TEST(Makers, EachIsNamedDescribedAndPure) {
  const TemporaryFolder folder;
  std::set<std::string_view> names;
  for (const Maker* entry : makers()) {
    const Maker& maker = *entry;
    EXPECT_TRUE(names.insert(maker.name).second) << maker.name;
    EXPECT_FALSE(maker.description.empty());
    EXPECT_EQ(&makers().find(maker.name), &maker);
    std::set<std::string> sources;
    std::size_t differs = 0;
    const MakerOptions options = options_of(maker, folder);
    const MakeLine make = maker.start(options, 1), other = maker.start(options, 2), once_more = maker.start(options, 1);
    for (std::uint64_t i = 0; i < 1000; ++i) {
      const Example example = make(i);
      const Example again = once_more(i);
      EXPECT_EQ(again.source, example.source);
      EXPECT_EQ(again.target, example.target);
      EXPECT_EQ(example.line, static_cast<std::int64_t>(i) + 1);
      for (const std::string& text : {example.source, example.target}) {
        EXPECT_FALSE(text.empty());
        EXPECT_EQ(text.find_first_of("\t\n\r"), std::string::npos);
        EXPECT_FALSE(find_invalid_utf8(text));
      }
      sources.insert(example.source);
      differs += other(i).source != example.source ? 1 : 0;
    }
    EXPECT_GT(sources.size(), 980u) << maker.name;
    EXPECT_GT(differs, 980u) << maker.name;
  }
}

TEST(Makers, UnknownNameListsTheKnownOnes) {
  try {
    makers().find("data");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_STREQ(error.what(), "no maker \"data\"; there are dates, typos, scenes, series, extract, copy and reverse");
  }
}

TEST(Makers, CopyAndReverse) {
  std::set<std::size_t> lengths;
  std::set<char> letters;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const Example copy = makers().find("copy").make(3, i);
    EXPECT_EQ(copy.target, copy.source);
    const Example reverse = makers().find("reverse").make(3, i);
    EXPECT_EQ(reverse.target, std::string(reverse.source.rbegin(), reverse.source.rend()));
    lengths.insert(copy.source.size());
    letters.insert(copy.source.begin(), copy.source.end());
  }
  EXPECT_EQ(lengths, (std::set<std::size_t>{3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
  EXPECT_EQ(letters.size(), 26u);
  EXPECT_EQ(*letters.begin(), 'a');
  EXPECT_EQ(*letters.rbegin(), 'z');
}

TEST(Makers, RefuseWhatTheyDoNotObey) {
  const auto refusal = [](const char* name, const MakerOptions& options) -> std::string {
    try {
      makers().find(name).start(options, 1);
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::usage);
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(refusal("copy", {.bad_typing = true}), "copy knows no `bad_typing`");
  if (!std::filesystem::exists("/usr/share/dict/words")) {
    EXPECT_EQ(refusal("typos", {}),
              "typos needs a list of words, and there is no /usr/share/dict/words; give one with `words` F");
  }
  EXPECT_EQ(refusal("scenes", {}), "scenes needs a folder for its pictures; give one with `pictures` F");
  EXPECT_NE(refusal("series", {.answer = "question"}).find("symbols"), std::string::npos);
}

TEST(Typos, HaveOneWrongLetterWhereTheTargetSays) {
  const TemporaryFolder folder;
  const std::string words = folder.write("w.tsv", "you\t10\t900\nthere\t10\t100\nDon't\nit\nthese\t10\t0\n");
  const MakeLine where = makers().find("typos").start({.words = words}, 1);
  const MakeLine which = makers().find("typos").start({.words = words, .answer = "word"}, 1);
  std::map<std::string, int> counts;
  for (std::uint64_t i = 0; i < 4300; ++i) {
    const Example position = where(i), word = which(i);
    ASSERT_EQ(position.source, word.source);
    ASSERT_EQ(word.source.size(), word.target.size());
    ++counts[word.target];
    ASSERT_FALSE(word.source == "these" || word.source == "there") << "a word is no typo";
    const auto [wrong, right] = std::ranges::mismatch(word.source, word.target);
    EXPECT_EQ(std::to_string(wrong - word.source.begin() + 1), position.target);
    EXPECT_TRUE(std::equal(wrong + 1, word.source.end(), right + 1));
  }
  // 1 + the square root: 31, 11 and 1 of 43.
  EXPECT_EQ(counts.size(), 3u);
  EXPECT_NEAR(counts["you"], 3100, 150);
  EXPECT_NEAR(counts["these"], 100, 50);
}

TEST(Typos, AreNeverWordsOfTheList) {
  const TemporaryFolder folder;
  std::string many, all;  // words of three letters: that end in any but z, and all of them
  for (int i = 0; i < 26 * 26 * 26; ++i) {
    const std::string word = {static_cast<char>('a' + i / 676), static_cast<char>('a' + i / 26 % 26),
                              static_cast<char>('a' + i % 26), '\n'};
    all += word;
    if (word[2] != 'z') many += word;
  }
  const MakeLine make = makers().find("typos").start({.words = folder.write("many", many)}, 1);
  for (std::uint64_t i = 0; i < 50; ++i) EXPECT_EQ(make(i).source[2], 'z');
  const MakeLine none = makers().find("typos").start({.words = folder.write("all", all)}, 1);
  EXPECT_THROW(none(0), Error);
}

TEST(Typos, ACountIsANumber) {
  const TemporaryFolder folder;
  for (const std::string count : {"many", "", "3x", "-1", "nan", "1e300", "3 "}) {
    const std::string words = folder.write("w.tsv", "there\t10\nthese\t" + count + "\n");
    try {
      makers().find("typos").start({.words = words}, 1);
      ADD_FAILURE() << count;
    } catch (const Error& e) {
      EXPECT_EQ(e.what(), words + ":2: the last column is no count");
    }
  }
}

TEST(Scenes, WriteOverNothingButScenes) {
  const TemporaryFolder folder;
  const MakeLine make = makers().find("scenes").start({.pictures = folder.path().string()}, 1);
  for (int i = 0; i < 2; ++i) EXPECT_NO_THROW(make(0));
  folder.write("1-1.png", "");  // what was stopped
  EXPECT_NO_THROW(make(1));
  for (const std::string& mine : {std::string("notes"), encode_png({2, 1, 3, {0, 0, 0, 9, 9, 9}})}) {
    const std::string path = folder.write("1-2.png", mine);
    try {
      make(2);
      ADD_FAILURE();
    } catch (const Error& e) {
      EXPECT_EQ(e.what(), path + " is there already and is no drawn scene; choose another folder for `pictures`");
    }
    EXPECT_EQ(std::filesystem::file_size(path), mine.size());
  }
}

TEST(Scenes, KeepBackSomePairs) {
  const TemporaryFolder folder;
  const std::string pictures = (folder / "pictures").string();
  const std::set<std::string> kept = {"red circle", "green square", "blue triangle", "yellow cross"};
  int articles = 0;
  for (const bool unseen : {false, true}) {
    const MakeLine make = makers().find("scenes").start({.pictures = pictures, .unseen = unseen}, 1);
    std::set<std::string> captions;
    for (std::uint64_t i = 0; i < 600; ++i) {
      const Example example = make(i);
      captions.insert(example.target);
      const bool has = std::ranges::any_of(
          kept, [&](const std::string& pair) { return example.target.find(pair) != std::string::npos; });
      EXPECT_EQ(has, unseen) << example.target;
      EXPECT_EQ(example.target.find("a orange"), std::string::npos);
      articles += example.target.find("an orange") != std::string::npos;
    }
    EXPECT_GT(captions.size(), unseen ? 60u : 150u);
  }
  EXPECT_GT(articles, 0);
}

TEST(Scenes, AreDrawnAsTheCaptionSays) {
  const TemporaryFolder folder;
  const MakeLine make = makers().find("scenes").start({.pictures = (folder / "p").string()}, 4);
  int seen = 0;
  for (std::uint64_t i = 0; i < 200; ++i) {
    const Example example = make(i);
    if (!example.target.ends_with("at the top left")) continue;
    ++seen;
    std::ifstream file(example.source, std::ios::binary);
    const Picture picture = decode_picture(std::string(std::istreambuf_iterator<char>(file), {}), true);
    for (int pixel = 0; pixel < picture.width * picture.height; ++pixel) {
      const bool drawn = picture.pixels[as_size(pixel * 3 + 2)] != 255;
      const bool corner = pixel % picture.width < 21 && pixel / picture.width < 21;
      ASSERT_TRUE(!drawn || corner) << example.target;
    }
  }
  EXPECT_GT(seen, 0);
}

TEST(Scenes, DrawEveryOtherPairAndCallTwoAlikeTwo) {
  const TemporaryFolder folder;
  const MakeLine make = makers().find("scenes").start({.pictures = (folder / "p").string()}, 1);
  std::set<std::string> pairs;
  for (std::uint64_t i = 0; i < 1500; ++i) {
    const std::string caption = make(i).target;  // "a large red square at the top left", "a red bar above a red ring"
    for (const std::string between : {" left of ", " above "}) {
      const std::size_t at = caption.find(between);
      if (at != std::string::npos) {
        EXPECT_NE(caption.substr(0, at), caption.substr(at + between.size()));
      }
    }
    const std::size_t size = caption.starts_with("a large ") || caption.starts_with("a small ") ? 8 : 0;
    if (size > 0) pairs.insert(caption.substr(size, caption.find(" at the ") - size));
  }
  EXPECT_EQ(pairs.size(), 80u - 4);
}

TEST(Scenes, ColoursVaryAroundTheirName) {
  const TemporaryFolder folder;
  const MakeLine make = makers().find("scenes").start({.pictures = (folder / "p").string()}, 1);
  std::set<std::uint8_t> shades;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const Example example = make(i);
    if (!example.target.starts_with("a large red ")) continue;
    std::ifstream file(example.source, std::ios::binary);
    const Picture picture = decode_picture(std::string(std::istreambuf_iterator<char>(file), {}), true);
    std::set<std::uint8_t> blues;
    for (std::size_t at = 2; at < picture.pixels.size(); at += 3) blues.insert(picture.pixels[at]);
    EXPECT_EQ(blues.size(), 2u);  // of the object, which has one colour, and of the paper
    EXPECT_NEAR(*blues.begin(), 40, 15);
    shades.insert(*blues.begin());
  }
  EXPECT_GT(shades.size(), 1u);
}

TEST(Scenes, QuestionsStandBetweenPictureAndAnswer) {
  const TemporaryFolder folder;
  const MakeLine make = makers().find("scenes").start({.answer = "question", .pictures = (folder / "p").string()}, 1);
  std::map<std::string, std::set<std::string>> answers;
  for (std::uint64_t i = 0; i < 400; ++i) {
    const Example example = make(i);
    ASSERT_EQ(example.others.size(), 1u);
    answers[example.others[0]].insert(example.target);
  }
  EXPECT_EQ(answers["how many objects are there"], (std::set<std::string>{"one", "two", "three"}));
  EXPECT_EQ(answers["what shape is the first object"].size(), 8u);
}

TEST(Series, AreRowsOfOneNumber) {
  for (const std::string answer : {"symbols", "series"}) {
    const MakeLine make = makers().find("series").start({.answer = answer}, 1);
    for (std::uint64_t i = 0; i < 200; ++i) {
      const Example example = make(i);
      EXPECT_EQ(parse_rows(example.source).width, 1);
      EXPECT_LT(example.source.size(), 1000u);  // the longest line there may be, unless it is said
      if (answer == "series") {
        EXPECT_EQ(example.target.size(), 12u * 3 - 1);
      }
    }
  }
}

TEST(Extract, NamesAreCopiedFromTheSource) {
  std::set<std::string> names;
  for (std::uint64_t i = 0; i < 500; ++i) {
    const Example example = makers().find("extract").make(1, i);
    const std::string giver = example.target.substr(0, example.target.find(' '));
    const std::string taker = example.target.substr(example.target.rfind(' ') + 1);
    for (const std::string& name : {giver, taker}) {
      EXPECT_NE((" " + example.source + " ").find(" " + name + " "), std::string::npos) << example.source;
      names.insert(name);
    }
  }
  EXPECT_GT(names.size(), 950u);
}

}  // namespace
}  // namespace fovea::makers_test
