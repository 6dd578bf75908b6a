// features: tags such as V;PST or pos=N,case=ABL, each a symbol, whatever separates them.
#include "data/features.h"

#include "base/as_size.h"
#include "data/source.h"

namespace fovea {

namespace {

std::vector<Token> cut_tags(std::string_view cell) {
  std::vector<Token> tokens;
  for (const std::string_view tag : split_features(cell)) {
    const auto start = static_cast<int>(count_characters(cell.substr(0, as_size(tag.data() - cell.data()))));
    tokens.push_back({tag, start, start + static_cast<int>(count_characters(tag))});
  }
  return tokens;
}

class FeatureSource : public SymbolSource {
 public:
  using SymbolSource::SymbolSource;
  std::vector<Token> cut(std::string_view cell) const override { return cut_tags(cell); }
  SourcePtr with(Vocabulary vocabulary) const override {
    return std::make_shared<FeatureSource>(std::move(vocabulary));
  }
};

SourcePtr learn_features(const SourceOptions& options, std::span<const SourceCell> cells, std::vector<int>& lengths) {
  const SymbolCounts counts = count_symbols(cells, cut_tags, lengths);
  return std::make_shared<FeatureSource>(Vocabulary(counts, {options.min_count, options.max_symbols}));
}

SourcePtr restore_features(const SourceOptions&, const LearnedTexts& learned) {
  return std::make_shared<FeatureSource>(learned.vocabulary());
}

}  // namespace

extern const SourceKind Source_features = {"features", "tags such as V;PST, each a symbol", learn_features,
                                           restore_features};

}  // namespace fovea
