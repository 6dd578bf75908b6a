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
};

constexpr AttentionFigure attention_figures[] = {
    {"entropy", Better::neither, &AlignmentQuality::entropy, false},
    {"stop_mass", Better::neither, &AlignmentQuality::stop_mass, false},
    {"aer", Better::lower, &AlignmentQuality::aer, true},
    {"link_mass", Better::higher, &AlignmentQuality::mass, true},
    {"link_mass_next", Better::neither, &AlignmentQuality::shifted_mass, true},
    {"link_mass_previous", Better::neither, &AlignmentQuality::shifted_back_mass, true}};

struct Measured {
  AlignmentQuality quality;
  std::vector<double> aer;  // what each line with links adds to the sums of which it is made, two numbers each
  double flat = 0;          // mean entropy of attention that knows nothing
};

Measured measure(std::span<const Looked> looked, std::span<const Encoding> encoded) {
  Measured measured;
  for (std::size_t i = 0; i < looked.size(); ++i) {
    const Looked& one = looked[i];
    measured.flat += std::log(std::max(1, one.positions)) / static_cast<double>(looked.size());
    if (one.weights.empty()) continue;
    if (!encoded[i].links.empty()) {
      measured.quality.add(one.weights, one.steps, one.positions, encoded[i].links);
      AlignmentQuality alone;
      alone.add(one.weights, one.steps, one.positions, encoded[i].links);
      measured.aer.push_back(static_cast<double>(alone.agreed()));
      measured.aer.push_back(static_cast<double>(alone.links()));
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
    evaluation.figures.push_back({figure.name, (measured.quality.*figure.value)(), figure.better});
    if (figure.value != &AlignmentQuality::aer || measured.aer.empty()) continue;
    const auto aer = [](std::span<const double> sums) {
      return std::vector{sums[1] == 0 ? 0.0 : 1 - sums[0] / sums[1]};
    };
    evaluation.figures.back().interval = bootstrap_intervals({measured.aer, 2}, aer, workers)[0];
  }
  warn(measured, links, evaluation.warnings);
}

std::vector<Figure> known_attention_figures() {
  std::vector<Figure> known;
  for (const AttentionFigure& figure : attention_figures) known.push_back({figure.name, 0, figure.better});
  return known;
}

}  // namespace fovea
