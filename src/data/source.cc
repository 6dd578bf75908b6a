#include "data/source.h"

#include "base/error.h"
#include "base/json.h"
#include "base/utf8.h"
#include "data/normalise.h"

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
  visit("normalise", normalise,
        "what is done to a text first, such as nfc,lower: nfc, nfkc, lower, spaces (runs of them are one), punctuation "
        "(stands apart from words); empty: nothing",
        like({"nfc,lower"}, [](std::string_view setting) { Normaliser{setting}; }));
}

void SourceOptions::fields(FieldVisitor& visit) {
  visit("kind", kind, "what the column holds", one_of(sources().names()));
  TextOptions::fields(visit);
  visit("folder", folder, "where the files are that the column names; empty: beside the data file", a_file());
  // Those of a kind's own have its name.
  const auto own = [&](std::string_view name, auto& options, std::string_view help) {
    visit.group(name, options, help, kind == name);
  };
  own("audio", audio, "how a sound is read");
  own("image", image, "how a picture is read");
}

void AudioOptions::fields(FieldVisitor& visit) {
  visit("rate", rate, "samples a second: what is heard goes up to half of it in Hz", between(1000, 192000));
  visit("mels", mels, "bands of frequencies, equally far apart to the ear", between(1, 256));
  visit("frame", frame, "milliseconds that are looked at at once", between(1, 1000));
  visit("hop", hop, "milliseconds from one frame to the next", between(1, 1000));
  visit("deltas", deltas, "how each band changes stands beside it");
  visit("stack", stack, "frames side by side that make one position", between(1, 64));
}

void ImageOptions::fields(FieldVisitor& visit) {
  visit("height", height, "pixels that every picture is brought to, its width in proportion", between(1, 1024));
  visit("colour", colour, "red, green and blue, or grey");
  visit("rows", rows, "of regions, one above the other; 1: strips as high as the picture", between(1, 64));
  visit("region", region, "pixels that a region is wide, a power of two", between(1, 64));
}

std::vector<std::string_view> texts_of(std::span<const SourceCell> cells) {
  std::vector<std::string_view> texts;
  for (const SourceCell& cell : cells) texts.push_back(cell.text);
  return texts;
}

SourceData SymbolSource::encode_tokens(std::span<const Token> tokens) const {
  SourceData data;
  for (const Token& token : tokens) data.symbols.push_back(vocabulary_.encode(token.text));
  data.length = static_cast<int>(tokens.size());
  return data;
}

std::vector<SourcePosition> SymbolSource::positions(const SourceData&, std::span<const Token> tokens) const {
  std::vector<SourcePosition> positions;
  for (const Token& token : tokens) positions.push_back({std::string(token.text), token.start, token.end});
  return positions;
}

std::map<std::string, std::string> SymbolSource::learned() const {
  return {{"vocabulary", json_text(vocabulary_.to_json())}};
}

SourcePtr extend_source(const SourcePtr& source, const SourceOptions& options, std::span<const SourceCell> cells,
                        std::vector<int>& lengths) {
  const SymbolSource* symbols = source->as_symbols();
  if (!symbols) {
    for (const SourceCell& cell : cells) lengths.push_back(source->encode(cell).length);
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
