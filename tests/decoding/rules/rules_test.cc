// Every rule against all answers there are: those that keep it, in the order of their scores, and no others; in beam
// search, greedy search and draws.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/as_size.h"
#include "base/utf8.h"
#include "decoding/table_model.h"
#include "support/source_files.h"
#include "support/temporary_folder.h"

namespace fovea::rules_test {
namespace {

using Keeps = std::function<bool(const Path& written, bool stopped)>;

bool repeats(const Path& path, int n) {
  std::set<Path> seen;
  for (int i = 0; i + n <= std::ssize(path); ++i) {
    if (!seen.insert(Path(path.begin() + i, path.begin() + i + n)).second) return true;
  }
  return false;
}

struct Case {
  std::vector<std::string> settings;
  Keeps keeps;  // of answers and of their beginnings
};

bool begins(const Path& path, const Path& with) {
  const std::size_t both = std::min(path.size(), with.size());
  return std::equal(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(both), with.begin());
}

std::vector<Case> cases() {
  const auto in_list = [](const std::vector<Path>& list) {
    return [list](const Path& path, bool stopped) {
      return std::ranges::any_of(list, [&](const Path& one) {
        return stopped ? one == path : path.size() <= one.size() && begins(path, one);
      });
    };
  };
  const std::vector<Path> list = {{1}, {1, 2}, {1, 2, 3, 1}, {2, 2}, {3}};
  return {
      {{"no_repeat_ngram=1"}, [](const Path& p, bool) { return !repeats(p, 1); }},
      {{"no_repeat_ngram=2"}, [](const Path& p, bool) { return !repeats(p, 2); }},
      {{"no_repeat_ngram=3"}, [](const Path& p, bool) { return !repeats(p, 3); }},
      {{"min_output=1"}, [](const Path& p, bool stopped) { return !stopped || p.size() >= 1; }},
      {{"min_output=3"}, [](const Path& p, bool stopped) { return !stopped || p.size() >= 3; }},
      {{"prefix=21"}, [](const Path& p, bool stopped) { return begins(p, {2, 1}) && (!stopped || p.size() >= 2); }},
      {{"allowed=1,12,1231,22,3,9"}, in_list(list)},  // 9 is no symbol: that answer cannot be given
      {{"allowed=1,12,1231,22,3", "prefix=12"},
       [inside = in_list(list)](const Path& p, bool stopped) {
         return inside(p, stopped) && begins(p, {1, 2}) && (!stopped || p.size() >= 2);
       }},
      {{"min_output=2", "no_repeat_ngram=1", "length_power=0"},
       [](const Path& p, bool stopped) { return !repeats(p, 1) && (!stopped || p.size() >= 2); }},
  };
}

TableSearch asked(int beam, const Case& c) {
  TableSearch o = options(beam, beam);
  for (const std::string& setting : c.settings) {
    set_field(o, setting);
    if (setting.starts_with("length_power=")) o.length_power = std::stod(setting.substr(13));
  }
  return o;
}

// What is left of all answers: no part of them may break the rule. Of those that are cut off, only what a rule lets go
// on.
std::vector<Answer> those_that_keep(std::vector<Answer> all, const Keeps& keeps) {
  std::erase_if(all, [&](const Answer& a) {
    for (std::size_t n = 0; n <= a.symbols.size(); ++n) {
      if (!keeps(Path(a.symbols.begin(), a.symbols.begin() + static_cast<std::ptrdiff_t>(n)), false)) return true;
    }
    return a.finished && !keeps(a.symbols, true);
  });
  return all;
}

TEST(Rules, WideEnoughSearchFindsAllThatKeepThem) {
  for (const Case& c : cases()) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const TableSearch o = asked(250, c);
      const auto found = find(random_table(seed), o, {5, 3});
      for (const int source : {0, 1}) {
        auto wanted = those_that_keep(
            enumerate(
                random_table(seed), source, o, source == 0 ? 5 : 3, [](const Path&, bool) { return 0.0; },
                [&](const Path& written) { return c.keeps(written, false); }),
            c.keeps);
        std::erase_if(wanted, [](const Answer& a) { return !a.finished; });
        std::vector<Answer> finished = found[source];
        for (const Answer& a : finished) {
          if (!a.finished) {
            EXPECT_TRUE(those_that_keep({a}, c.keeps).size() == 1) << c.settings[0];
          }
        }
        std::erase_if(finished, [](const Answer& a) { return !a.finished; });
        ASSERT_EQ(finished.size(), wanted.size()) << c.settings[0] << ", source " << source;
        for (std::size_t i = 0; i < finished.size(); ++i) {
          EXPECT_EQ(finished[i].symbols, wanted[i].symbols) << c.settings[0] << ", answer " << i;
          EXPECT_DOUBLE_EQ(finished[i].score, wanted[i].score) << c.settings[0];
        }
      }
    }
  }
}

// Step by step the best symbol that keeps the rule.
TEST(Rules, GreedySearchTakesTheBestThatKeepsThem) {
  for (const Case& c : cases()) {
    const Table table = random_table(3);
    const auto found = find(table, asked(1, c), std::vector<int>(20, 6));
    for (int source = 0; source < 20; ++source) {
      Path written;
      bool stopped = false;
      while (!stopped && std::ssize(written) < 5) {
        const Row row = table(source, written);
        std::int32_t best = -1;
        for (std::int32_t s = 0; s < start; ++s) {
          Path next = written;
          if (s != stop) next.push_back(s);
          if (c.keeps(next, s == stop) && (best < 0 || row[s] > row[best])) best = s;
        }
        if (best < 0) break;
        stopped = best == stop;
        if (!stopped) written.push_back(best);
      }
      EXPECT_EQ(found[source][0].symbols, written) << c.settings[0] << ", source " << source;
    }
  }
}

TEST(Rules, DrawsKeepThemAndDoNotDependOnTheBatch) {
  std::vector<std::int64_t> samples(20);
  std::iota(samples.begin(), samples.end(), 7);
  const Table table = random_table(4);
  for (const Case& c : cases()) {
    TableSearch o = asked(4, c);
    o.sample = 2;
    const auto together = find(table, o, std::vector<int>(20, 6), {}, {}, samples);
    std::set<Path> different;
    for (int s = 0; s < 20; ++s) {
      const Table one = [&](int, const Path& written) { return table(s, written); };
      const auto alone = find(one, o, {6}, {}, {}, std::span(samples).subspan(s, 1))[0];
      ASSERT_EQ(alone.size(), together[s].size());
      for (std::size_t i = 0; i < alone.size(); ++i) {
        EXPECT_EQ(alone[i].symbols, together[s][i].symbols);
        EXPECT_EQ(alone[i].score, together[s][i].score);
        EXPECT_EQ(those_that_keep({alone[i]}, c.keeps).size(), 1u) << c.settings[0];
        EXPECT_DOUBLE_EQ(alone[i].score, score_of(table, s, alone[i], o.length_power)) << "the model's, not the draw's";
        different.insert(alone[i].symbols);
      }
    }
    EXPECT_GT(different.size(), 2u - (c.settings.size() == 2)) << c.settings[0];
  }
}

TEST(Rules, WithABeamAnswersDoNotDependOnTheBatch) {
  const Table table = random_table(6);
  for (const Case& c : cases()) {
    const TableSearch o = asked(3, c);
    const auto together = find(table, o, {6, 2, 4, 6, 1, 5});
    for (int s = 0; s < 6; ++s) {
      const Table one = [&](int, const Path& written) { return table(s, written); };
      const auto alone = find_one(one, o, std::vector{6, 2, 4, 6, 1, 5}[s]);
      ASSERT_EQ(alone.size(), together[s].size());
      for (std::size_t i = 0; i < alone.size(); ++i) {
        EXPECT_EQ(alone[i].symbols, together[s][i].symbols);
        EXPECT_EQ(alone[i].score, together[s][i].score);
      }
    }
  }
}

// A prefix is written though it is all but impossible, and repeats itself.
TEST(Rules, APrefixIsWrittenWhateverItCosts) {
  const Table table = [](int, const Path& written) {
    return written.size() < 3 ? Row{0, -1, -2, -90, -9, -9} : Row{0, -90, -90, -90, -9, -9};
  };
  std::vector<std::int64_t> samples = {5};
  for (const int beam : {1, 3}) {
    for (const double sample : {0.0, 1.0}) {
      TableSearch o = options(beam, 1, 0);
      o.sample = sample;
      set_field(o, "prefix=333");
      set_field(o, "no_repeat_ngram=1");
      const Answer best = find(table, o, {6}, {}, {}, samples)[0][0];
      EXPECT_EQ(best.symbols, Path({3, 3, 3}));
      EXPECT_EQ(best.score, -270);
      EXPECT_EQ(best.log_probability, -270);
    }
  }
}

TEST(Rules, AStepThatWritesNothingIsNotTheirs) {
  TableSearch o = options(250, 250);
  o.silent = 3;
  set_field(o, "no_repeat_ngram=1");
  const auto found = find_one(random_table(2), o, 5);
  std::size_t silent = 0;
  for (const Answer& answer : found) {
    Path seen = answer.symbols;
    silent += as_size(std::erase(seen, 3));
    EXPECT_FALSE(repeats(seen, 1));
  }
  EXPECT_GT(silent, 40u);
  set_field(o, "no_repeat_ngram=0");
  set_field(o, "prefix=12");
  for (const Answer& answer : find_one(random_table(2), o, 5)) {
    Path seen = answer.symbols;
    std::erase(seen, 3);
    EXPECT_TRUE(begins(seen, {1, 2}) && (!answer.finished || seen.size() >= 2));
  }
}

TEST(Rules, ItAbstainsWhereTheWholeAnswerIsTooImprobable) {
  const Table table = [](int, const Path& written) -> Row {
    if (written.size() < 2) return {-50, std::log(0.6), std::log(0.4), -50, -50, -50};
    return {0, -50, -50, -50, -50, -50};
  };
  for (const int beam : {1, 3}) {
    for (const auto& [least, abstains] : std::vector<std::pair<std::string, bool>>{{"0.35", false}, {"0.37", true}}) {
      TableSearch o = options(beam, 1);
      set_field(o, "abstain_below=" + least);  // 0.6 * 0.6 = 0.36
      const Answer best = find_one(table, o, 6)[0];
      EXPECT_EQ(best.abstained, abstains);
      EXPECT_EQ(best.symbols, Path({1, 1})) << "what it would have been is still known";
      EXPECT_NEAR(best.log_probability, std::log(0.36), 1e-6);
    }
  }
  EXPECT_FALSE(find_one(table, options(2, 1), 6)[0].abstained);
}

TEST(Rules, TargetsAreGivenTheirLogProbabilities) {
  const Table table = random_table(9);
  const std::vector<Path> targets = {{1, 2, 3}, {}, {3, 3, 3, 3, 3}, {5, 4}};  // even what is never written
  std::vector<const Path*> given;
  std::vector<int> max_steps;
  for (const Path& target : targets) given.push_back(&target), max_steps.push_back(static_cast<int>(target.size()) + 1);
  Parameters parameters;
  parameters.allocate();
  TableModel model(table, 4);
  SearchArenas arenas;
  const TableSearch o = options(1, 1);
  const Rules none;
  const auto found = search(parameters, model, o, o, none, {max_steps, {}, {}, given}, arenas);
  for (int s = 0; s < 4; ++s) {
    const Answer& answer = found[s][0];
    EXPECT_EQ(answer.symbols, targets[s]);
    EXPECT_TRUE(answer.finished);
    EXPECT_DOUBLE_EQ(answer.log_probability, score_of(table, s, answer, 0));
    ASSERT_EQ(answer.step_log_probabilities.size(), targets[s].size() + 1);
    EXPECT_FLOAT_EQ(answer.step_log_probabilities.back(), static_cast<float>(table(s, targets[s])[stop]));
  }
}

TEST(Rules, WordsAreReadFromAFile) {
  TemporaryFolder folder;
  TableSearch o = options(250, 250);
  set_field(o, "word_list=" + folder.write("words.txt", "12\n3\n\nxyz\n12\n"));
  std::set<Path> found;
  for (const Answer& answer : find_one(random_table(1), o, 6)) found.insert(answer.symbols);
  EXPECT_EQ(found, (std::set<Path>{{1, 2}, {3}}));
}

TEST(Rules, WhatCannotBeWrittenIsRefusedByName) {
  TemporaryFolder folder;
  const std::string words = folder.write("words.txt", "x\ny\n");
  for (const std::string& setting : {std::string("prefix=1x"), std::string("allowed=x,y"), "word_list=" + words}) {
    TableSearch o = options(1, 1);
    set_field(o, setting);
    try {
      find_one(random_table(1), o, 5);
      ADD_FAILURE() << setting;
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::usage);
      EXPECT_TRUE(std::string(e.what()).starts_with('`' + setting.substr(0, setting.find('=')) + '`')) << e.what();
      EXPECT_EQ(std::string(e.what()).find("--"), std::string::npos) << "the library knows no flags";
    }
  }
  TableSearch o = options(1, 1);
  set_field(o, "word_list=" + std::string(folder / "none.txt"));
  EXPECT_THROW(find_one(random_table(1), o, 5), Error);
}

TEST(Rules, OptionsAreCopiedWhole) {
  SearchOptions one;
  set_field(one, "no_repeat_ngram=3");
  SearchOptions other = one;
  set_field(other, "no_repeat_ngram=4");
  EXPECT_NE(to_json(one), to_json(other));
  SearchOptions read;
  read_json(read, to_json(one), "options");
  EXPECT_EQ(to_json(read), to_json(one));
}

TEST(Rules, EveryOneHasACase) {
  std::set<std::string> tested = {"coverage", "threshold"};  // in coverage_test.cc, and above
  for (const RuleKind* kind : decoding_rules()) {
    const auto settings = kind->settings();
    for (const std::string& name : names(*settings)) {
      for (const Case& c : cases()) {
        const auto is_set = [&](const std::string& setting) { return setting.starts_with(name + "="); };
        if (std::ranges::any_of(c.settings, is_set)) tested.emplace(kind->name);
      }
    }
  }
  const auto all = decoding_rules().names();
  EXPECT_EQ(tested, std::set<std::string>(all.begin(), all.end()));
}

TEST(Rules, EveryOneHasItsRowInTheDocs) {
  const std::string page = read_text(std::filesystem::path(FOVEA_SOURCE_DIR) / "docs/search.md");
  for (const RuleKind* kind : decoding_rules()) {
    EXPECT_NE(page.find("`" + std::string(kind->name) + "`"), std::string::npos) << kind->name;
    EXPECT_NE(page.find(kind->paper), std::string::npos) << kind->name;
  }
  SearchOptions options;
  for (std::string name : names(options)) {
    std::ranges::replace(name, '_', '-');
    EXPECT_NE(page.find("`--" + name), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace fovea::rules_test
