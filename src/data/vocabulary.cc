#include "data/vocabulary.h"

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/as_size.h"
#include "base/error.h"
#include "base/utf8.h"

namespace fovea {

namespace {

constexpr std::array<std::string_view, Vocabulary::first_symbol> specials = {"<pad>", "<unk>", "<s>", "</s>"};

}  // namespace

void SymbolCounts::add(std::string_view symbol, std::int64_t times) {
  check(!symbol.empty(), "vocabulary: a symbol must not be empty");
  const auto found = counts_.find(symbol);
  if (found != counts_.end()) {
    found->second += times;
  } else {
    counts_.emplace(symbol, times);
  }
}

std::int64_t SymbolCounts::of(std::string_view symbol) const {
  const auto found = counts_.find(symbol);
  return found != counts_.end() ? found->second : 0;
}

Vocabulary::Vocabulary(const SymbolCounts& counts, const VocabularyOptions& options)
    : Vocabulary(Vocabulary(std::vector<std::string>(specials.begin(), specials.end())).extended(counts, options)) {}

Vocabulary::Vocabulary(std::vector<std::string> texts) : texts_(std::move(texts)) {
  for (int id = first_symbol; id < size(); ++id) ids_.emplace(texts_[as_size(id)], id);
}

Vocabulary Vocabulary::extended(const SymbolCounts& counts, const VocabularyOptions& options) const {
  std::vector<std::pair<std::string_view, std::int64_t>> symbols;
  for (const auto& [symbol, count] : counts.all()) {
    if (count < options.min_count || find_control(symbol) || encode(symbol) != unknown) continue;
    symbols.emplace_back(symbol, count);
  }
  std::sort(symbols.begin(), symbols.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  const std::int64_t room = options.max_size - (size() - first_symbol);
  const auto limit = as_size(std::max<std::int64_t>(room, 0));
  if (symbols.size() > limit) symbols.resize(limit);

  std::vector<std::string> texts = texts_;
  for (const auto& [symbol, count] : symbols) texts.emplace_back(symbol);
  return Vocabulary(std::move(texts));
}

nlohmann::json Vocabulary::to_json() const { return texts_; }

Vocabulary Vocabulary::from_json(const nlohmann::json& list) {
  if (!list.is_array()) throw model_error("vocabulary: a list is needed, found {}", list.type_name());
  if (list.size() < specials.size() || list.size() > std::numeric_limits<int>::max()) {
    throw model_error("vocabulary: {} entries, at least the {} special ones are needed", list.size(), specials.size());
  }
  std::vector<std::string> texts;
  texts.reserve(list.size());
  for (const auto& entry : list) {
    const std::size_t id = texts.size();
    if (!entry.is_string()) throw model_error("vocabulary: entry {} is no text but {}", id, entry.type_name());
    const auto& text = entry.get_ref<const std::string&>();
    if (text.empty()) throw model_error("vocabulary: entry {} is empty", id);
    if (find_invalid_utf8(text)) throw model_error("vocabulary: entry {} is not UTF-8: \"{}\"", id, printable(text));
    if (find_control(text)) {
      throw model_error("vocabulary: entry {} has a control character: \"{}\"; train the model again", id,
                        printable(text));
    }
    if (id < specials.size() && text != specials[id]) {
      throw model_error("vocabulary: entry {} must be \"{}\", found \"{}\"", id, specials[id], printable(text));
    }
    texts.push_back(text);
  }
  Vocabulary vocabulary(std::move(texts));
  for (int id = first_symbol; id < vocabulary.size(); ++id) {
    const int other = vocabulary.encode(vocabulary.text(id));
    if (other != id) {
      throw model_error("vocabulary: entries {} and {} are the same: \"{}\"", other, id,
                        printable(vocabulary.text(id)));
    }
  }
  return vocabulary;
}

int Vocabulary::encode(std::string_view symbol) const {
  const auto found = ids_.find(symbol);
  return found != ids_.end() ? found->second : unknown;
}

const std::string& Vocabulary::text(int id) const {
  check(id >= 0 && id < size(), "vocabulary: id {} of {}", id, size());
  return texts_[as_size(id)];
}

std::vector<float> unknown_probabilities(const Vocabulary& vocabulary, const SymbolCounts& counts) {
  constexpr double strength = 0.25;
  std::vector<float> probabilities(as_size(vocabulary.size()), 0.0f);
  for (int id = Vocabulary::first_symbol; id < vocabulary.size(); ++id) {
    const auto count = static_cast<double>(counts.of(vocabulary.text(id)));
    probabilities[as_size(id)] = static_cast<float>(strength / (strength + count));
  }
  return probabilities;
}

}  // namespace fovea
