// The symbols a model knows and their ids.
//
// How <unk> is learnt: every symbol of the training data is kept (up to max_size), so <unk> may never occur in the data
// itself. Therefore training replaces a *source* symbol by <unk> with the probability a / (a + count), a = 0.25 (word
// dropout of Kiperwasser & Goldberg 2016): a symbol seen once is replaced one time in five, one seen a thousand times
// almost never, and an epoch meets <unk> about a quarter as often as there are symbols, whatever the corpus. One rule,
// no threshold to choose, and rare symbols are still learnt. Targets are never replaced: that would teach a model to
// write <unk>.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace fovea {

struct StringHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

class SymbolCounts {
 public:
  void add(std::string_view symbol, std::int64_t times = 1);
  std::int64_t of(std::string_view symbol) const;
  const auto& all() const { return counts_; }

 private:
  std::unordered_map<std::string, std::int64_t, StringHash, std::equal_to<>> counts_;
};

struct VocabularyOptions {
  std::int64_t min_count = 1;
  std::int64_t max_size = 50000;  // symbols, the special ones not counted
};

class Vocabulary {
 public:
  static constexpr int pad = 0;
  static constexpr int unknown = 1;
  static constexpr int start = 2;
  static constexpr int stop = 3;
  static constexpr int first_symbol = 4;

  // Ids by falling count, equal counts by byte order (which for UTF-8 is code point order). A symbol with a control
  // character stays unknown: written out, it could end a line or steer a terminal.
  explicit Vocabulary(const SymbolCounts& counts, const VocabularyOptions& options = {});

  // The same, and behind its symbols those it lacks, in the order they would have in a new one. `max_size` is for all.
  Vocabulary extended(const SymbolCounts& counts, const VocabularyOptions& options = {}) const;

  // The list of all texts, by id. What the constructor would not make is refused.
  nlohmann::json to_json() const;
  static Vocabulary from_json(const nlohmann::json& list);

  int size() const { return static_cast<int>(texts_.size()); }
  // A symbol of the text that happens to read "<pad>" is a symbol like any other: this never gives a special id but
  // `unknown`.
  int encode(std::string_view symbol) const;
  const std::string& text(int id) const;

 private:
  explicit Vocabulary(std::vector<std::string> texts);

  std::vector<std::string> texts_;
  std::unordered_map<std::string, int, StringHash, std::equal_to<>> ids_;
};

// By id, the probability with which training replaces the symbol by <unk>; 0 for the special ones.
std::vector<float> unknown_probabilities(const Vocabulary& vocabulary, const SymbolCounts& counts);

}  // namespace fovea
