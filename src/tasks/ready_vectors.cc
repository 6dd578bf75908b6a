#include "tasks/ready_vectors.h"

#include <algorithm>

#include "base/as_size.h"
#include "base/utf8.h"
#include "data/word_vectors.h"

namespace fovea {

namespace {

// What a side of a model is called, and where its vectors are.
struct Table {
  std::string name;
  std::string table;
  std::string setting;  // that says how long they are
};

std::string fill(Model& model, const Table& side, const std::string& file, const Vocabulary& vocabulary) {
  Parameters& parameters = model.parameters();
  const auto entry = std::ranges::find(parameters.entries(), side.table, &Parameters::Entry::name);
  check(entry != parameters.entries().end(), "no weight {}", side.table);
  const auto width = as_size(entry->shape.last());
  const auto vectors = read_word_vectors(file, vocabulary, entry->shape.last(), side.setting);
  for (const auto& [id, numbers] : vectors) {
    std::ranges::copy(numbers, parameters.values(*entry).subspan(as_size(id) * width).begin());
  }
  parameters.invalidate_packed();
  return fmt::format("{}.vectors: {} of {} symbols are in {}", side.name, vectors.size(),
                     vocabulary.size() - Vocabulary::first_symbol, printable(file));
}

}  // namespace

std::vector<std::string> take_ready_vectors(Model& model) {
  std::vector<std::string> told;
  const Config& config = model.config();
  const auto names = Columns(config.columns).sources();
  for (std::size_t i = 0; i < names.size(); ++i) {
    const SourceOptions& options = *config.sources()[i];
    if (options.vectors.empty()) continue;
    const SymbolSource* source = model.task().sources()[i]->as_symbols();
    if (!source) {
      throw usage_error("{}.vectors with {}.kind = {}: there are no symbols that could have vectors; leave one out",
                        names[i], names[i], options.kind);
    }
    const std::string prefix = i == 0 ? "" : names[i] + ".";
    told.push_back(fill(model, {names[i], prefix + "encoder.embedding.table", "encoder.embedding"}, options.vectors,
                        source->vocabulary()));
  }
  if (!config.target.vectors.empty()) {
    told.push_back(fill(model, {"target", "decoder.embedding.table", "decoder.embedding"}, config.target.vectors,
                        model.task().target()));
  }
  return told;
}

}  // namespace fovea
