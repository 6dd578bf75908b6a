// typos: a word in which one letter is wrong; the target is where it stands, counted from 1, or the word. Words come
// from a list: one a line, with how frequent it is in the last column, if there is one. A word is drawn in proportion
// to the square root of that, so that the rare ones are met, too.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <memory>
#include <unordered_set>

#include "base/as_size.h"
#include "base/error.h"
#include "base/random.h"
#include "data/lines.h"
#include "data/makers/maker.h"

namespace fovea {

namespace {

struct WordList {
  std::vector<std::string> words;
  std::vector<std::uint64_t> up_to;  // sum of the weights of a word and those before it
  std::unordered_set<std::string> known;

  const std::string& draw(const Random& random, std::uint64_t counter) const {
    const std::uint64_t at = random.below(up_to.back(), counter);
    return words[as_size(std::ranges::upper_bound(up_to, at) - up_to.begin())];
  }
};

bool is_plain_word(std::string_view word) {
  return word.size() >= 3 && word.find_first_not_of("abcdefghijklmnopqrstuvwxyz") == word.npos;
}

// The list that was named, else that of the system.
std::string find_words(const std::string& named) {
  if (!named.empty()) return named;
  const std::string system = "/usr/share/dict/words";
  std::error_code none;
  if (std::filesystem::is_regular_file(system, none)) return system;
  throw usage_error("typos needs a list of words, and there is no {}; give one with `words` F", system);
}

// In the last column of a line; below 0 where that is no number.
double count_of(std::string_view line) {
  const std::size_t tab = line.rfind('\t');
  if (tab == line.npos) return 0;
  double count = -1;
  const auto [end, problem] = std::from_chars(line.data() + tab + 1, line.data() + line.size(), count);
  return problem == std::errc() && end == line.data() + line.size() ? count : -1;
}

WordList read_words(const std::string& file) {
  WordList list;
  LineReader reader(file);
  std::uint64_t sum = 0;
  for (std::string line; reader.next(line);) {
    const std::string word = line.substr(0, line.find('\t'));
    if (!is_plain_word(word) || !list.known.insert(word).second) continue;
    const double count = count_of(line);
    if (!(count >= 0 && count < 1e15)) {
      throw data_error("{}:{}: the last column is no count", file, reader.line_number());
    }
    sum += 1 + static_cast<std::uint64_t>(std::lround(std::sqrt(count)));
    list.words.push_back(word);
    list.up_to.push_back(sum);
  }
  if (list.words.empty()) throw data_error("{}: no word of three letters or more, a to z", file);
  return list;
}

MakeLine begin_typos(const MakerOptions& options, std::uint64_t seed) {
  const std::string file = find_words(options.words);
  const auto list = std::make_shared<const WordList>(read_words(file));
  return [file, list, seed, where = options.answer == "position"](std::uint64_t index) {
    const Random random = Random(seed, Purpose::data).at(index);
    // What is a word again is no typo: another word is drawn.
    for (std::uint64_t attempt = 0; attempt < 1000; ++attempt) {
      const std::string& word = list->draw(random, 4 * attempt);
      const std::size_t place = random.below(word.size(), 4 * attempt + 1);
      Example example;
      example.source = word;
      const auto letter = static_cast<std::uint64_t>(word[place] - 'a');
      example.source[place] = static_cast<char>('a' + (letter + 1 + random.below(25, 4 * attempt + 2)) % 26);
      if (list->known.contains(example.source)) continue;
      example.target = where ? std::to_string(place + 1) : word;
      example.line = static_cast<std::int64_t>(index) + 1;
      return example;
    }
    throw data_error("{}: a wrong letter makes nearly always another of these words; a list with fewer is needed",
                     file);
  };
}

}  // namespace

extern const Maker Maker_typos = {"typos",
                                  "a word with a wrong letter; target: its position, or the right word",
                                  begin_typos,
                                  {"words", "answer"},
                                  {"position", "word"}};

}  // namespace fovea
