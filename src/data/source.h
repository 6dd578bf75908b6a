// What a column of the data holds that a model reads: how a cell becomes symbols or rows of numbers, and what its
// positions are called when they are shown. To add a kind: a file in sources/ with its class and its entry, and a line
// in sources.def.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/options.h"
#include "base/registry.h"
#include "data/tokenizer.h"
#include "data/vocabulary.h"

namespace fovea {

using Symbols = std::vector<std::int32_t>;

// How text becomes symbols.
struct TextOptions {
  std::string tokenizer = "char";
  int max_symbols = 50000;
  int min_count = 1;
  std::string vectors = {};

  void fields(FieldVisitor& visit);
};

struct SourceOptions : TextOptions {
  std::string kind = "text";
  std::string folder = {};

  void fields(FieldVisitor& visit);
};

// What a source is made of: so many different symbols, or rows of so many numbers.
struct SourceShape {
  static SourceShape of_symbols(int count) { return {count, 0}; }
  static SourceShape of_rows(int width) { return {0, width}; }

  int symbols;
  int width;

 private:
  SourceShape(int count, int numbers) : symbols(count), width(numbers) {}
};

// A cell as numbers. One more position will close it.
struct SourceData {
  Symbols symbols = {};          // of a source of symbols, or
  std::vector<float> rows = {};  // [length, width] of one of numbers
  int length = 0;                // positions
};

// A position as people see it.
struct SourcePosition {
  std::string text;
  int start = 0;  // in characters of the cell
  int end = 0;    // one past the last
};

class SymbolSource;

class Source {
 public:
  virtual ~Source() = default;

  // Throws a data_error for a cell that holds no such thing.
  virtual SourceData encode(std::string_view cell) const = 0;
  virtual std::vector<SourcePosition> positions(std::string_view cell, const SourceData& data) const = 0;
  virtual SourceShape shape() const = 0;
  // The source of symbols that it is; else null.
  virtual const SymbolSource* as_symbols() const { return nullptr; }
  // What it learned from the training data, by name, as texts that a model file can hold.
  virtual std::map<std::string, std::string> learned() const = 0;
};

using SourcePtr = std::shared_ptr<const Source>;

// One whose cells are texts, cut into symbols.
class SymbolSource : public Source {
 public:
  explicit SymbolSource(Vocabulary vocabulary) : vocabulary_(std::move(vocabulary)) {}

  virtual std::vector<Token> cut(std::string_view cell) const = 0;
  SourceData encode(std::span<const Token> tokens) const;
  const Vocabulary& vocabulary() const { return vocabulary_; }
  // One that cuts alike and has these symbols.
  virtual SourcePtr with(Vocabulary vocabulary) const = 0;

  SourceData encode(std::string_view cell) const override { return encode(cut(cell)); }
  std::vector<SourcePosition> positions(std::string_view cell, const SourceData& data) const override;
  SourceShape shape() const override { return SourceShape::of_symbols(vocabulary_.size()); }
  const SymbolSource* as_symbols() const override { return this; }
  std::map<std::string, std::string> learned() const override;

 private:
  Vocabulary vocabulary_;
};

// Text, cut by a tokenizer (sources/text.cc).
class TextSource : public SymbolSource {
 public:
  TextSource(TokenizerPtr tokenizer, Vocabulary vocabulary)
      : SymbolSource(std::move(vocabulary)), tokenizer_(std::move(tokenizer)) {}

  const TokenizerPtr& tokenizer() const { return tokenizer_; }

  std::vector<Token> cut(std::string_view cell) const override { return tokenizer_->cut(cell); }
  SourcePtr with(Vocabulary vocabulary) const override {
    return std::make_shared<TextSource>(tokenizer_, std::move(vocabulary));
  }
  std::map<std::string, std::string> learned() const override;

 private:
  TokenizerPtr tokenizer_;
};

// What a model file says that a source, or whatever else, has learned. Throws model_errors: it may be hostile.
class LearnedTexts {
 public:
  // Those whose key begins with `prefix`; `file` is for error messages. Both maps and texts must outlive it.
  LearnedTexts(const std::map<std::string, std::string>& all, std::string prefix, std::string_view file)
      : all_(all), prefix_(std::move(prefix)), file_(file) {}

  const std::string* find(std::string_view key) const;  // null if there is none
  Vocabulary vocabulary() const;
  TokenizerPtr tokenizer(const std::string& setting) const;
  std::string place(std::string_view key) const;  // model.safetensors: "source.vocabulary"

 private:
  const std::map<std::string, std::string>& all_;
  std::string prefix_;
  std::string_view file_;
};

struct SourceKind {
  std::string_view name;
  std::string_view description;
  // From the cells of the training data. Says how many positions each has.
  SourcePtr (*learn)(const SourceOptions& options, std::span<const std::string_view> cells, std::vector<int>& lengths);
  SourcePtr (*restore)(const SourceOptions& options, const LearnedTexts& learned);
  bool symbols = true;  // or rows of numbers
};

const Registry<SourceKind>& sources();

// A known one, with the symbols of new cells behind its own. Says how many positions each cell has.
SourcePtr extend_source(const SourcePtr& source, const SourceOptions& options, std::span<const std::string_view> cells,
                        std::vector<int>& lengths);

// How often all cells have each symbol, as `cut` cuts them.
template <class Cut>
SymbolCounts count_symbols(std::span<const std::string_view> cells, const Cut& cut, std::vector<int>& lengths) {
  SymbolCounts counts;
  for (const std::string_view cell : cells) {
    const std::vector<Token> tokens = cut(cell);
    for (const Token& token : tokens) counts.add(token.text);
    lengths.push_back(static_cast<int>(tokens.size()));
  }
  return counts;
}

}  // namespace fovea
