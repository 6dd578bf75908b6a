// A task for which everything is known that the training data says: how lines become numbers, and answers text again.
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
#include "data/source.h"
#include "decoding/search.h"
#include "tasks/config.h"
#include "tasks/task_kind.h"

namespace fovea {

// What a model reads of a line, as numbers. The positions of its sources stand one source after the other, each closed
// by a position of its own.
struct Reading {
  std::vector<SourceData> sources;  // none for a task without them
  // Where symbols can be copied: what each position is among the target's symbols. Those the target does not know are
  // numbered from target().size() on, and `unknown` has their texts; a symbol with a control character is the unknown
  // symbol, which is never written.
  Symbols copies = {};
  std::vector<std::string> unknown = {};
  std::string features = {};     // as they were written, if the model reads any
  Symbols feature_symbols = {};  // the same as ids
  bool no_source = false;        // of a task without: nothing is read, and yet there is something to ask
  Symbols prefix = {};           // of such a task: what an answer begins with

  bool empty() const { return size() == 0 && !no_source; }
  int size() const;       // positions, without those that close
  int positions() const;  // all of them
};

// An example as numbers.
struct Encoding {
  Reading source;
  Symbols target = {};           // with the numbers of its source's unknown symbols
  std::vector<Link> links = {};  // its alignment, if one was given
};

// The lengths of the training data in symbols, which say how long an answer may get.
struct TrainedLengths {
  int longest_source = 0;
  int longest_target = 0;
  double largest_ratio = 0;  // of a target's length to its source's
};

// For each source symbol what a lexicon says about it, as ids.
using LexiconIds = std::vector<std::vector<std::pair<std::int32_t, float>>>;

class Task {
 public:
  // All that is learned from data.
  struct Learned {
    std::vector<SourcePtr> sources;
    TokenizerPtr target_tokenizer;
    Vocabulary target = Vocabulary(SymbolCounts());
    SourcePtr features = {};  // of lines, if the model reads any
    LexiconIds lexicon = {};
    std::optional<TrainedLengths> lengths = {};  // none: an old file does not say
    // Symbols of the target from this one on were seen fewer than ten times; none: nobody has counted.
    std::optional<int> first_rare = {};
  };
  // With what is known, nothing of it is lost: tokenizers stay, and new symbols come behind.
  static Learned learn(const Config& config, std::span<const Example> examples, const Lexicon* lexicon = nullptr,
                       const Learned* known = nullptr);

  Task(const Config& config, Learned learned);
  Task(const Config& config, std::span<const Example> examples, const Lexicon* lexicon = nullptr,
       const Learned* known = nullptr);

  // `shown`: with what make_output needs to name the positions.
  Reading encode_source(std::string_view text, std::string_view features = {}, std::span<const std::string> others = {},
                        const NamedFiles& files = {}, bool shown = true) const;
  Symbols encode_target(std::string_view text) const;
  Encoding encode(const Example& example) const { return encode(example, {.folder = example.folder()}); }
  Encoding encode(const Example& example, const NamedFiles& files, bool shown = false) const;

  const TaskTraits& traits() const { return traits_; }
  const Learned& learned() const { return learned_; }
  const Tokenizer& target_tokenizer() const { return *learned_.target_tokenizer; }
  std::span<const SourcePtr> sources() const { return learned_.sources; }
  // The symbols of the first source; just the special ones if it has none.
  const Vocabulary& source() const;
  const Vocabulary& target() const { return learned_.target; }
  const Vocabulary& features() const;
  const LexiconIds& lexicon() const { return learned_.lexicon; }
  // Whether targets are actions: symbols, and steps to the next position of the source.
  bool acts() const { return acts_; }
  bool copies() const { return copies_; }
  bool looks_up() const { return looks_up_; }
  bool shows_positions() const { return shows_positions_; }  // maps have a column for each position
  bool keeps_positions() const { return keeps_positions_; }  // column i of a map is about position i
  const ObjectiveOptions& objective() const { return objective_; }
  // Of the lines it was trained on.
  const Columns& columns() const { return columns_; }
  bool reads_features() const { return columns_.has("features"); }
  // A usage_error unless lines with these columns have what the model reads, and nothing by the name of what it does
  // not.
  void check_columns(const Columns& columns) const;
  // The first of a line's features that no line of the training data had; empty if all are known.
  std::string_view unknown_feature(const Reading& source) const;

  // What search needs to know of the target's symbols.
  SearchSymbols search_symbols() const;
  // How many steps a target takes, that of the stop symbol counted if there is one.
  int steps(std::size_t symbols) const { return static_cast<int>(symbols) + (traits_.one_step ? 0 : 1); }
  // How many search may take for an answer: those of all symbols, the stop symbol too, and of a walk over the
  // source, if answers are one. Without `max_output`, a number of symbols, half as many again as in the training data,
  // where longer sources than any there had longer targets in proportion.
  int max_steps(const Reading& source, int max_output = 0) const;
  // How many symbols a source may have; 0: any number.
  int max_source_symbols() const { return max_source_symbols_; }

  std::string target_text(std::span<const std::int32_t> symbols, const Reading& source) const;
  std::string symbol_text(std::int32_t symbol, const Reading& source) const;
  // Each of them as text; unknown ones as `target`, which they encode, has them, if there is one.
  std::vector<std::string> written(std::span<const std::int32_t> symbols, const Reading& source,
                                   std::string_view target) const;

 private:
  Encoding encode_cells(const Example& example, const NamedFiles& files, bool shown) const;
  Symbols encode_tokens(std::span<const Token> tokens) const;
  void add_copies(std::span<const std::string_view> texts, Reading& reading) const;
  void check_target(const Example& example, const Encoding& encoding) const;
  Symbols with_steps(const Encoding& encoding) const;

  TaskTraits traits_;
  Columns columns_;
  bool acts_;  // targets say when to step to the next position
  bool copies_;
  bool looks_up_;
  bool shows_positions_;
  bool keeps_positions_;
  ObjectiveOptions objective_;
  int max_source_symbols_ = 0;
  Learned learned_;
  std::shared_ptr<const Aligner> aligner_;
};

}  // namespace fovea
