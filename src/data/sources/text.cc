// text: symbols, as the tokenizer cuts them.
#include "data/source.h"

namespace fovea {

std::map<std::string, std::string> TextSource::learned() const {
  auto all = SymbolSource::learned();
  if (std::string learned = tokenizer_->learned(); !learned.empty()) all["tokenizer"] = std::move(learned);
  return all;
}

namespace {

SourcePtr learn_text(const SourceOptions& options, std::span<const SourceCell> cells, std::vector<int>& lengths) {
  TokenizerPtr tokenizer = learn_tokenizer(options.tokenizer, texts_of(cells));
  const SymbolCounts counts =
      count_symbols(cells, [&](std::string_view cell) { return tokenizer->cut(cell); }, lengths);
  Vocabulary vocabulary(counts, {options.min_count, options.max_symbols});
  return std::make_shared<TextSource>(std::move(tokenizer), std::move(vocabulary));
}

SourcePtr restore_text(const SourceOptions& options, const LearnedTexts& learned) {
  Vocabulary vocabulary = learned.vocabulary();
  return std::make_shared<TextSource>(learned.tokenizer(options.tokenizer), std::move(vocabulary));
}

}  // namespace

extern const SourceKind Source_text = {.name = "text",
                                       .description = "text, cut into symbols by the tokenizer",
                                       .learn = learn_text,
                                       .restore = restore_text,
                                       .tokenized = true,
                                       .writable = true};

}  // namespace fovea
