// What a column of the data holds that a model reads: how a cell becomes symbols or rows of numbers, and what its
// positions are called when they are shown. To add a kind: a file in sources/ with its class and its entry, and a line
// in sources.def.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/options.h"
#include "base/registry.h"
#include "data/named_file.h"
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
  std::string normalise = {};  // see data/normalise.h

  void fields(FieldVisitor& visit);
};

// How a sound becomes rows of numbers (data/log_mel.h).
struct AudioOptions {
  int rate = 16000;
  int mels = 40;
  double frame = 25;
  double hop = 10;
  bool deltas = false;
  int stack = 3;

  void fields(FieldVisitor& visit);
};

// How a picture becomes regions (sources/image.cc).
struct ImageOptions {
  int height = 32;
  bool colour = false;
  int rows = 1;
  int region = 4;

  void fields(FieldVisitor& visit);
};

struct SourceOptions : TextOptions {
  std::string kind = "text";
  std::string folder = {};
  AudioOptions audio = {};
  ImageOptions image = {};

  void fields(FieldVisitor& visit);
};

// Regions of a picture: each is a row of height x width x channels numbers, and they stand column by column, from top
// to bottom in each.
struct Regions {
  int rows = 1;    // of regions
  int height = 1;  // of one, in pixels
  int width = 1;
  int channels = 1;

  int numbers() const { return height * width * channels; }
};

// What a source is made of: so many different symbols; or rows of so many numbers: of anything, frames of time, one
// like the next, or regions of a picture.
struct SourceShape {
  enum class Form { symbols, rows, frames, picture };

  static SourceShape of_symbols(int count) { return {Form::symbols, count, 0, {}}; }
  static SourceShape of_rows(int width) { return {Form::rows, 0, width, {}}; }
  static SourceShape of_frames(int width) { return {Form::frames, 0, width, {}}; }
  static SourceShape of_picture(Regions regions) { return {Form::picture, 0, regions.numbers(), regions}; }

  Form form;
  int symbols;
  int width;
  Regions regions;

 private:
  SourceShape(Form made, int count, int numbers, Regions parts)
      : form(made), symbols(count), width(numbers), regions(parts) {}
};

// Part of a picture, in pixels: from left and top up to right and bottom, which are outside.
struct Box {
  int left = 0;
  int top = 0;
  int right = 0;
  int bottom = 0;
};

// A position as people see it.
struct SourcePosition {
  std::string text;
  int start = 0;  // in characters of the cell; of a sound in milliseconds; else the number of the position, from 0
  int end = 0;    // one past the last
  std::optional<Box> box = {};  // of a picture
};

// A cell as numbers. One more position will close it.
struct SourceData {
  Symbols symbols = {};          // of a source of symbols, or
  std::vector<float> rows = {};  // [length, width] of one of numbers
  int length = 0;                // positions
  Symbols segments = {};         // of a document: which sentence each position is of, from 0
  int picture_width = 0;         // of a picture, in its own pixels
  int picture_height = 0;
  std::string doubt = {};  // why the cell seems not to be whole, though it can be read; empty: it seems so
  std::vector<SourcePosition> shown = {};  // its positions as people see them, where that is wanted
};

// What can be seen or heard of a cell, as a file.
struct Media {
  std::string type;  // image/png, audio/wav
  std::string bytes;
  int width = 0;   // in the units of positions: pixels of the picture as it is, milliseconds of a sound
  int height = 0;  // pixels, or bands of frequencies
};

class SymbolSource;

class Source {
 public:
  virtual ~Source() = default;

  // Throws a data_error for a cell that holds no such thing.
  virtual SourceData encode(const SourceCell& cell) const = 0;
  // Of one of symbols, those that the tokens stand at.
  virtual std::vector<SourcePosition> positions(const SourceData& data, std::span<const Token> tokens) const = 0;
  // The picture itself; of a sound its spectrogram and the sound. What is beyond measure is smaller, or shorter.
  virtual std::vector<Media> media(const SourceCell&) const { return {}; }
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
  virtual SourceData encode_tokens(std::span<const Token> tokens) const;
  const Vocabulary& vocabulary() const { return vocabulary_; }
  // One that cuts alike and has these symbols.
  virtual SourcePtr with(Vocabulary vocabulary) const = 0;

  SourceData encode(const SourceCell& cell) const override { return encode_tokens(cut(cell.text)); }
  std::vector<SourcePosition> positions(const SourceData& data, std::span<const Token> tokens) const override;
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

// A setting that was chosen for a source, and why.
struct SourceChoice {
  std::string setting;  // audio.rate, or kind of an encoder
  std::string value;
  std::string reason;
};

struct SourceKind {
  std::string_view name;
  std::string_view description;
  // From the cells of the training data. Says how many positions each has.
  SourcePtr (*learn)(const SourceOptions& options, std::span<const SourceCell> cells, std::vector<int>& lengths);
  SourcePtr (*restore)(const SourceOptions& options, const LearnedTexts& learned);
  bool symbols = true;  // or rows of numbers
  // What suits the cells of its own settings, for those that nobody gave; null: there is nothing to choose.
  std::vector<SourceChoice> (*choose)(const SourceOptions& options, std::span<const SourceCell> cells) = nullptr;
  bool tokenized = false;  // text that the tokenizer cuts
  // Settings of the encoder that suits it best; none: as ever.
  std::vector<SourceChoice> (*choose_encoder)(const SourceOptions& options) = nullptr;
  bool names_files = false;                        // each cell names one, which can be seen or heard
  bool (*suits)(std::string_view cell) = nullptr;  // whether a cell seems to be such a one; null: it does not show
  bool writable = false;                           // a target can be the same
};

const Registry<SourceKind>& sources();

// A known one, with the symbols of new cells behind its own. Says how many positions each cell has.
SourcePtr extend_source(const SourcePtr& source, const SourceOptions& options, std::span<const SourceCell> cells,
                        std::vector<int>& lengths);

std::vector<std::string_view> texts_of(std::span<const SourceCell> cells);

// How often all cells have each symbol, as `cut` cuts them.
template <class Cut>
SymbolCounts count_symbols(std::span<const SourceCell> cells, const Cut& cut, std::vector<int>& lengths) {
  SymbolCounts counts;
  for (const SourceCell& cell : cells) {
    const std::vector<Token> tokens = cut(cell.text);
    for (const Token& token : tokens) counts.add(token.text);
    lengths.push_back(static_cast<int>(tokens.size()));
  }
  return counts;
}

// A TextSource, or what is derived from it: from cells, and from a model file.
template <class Made>
SourcePtr learn_text(const SourceOptions& options, std::span<const SourceCell> cells, std::vector<int>& lengths) {
  TokenizerPtr tokenizer = learn_tokenizer(options.tokenizer, texts_of(cells));
  const SymbolCounts counts =
      count_symbols(cells, [&](std::string_view cell) { return tokenizer->cut(cell); }, lengths);
  Vocabulary vocabulary(counts, {options.min_count, options.max_symbols});
  return std::make_shared<Made>(std::move(tokenizer), std::move(vocabulary));
}
template <class Made>
SourcePtr restore_text(const SourceOptions& options, const LearnedTexts& learned) {
  Vocabulary vocabulary = learned.vocabulary();
  return std::make_shared<Made>(learned.tokenizer(options.tokenizer), std::move(vocabulary));
}

}  // namespace fovea
