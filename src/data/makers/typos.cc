// typos: a word in which one letter is wrong; the target is where it stands, counted from 1, or the word. Words come
// from a list: one a line, with how frequent it is in the last column, if there is one. A word is drawn in proportion
// to the square root of that, so that the rare ones are met, too.
#include <algorithm>
#include <cmath>
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

WordList read_words(const std::string& file) {
  if (file.empty()) throw usage_error("typos needs a list of words; give one with `words` F");
  WordList list;
  LineReader reader(file);
  std::uint64_t sum = 0;
  for (std::string line; reader.next(line);) {
    const std::string word = line.substr(0, line.find('\t'));
    if (!is_plain_word(word) || !list.known.insert(word).second) continue;
    double count = 0;
    if (const std::size_t tab = line.rfind('\t'); tab != line.npos) count = std::atof(line.c_str() + tab + 1);
    if (!(count >= 0 && count < 1e15))
      throw data_error("{}:{}: the last column is no count", file, reader.line_number());
    sum += 1 + static_cast<std::uint64_t>(std::lround(std::sqrt(count)));
    list.words.push_back(word);
    list.up_to.push_back(sum);
  }
  if (list.words.empty()) throw data_error("{}: no word of three letters or more, a to z", file);
  return list;
}

MakeLine begin_typos(const MakerOptions& options, std::uint64_t seed) {
  const auto list = std::make_shared<const WordList>(read_words(options.words));
  return [list, seed, where = options.answer == "position"](std::uint64_t index) {
    const Random random = Random(seed, Purpose::data).at(index);
    Example example;
    std::size_t place = 0;
    std::string word;
    // What is a word again is no typo; a list with nothing else in reach gives up.
    for (std::uint64_t attempt = 0; attempt < 20; ++attempt) {
      word = list->draw(random, 4 * attempt);
      place = random.below(word.size(), 4 * attempt + 1);
      example.source = word;
      const auto letter = static_cast<std::uint64_t>(word[place] - 'a');
      example.source[place] = static_cast<char>('a' + (letter + 1 + random.below(25, 4 * attempt + 2)) % 26);
      if (!list->known.contains(example.source)) break;
    }
    example.target = where ? std::to_string(place + 1) : word;
    example.line = static_cast<std::int64_t>(index) + 1;
    return example;
  };
}

}  // namespace

extern const Maker Maker_typos = {"typos",
                                  "a word with a wrong letter; target: its position, or the right word",
                                  begin_typos,
                                  {"words", "answer"},
                                  {"position", "word"}};

}  // namespace fovea
