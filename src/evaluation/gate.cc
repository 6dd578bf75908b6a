#include "evaluation/gate.h"

#include "base/nearest.h"
#include "evaluation/evaluation.h"

namespace fovea {

namespace {

std::string text_of(const Gate& gate) {
  return fmt::format("`{}` {}={:g}", gate.least ? "min" : "max", gate.figure, gate.value);
}

}  // namespace

void check_gate(const Gate& gate) {
  const std::vector<Figure> known = known_figures();
  const Figure* found = find_figure(known, gate.figure);
  if (!found) {
    std::vector<std::string> names;
    for (const Figure& figure : known) names.push_back(figure.name);
    throw unknown_name("metric", gate.figure, names);
  }
  if (found->better == (gate.least ? Better::lower : Better::higher)) {
    const Gate turned = {gate.figure, gate.value, !gate.least};
    throw usage_error("{}: of {} {} is better; give the {} that will do with {}", text_of(gate), gate.figure,
                      gate.least ? "less" : "more", gate.least ? "most" : "least", text_of(turned));
  }
}

std::string missed(const Gate& gate, std::span<const Figure> figures) {
  const Figure* found = find_figure(figures, gate.figure);
  if (!found) {
    throw usage_error(
        "{}: not measured here; labels and positions have accuracy, macro_f1 and top2, answers of more than one symbol "
        "error rates, models with attention entropy and stop_mass, and lines with links the rest",
        text_of(gate));
  }
  if (gate.least ? found->value >= gate.value : found->value <= gate.value) return {};
  return fmt::format("{} is {:.6g}, wanted {} {:.6g}", found->name, found->value, gate.least ? "at least" : "at most",
                     gate.value);
}

}  // namespace fovea
