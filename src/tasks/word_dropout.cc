#include "tasks/word_dropout.h"

#include "base/as_size.h"

namespace fovea {

namespace {

std::vector<float> shares_of(const SymbolSource& read, std::span<const Encoding> examples, std::size_t source) {
  std::vector<std::int64_t> times(as_size(read.vocabulary().size()));
  for (const Encoding& example : examples) {
    for (const std::int32_t id : example.source.sources[source].symbols) ++times[as_size(id)];
  }
  SymbolCounts counts;
  for (int id = Vocabulary::first_symbol; id < read.vocabulary().size(); ++id) {
    counts.add(read.vocabulary().text(id), times[as_size(id)]);
  }
  return unknown_probabilities(read.vocabulary(), counts);
}

void replace_by_unknown(std::span<const float> shares, std::span<const std::int64_t> samples, const Random& random,
                        Side& side) {
  if (shares.empty()) return;
  for (std::size_t b = 0; b < samples.size(); ++b) {
    const Random own = random.at(static_cast<std::uint64_t>(samples[b]));
    for (std::size_t i = 0; i < as_size(side.length); ++i) {
      std::int32_t& symbol = side.ids[i * samples.size() + b];
      const auto share = static_cast<double>(shares[as_size(symbol)]);
      if (share > 0 && own.uniform(i) < share) symbol = Vocabulary::unknown;
    }
  }
}

}  // namespace

WordDropout::WordDropout(const Task& task, std::span<const Encoding> examples) {
  if (task.objective().asked(&ObjectiveTraits::both_directions)) return;
  for (std::size_t s = 0; s < task.sources().size(); ++s) {
    const SymbolSource* read = task.sources()[s]->as_symbols();
    shares_.push_back(read ? shares_of(*read, examples, s) : std::vector<float>());
  }
}

void WordDropout::apply(const Random& random, Batch& batch) const {
  for (std::size_t s = 0; s < shares_.size(); ++s) {
    if (s == 0) {
      replace_by_unknown(shares_[s], batch.samples, random, batch.source);
    } else {
      replace_by_unknown(shares_[s], batch.samples, random.at(s), batch.source.others[s - 1]);
    }
  }
}

}  // namespace fovea
