#include "tasks/normalised.h"

#include <algorithm>

namespace fovea {

NormalisedCells::NormalisedCells(const Config& config) : target_(config.target.normalise) {
  for (const SourceOptions* source : config.sources()) {
    // A cell that is no text names a file, or has numbers.
    sources_.emplace_back(sources().find(source->kind).symbols ? source->normalise : "");
  }
}

bool NormalisedCells::does_nothing() const {
  return target_.does_nothing() && std::ranges::all_of(sources_, &Normaliser::does_nothing);
}

void NormalisedCells::apply(std::string& first, std::vector<std::string>& others, std::string& target) const {
  if (does_nothing()) return;
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    if (i > others.size() || sources_[i].does_nothing()) continue;
    std::string& cell = i == 0 ? first : others[i - 1];
    cell = sources_[i](cell);
  }
  if (!target_.does_nothing()) target = target_(target);
}

void NormalisedCells::apply(Example& example) const { apply(example.source, example.others, example.target); }

void NormalisedCells::apply(std::vector<Example>& examples) const {
  if (does_nothing()) return;
  for (Example& example : examples) apply(example);
}

void NormalisedCells::apply(SourceText& source) const { apply(source.text, source.others, source.target); }

}  // namespace fovea
