// The task of turning one line into another: how lines become ids, and answers become text again.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/aligner.h"
#include "data/alignment.h"
#include "data/lexicon.h"
#include "data/pairs.h"
#include "data/unit.h"
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
  // from target().size() on, and `unknown` has their texts; a feature, or a symbol with a control character, is the
  // unknown symbol, which is never written.
  Symbols copies;
  std::vector<std::string> unknown;

  bool empty() const { return symbols.empty(); }
  int size() const { return static_cast<int>(symbols.size()); }
};

// An example as ids.
struct Encoding {
  SourceIds source;
  Symbols target;           // with the numbers of its source's unknown symbols
  std::vector<Link> links;  // its alignment, if one was given
};

// For each source symbol what a lexicon says about it, as ids.
using LexiconIds = std::vector<std::vector<std::pair<std::int32_t, float>>>;

class Transduce {
 public:
  // Vocabularies from the training examples.
  Transduce(const Config& config, std::span<const Example> examples, const Lexicon* lexicon = nullptr);
  Transduce(const Config& config, Vocabulary source, Vocabulary target, LexiconIds lexicon = {});

  // `features` are put before the source if the config says so.
  SourceIds encode_source(std::string_view text, std::string_view features = {}) const;
  Symbols encode_target(std::string_view text) const;
  Encoding encode(const Example& example) const;

  const Vocabulary& source() const { return source_; }
  const Vocabulary& target() const { return target_; }
  const LexiconIds& lexicon() const { return lexicon_; }
  // Whether targets are actions: symbols, and steps to the next position of the source.
  bool acts() const { return acts_; }
  bool reads_features() const { return extra_ == "features"; }
  // A line as it comes in: the source, and after a tab its features, if the model reads any.
  std::pair<std::string_view, std::string_view> split(std::string_view line) const;

  // Examples side by side. Reuses the batch's memory.
  void fill_batch(std::span<const Encoding* const> examples, Batch& batch) const;
  void fill_source(std::span<const SourceIds* const> sources, Side& side) const;

  // What search needs to know of the target's symbols.
  SearchOptions search_options() const;
  // How long an answer may get.
  static int most_steps(std::size_t source_symbols) { return static_cast<int>(2 * source_symbols) + 50; }
  // How many symbols a source may have; 0: any number.
  int most_source_symbols() const { return most_source_symbols_; }

  // Answers, best first, as text with what the model looked at. An unknown symbol is replaced by the source's most
  // attended one, or what `dictionary` has for it.
  Output output(const std::string& line, const SourceIds& source, std::span<const Answer> answers,
                const Lexicon* dictionary = nullptr) const;
  std::string target_text(std::span<const std::int32_t> symbols, const SourceIds& source) const;

 private:
  Symbols with_steps(const Encoding& encoding) const;
  void fill_links(std::span<const SourceIds* const> sources, Side& side) const;
  void fill_alignment(std::span<const Encoding* const> examples, Batch& batch) const;
  std::string symbol_text(std::int32_t symbol, const SourceIds& source) const;
  std::string replacement(const StepExplanation& step, const std::vector<SourceToken>& tokens,
                          const Lexicon* dictionary) const;

  Unit source_unit_;
  Unit target_unit_;
  std::string extra_;
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
  LexiconIds lexicon_;
};

}  // namespace fovea
