#include "evaluation/attention_figures.h"

#include <algorithm>
#include <cmath>

#include "inference/looking.h"
#include "tasks/alignment_quality.h"

namespace fovea {

namespace {

struct AttentionFigure {
  const char* name;
  Better better;
  double (AlignmentQuality::*value)() const;
  bool needs_links;
  const AlignmentQuality::Agreement& (AlignmentQuality::*agreement)() const = nullptr;  // of which it is made
};

constexpr AttentionFigure attention_figures[] = {
    {"entropy", Better::neither, &AlignmentQuality::entropy, false},
    {"stop_mass", Better::neither, &AlignmentQuality::stop_mass, false},
    {"aer", Better::lower, &AlignmentQuality::aer, true, &AlignmentQuality::at_word},
    {"aer_next", Better::neither, &AlignmentQuality::aer_next, true, &AlignmentQuality::after_word},
    {"aer_previous", Better::neither, &AlignmentQuality::aer_previous, true, &AlignmentQuality::before_word},
    {"link_mass", Better::higher, &AlignmentQuality::mass, true},
    {"link_mass_next", Better::neither, &AlignmentQuality::shifted_mass, true},
    {"link_mass_previous", Better::neither, &AlignmentQuality::shifted_back_mass, true}};

struct Measured {
  AlignmentQuality quality;
  std::vector<AlignmentQuality> linked;  // of each line with links
  double flat = 0;                       // mean entropy of attention that knows nothing
};

Measured measure(std::span<const Looked> looked, std::span<const Encoding> encoded) {
  Measured measured;
  for (std::size_t i = 0; i < looked.size(); ++i) {
    const Looked& one = looked[i];
    measured.flat += std::log(std::max(1, one.positions)) / static_cast<double>(looked.size());
    if (one.weights.empty()) continue;
    if (!encoded[i].links.empty()) {
      measured.quality.add(one.weights, one.steps, one.positions, encoded[i].links);
      measured.linked.emplace_back().add(one.weights, one.steps, one.positions, encoded[i].links);
    } else {
      measured.quality.add_unlinked(one.weights, one.steps, one.positions);
    }
  }
  return measured;
}

void warn(const Measured& measured, bool links, std::vector<std::string>& warnings) {
  const AlignmentQuality& quality = measured.quality;
  if (quality.stop_mass() > 0.3) {
    warnings.push_back(fmt::format("{:.0f} % of the attention rests on the stop symbol: maps say little about words",
                                   100 * quality.stop_mass()));
  }
  if (quality.entropy() > 0.8 * measured.flat) {
    warnings.emplace_back("the attention is nearly flat: maps say little");
  }
  if (links && std::max(quality.shifted_mass(), quality.shifted_back_mass()) > quality.mass() + 0.1) {
    warnings.push_back(fmt::format("the attention is off by one: the step {} looks more at what a word comes from",
                                   quality.shifted_mass() > quality.shifted_back_mass() ? "after" : "before"));
  }
}

}  // namespace

void add_attention_figures(const Model& model, Workers& workers, std::span<const Example> examples,
                           Evaluation& evaluation) {
  std::vector<Encoding> encoded;
  for (const Example& example : examples) encoded.push_back(model.task().encode(example));
  const bool links = std::ranges::any_of(examples, [](const Example& e) { return !e.alignment.empty(); });
  const std::vector<Looked> looked = look(model, workers, encoded);
  if (looked.empty()) {
    if (links) throw usage_error("the data have links, but this model has no attention to single source symbols");
    return;
  }
  const Measured measured = measure(looked, encoded);
  for (const AttentionFigure& figure : attention_figures) {
    if (figure.needs_links && !links) continue;
    if (!figure.agreement || measured.linked.empty()) {
      evaluation.figures.push_back({figure.name, (measured.quality.*figure.value)(), figure.better});
      continue;
    }
    std::vector<double> rows;
    for (const AlignmentQuality& line : measured.linked) {
      const AlignmentQuality::Agreement& own = (line.*figure.agreement)();
      rows.insert(rows.end(), {static_cast<double>(own.agreed), static_cast<double>(own.links)});
    }
    evaluation.figures.push_back(
        figure_of_sums(figure.name, figure.better, std::move(rows), AlignmentQuality::Agreement::error_of, workers));
  }
  warn(measured, links, evaluation.warnings);
}

std::vector<Figure> known_attention_figures() {
  std::vector<Figure> known;
  for (const AttentionFigure& figure : attention_figures) known.push_back({figure.name, 0, figure.better});
  return known;
}

}  // namespace fovea
