#include "data/source.h"

#include "base/error.h"
#include "base/json.h"
#include "base/utf8.h"

namespace fovea {

#define SOURCE(name) extern const SourceKind Source_##name;
#include "data/sources/sources.def"
#undef SOURCE

const Registry<SourceKind>& sources() {
  static const Registry<SourceKind> list("source", {
#define SOURCE(name) &Source_##name,
#include "data/sources/sources.def"
#undef SOURCE
                                                   });
  return list;
}

void TextOptions::fields(FieldVisitor& visit) {
  visit("tokenizer", tokenizer, "what a symbol is",
        like(tokenizer_examples(), [](std::string_view setting) { tokenizer_kind(setting); }));
  visit("max_symbols", max_symbols, "the most frequent ones are kept", between(1, 10'000'000));
  visit("min_count", min_count, "what is seen less often in the training data stays unknown",
        between(1, 1'000'000'000));
  visit("vectors", vectors, "a file of ready vectors that symbols begin with: symbol, numbers; empty: none", a_file());
}

void SourceOptions::fields(FieldVisitor& visit) {
  visit("kind", kind, "what the column holds", one_of(sources().names()));
  TextOptions::fields(visit);
  visit("folder", folder, "where the files are that the column names; empty: where the program runs", a_file());
}

SourceData SymbolSource::encode(std::span<const Token> tokens) const {
  SourceData data;
  for (const Token& token : tokens) data.symbols.push_back(vocabulary_.encode(token.text));
  data.length = static_cast<int>(tokens.size());
  return data;
}

std::vector<SourcePosition> SymbolSource::positions(std::string_view cell, const SourceData&) const {
  std::vector<SourcePosition> positions;
  for (const Token& token : cut(cell)) positions.push_back({std::string(token.text), token.start, token.end});
  return positions;
}

std::map<std::string, std::string> SymbolSource::learned() const {
  return {{"vocabulary", json_text(vocabulary_.to_json())}};
}

SourcePtr extend_source(const SourcePtr& source, const SourceOptions& options, std::span<const std::string_view> cells,
                        std::vector<int>& lengths) {
  const SymbolSource* symbols = source->as_symbols();
  if (!symbols) {
    for (const std::string_view cell : cells) lengths.push_back(source->encode(cell).length);
    return source;
  }
  const SymbolCounts counts = count_symbols(cells, [&](std::string_view cell) { return symbols->cut(cell); }, lengths);
  return symbols->with(symbols->vocabulary().extended(counts, {options.min_count, options.max_symbols}));
}

const std::string* LearnedTexts::find(std::string_view key) const {
  const auto found = all_.find(prefix_ + std::string(key));
  return found == all_.end() ? nullptr : &found->second;
}

std::string LearnedTexts::place(std::string_view key) const { return fmt::format("{}: \"{}{}\"", file_, prefix_, key); }

Vocabulary LearnedTexts::vocabulary() const {
  const std::string* text = find("vocabulary");
  if (!text) throw model_error("{}: no \"{}vocabulary\" in it; is this a Fovea model?", file_, prefix_);
  // Flat by contract: a list of texts. Anything nested is refused before it is built.
  const Json list = parse_json(*text, 1);
  if (list.is_discarded()) throw model_error("{} is not a flat JSON list", place("vocabulary"));
  try {
    return Vocabulary::from_json(list);
  } catch (const Error& e) {
    throw model_error("{}: {}", place("vocabulary"), e.what());
  }
}

TokenizerPtr LearnedTexts::tokenizer(const std::string& setting) const {
  const std::string* text = find("tokenizer");
  try {
    return make_tokenizer(setting, text ? std::string_view(*text) : std::string_view());
  } catch (const Error& e) {
    throw model_error("{} of the tokenizer {}: {}", place("tokenizer"), beginning(setting), e.what());
  }
}

}  // namespace fovea
