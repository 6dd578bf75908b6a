// The task of turning one line into another: how lines become ids, and answers become text again.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/aligner.h"
#include "data/alignment.h"
#include "data/columns.h"
#include "data/lexicon.h"
#include "data/pairs.h"
#include "data/tokenizer.h"
#include "data/vocabulary.h"
#include "decoding/search.h"
#include "models/batch.h"
#include "tasks/config.h"
#include "tasks/output.h"

namespace fovea {

using Symbols = std::vector<std::int32_t>;

// A source as ids.
struct SourceIds {
  Symbols symbols;
  // Where symbols can be copied: what each is among the target's symbols. Those the target does not know are numbered
  // from target().size() on, and `unknown` has their texts; a symbol with a control character is the
  // unknown symbol, which is never written.
  Symbols copies;
  std::vector<std::string> unknown;
  std::string features = {};     // as they were written, if the model reads any
  Symbols feature_symbols = {};  // the same as ids

  bool empty() const { return symbols.empty(); }
  int size() const { return static_cast<int>(symbols.size()); }
};

// An example as ids.
struct Encoding {
  SourceIds source;
  Symbols target;           // with the numbers of its source's unknown symbols
  std::vector<Link> links;  // its alignment, if one was given
};

struct Vocabularies {
  Vocabulary source;
  Vocabulary target;
  Vocabulary features = Vocabulary(SymbolCounts());  // of lines, if the model reads any
};

struct Tokenizers {
  TokenizerPtr source;
  TokenizerPtr target;
};

// The lengths of the training data in symbols, which say how long an answer may get.
struct TrainedLengths {
  int longest_source = 0;
  int longest_target = 0;
  double largest_ratio = 0;  // of a target's length to its source's
};

// For each source symbol what a lexicon says about it, as ids.
using LexiconIds = std::vector<std::vector<std::pair<std::int32_t, float>>>;

class Transduce {
 public:
  // Vocabularies from the training examples.
  Transduce(const Config& config, std::span<const Example> examples, const Lexicon* lexicon = nullptr);
  Transduce(const Config& config, Vocabularies vocabularies, LexiconIds lexicon = {},
            std::optional<TrainedLengths> lengths = {}, Tokenizers tokenizers = {});  // none: those that learn nothing

  SourceIds encode_source(std::string_view text, std::string_view features = {}) const;
  Symbols encode_target(std::string_view text) const;
  Encoding encode(const Example& example) const;

  const Tokenizers& tokenizers() const { return tokenizers_; }
  const Tokenizer& target_tokenizer() const { return *tokenizers_.target; }
  const Vocabulary& source() const { return source_; }
  const Vocabulary& target() const { return target_; }
  const Vocabulary& features() const { return features_; }
  const LexiconIds& lexicon() const { return lexicon_; }
  const std::optional<TrainedLengths>& lengths() const { return lengths_; }  // none: an old file does not say
  // Whether targets are actions: symbols, and steps to the next position of the source.
  bool acts() const { return acts_; }
  // Of the lines it was trained on.
  const Columns& columns() const { return columns_; }
  bool reads_features() const { return columns_.has("features"); }
  // A usage_error unless lines with these columns have what the model reads, and nothing by the name of what it does
  // not.
  void check_columns(const Columns& columns) const;
  // The first of a line's features that no line of the training data had; empty if all are known.
  std::string_view unknown_feature(const SourceIds& source) const;

  // Examples side by side. Reuses the batch's memory.
  void fill_batch(std::span<const Encoding* const> examples, Batch& batch) const;
  void fill_source(std::span<const SourceIds* const> sources, Side& side) const;

  // What search needs to know of the target's symbols.
  SearchSymbols search_symbols() const;
  // How many steps search may take for an answer: those of all symbols, the stop symbol too, and of a walk over the
  // source, if answers are one. Without `max_output`, a number of symbols, half as many again as in the training data,
  // where longer sources than any there had longer targets in proportion.
  int most_steps(int source_symbols, int max_output = 0) const;
  // How many symbols a source may have; 0: any number.
  int most_source_symbols() const { return most_source_symbols_; }

  // Answers, best first, as text with what the model looked at. An unknown symbol is replaced by the source's most
  // attended one, or what `dictionary` has for it.
  Output output(const std::string& text, const SourceIds& source, std::span<const Answer> answers,
                const Lexicon* dictionary = nullptr) const;
  std::string target_text(std::span<const std::int32_t> symbols, const SourceIds& source) const;
  std::string symbol_text(std::int32_t symbol, const SourceIds& source) const;

 private:
  struct Counted;
  Transduce(const Config& config, Counted counted);
  static Counted count(const Config& config, std::span<const Example> examples);

  Symbols encode_tokens(std::span<const Token> tokens) const;
  Symbols with_steps(const Encoding& encoding) const;
  void fill_features(std::span<const SourceIds* const> sources, FeatureIds& features) const;
  void fill_copy_map(std::span<const SourceIds* const> sources, Side& side) const;
  void fill_alignment(std::span<const Encoding* const> examples, Batch& batch) const;
  std::string replacement(const StepExplanation& step, const std::vector<SourceToken>& tokens,
                          const Lexicon* dictionary) const;

  Tokenizers tokenizers_;
  Columns columns_;
  bool acts_;  // targets say when to step to the next position
  std::shared_ptr<const Aligner> aligner_;
  bool positions_are_symbols_;
  bool copies_;
  bool looks_up_;
  bool both_ways_;
  bool supervised_;
  double smoothing_;  // of wanted weights
  int most_source_symbols_ = 0;
  Vocabulary source_;
  Vocabulary target_;
  Vocabulary features_;
  LexiconIds lexicon_;
  std::optional<TrainedLengths> lengths_;
};

}  // namespace fovea
