#include "tasks/transduce.h"

#include <algorithm>

namespace fovea {

namespace {

Vocabulary count_symbols(std::span<const Example> examples, const SideOptions& options, std::string Example::* side) {
  const Unit unit(options.unit);
  SymbolCounts counts;
  for (const Example& example : examples) {
    for (const Piece& piece : unit.cut(example.*side)) counts.add(piece.text);
  }
  return Vocabulary(counts, {.max_size = options.max_symbols});
}

}  // namespace

Transduce::Transduce(const Config& config, std::span<const Example> examples)
    : Transduce(config, count_symbols(examples, config.source, &Example::source),
                count_symbols(examples, config.target, &Example::target)) {}

Transduce::Transduce(const Config& config, Vocabulary source, Vocabulary target)
    : source_unit_(config.source.unit),
      target_unit_(config.target.unit),
      source_(std::move(source)),
      target_(std::move(target)) {}

Symbols Transduce::encode(std::string_view text, const Unit& unit, const Vocabulary& vocabulary) {
  Symbols symbols;
  for (const Piece& piece : unit.cut(text)) symbols.push_back(vocabulary.encode(piece.text));
  return symbols;
}

void Transduce::fill_source(std::span<const std::span<const std::int32_t>> sources, Side& side) const {
  fill_side(sources, {.pad = Vocabulary::pad, .last = Vocabulary::stop}, side);
}

void Transduce::fill_batch(std::span<const Encoding* const> examples, Batch& batch) const {
  std::vector<std::span<const std::int32_t>> sources, targets;
  for (const Encoding* example : examples) {
    sources.emplace_back(example->source);
    targets.emplace_back(example->target);
  }
  fill_source(sources, batch.source);
  fill_side(targets, {.pad = Vocabulary::pad, .first = Vocabulary::start}, batch.inputs);
  fill_side(targets, {.pad = Vocabulary::pad, .last = Vocabulary::stop}, batch.outputs);
}

SearchOptions Transduce::search_options() const {
  SearchOptions options;
  options.start = Vocabulary::start;
  options.stop = Vocabulary::stop;
  options.never = {Vocabulary::pad, Vocabulary::unknown, Vocabulary::start};
  return options;
}

std::string Transduce::target_text(std::span<const std::int32_t> symbols) const {
  std::vector<std::string> tokens;
  for (const std::int32_t symbol : symbols) tokens.push_back(target_.text(symbol));
  return target_unit_.join(tokens);
}

Output Transduce::output(const std::string& source, std::span<const Answer> answers) const {
  Output out;
  out.source_text = source;
  for (const Piece& piece : source_unit_.cut(source)) {
    out.source.push_back({std::string(piece.text), piece.start, piece.end});
  }
  const int end = out.source.empty() ? 0 : out.source.back().end;
  out.source.push_back({source_.text(Vocabulary::stop), end, end});
  for (const Answer& answer : answers) out.nbest.push_back({target_text(answer.symbols), answer.score});
  if (answers.empty()) return out;
  const Answer& best = answers[0];
  out.text = out.nbest[0].text;
  out.score = best.score;
  for (std::size_t i = 0; i < best.steps.size(); ++i) {
    const StepExplanation& step = best.steps[i];
    OutputStep shown;
    shown.token = target_.text(i < best.symbols.size() ? best.symbols[i] : Vocabulary::stop);
    shown.probability = step.probability;
    for (const auto& [symbol, probability] : step.alternatives) {
      shown.alternatives.push_back({target_.text(symbol), probability});
    }
    for (const auto& look : step.looks) {
      // The batch may be wider than this source.
      const auto real = static_cast<std::ptrdiff_t>(std::min(look.weights.size(), out.source.size()));
      shown.looks.push_back({{look.scores.begin(), look.scores.begin() + real},
                             {look.weights.begin(), look.weights.begin() + real},
                             look.context_norm});
    }
    if (i == 0) out.maps.resize(shown.looks.size(), {0, 0, "source"});
    out.steps.push_back(std::move(shown));
  }
  return out;
}

}  // namespace fovea
