#include "show/steps_table.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/as_size.h"
#include "base/utf8.h"
#include "show/heat_map.h"
#include "show/terminal.h"

namespace fovea {

namespace {

constexpr int max_token = 20;

std::string token_cell(const Label& label, int columns) {
  const std::string text = shorten(label.text, columns);
  return isolate(text) + std::string(as_size(std::max(0, columns - display_width(text))), ' ');
}

std::string step_title(const OutputStep& step, std::size_t number) {
  std::string text = fmt::format("step {}: {} {}", number, isolate(output_label(step.token).text),
                                 fmt::format("{:.4f}", step.probability));
  if (step.copy_gate) text += fmt::format(", copied {:.4f}", *step.copy_gate);
  std::string others;
  for (const Alternative& other : step.alternatives) {
    if (other.token == step.token) continue;
    others += fmt::format("{}{} {:.4f}", others.empty() ? "" : ", ", isolate(output_label(other.token).text),
                          other.probability);
  }
  return text + (others.empty() ? "\n" : fmt::format("  (rather than {})\n", others));
}

}  // namespace

std::string draw_steps(const Output& output) {
  int width = 5;
  for (const SourceToken& token : output.source)
    width = std::max(width, std::min(source_label(token).width, max_token));
  std::string text = draw_answer(output);
  for (std::size_t i = 0; i < output.steps.size(); ++i) {
    const OutputStep& step = output.steps[i];
    text += step_title(step, i);
    const bool salient = !step.saliency.empty();
    for (std::size_t map = 0; map < std::min(step.looks.size(), output.maps.size()); ++map) {
      const AttentionRow& look = step.looks[map];
      if (output.maps[map].heads > 1) continue;  // a mean has no scores
      text += "  " + map_title(output, map);
      text += output.maps[map].pointing ? "\n" : fmt::format(", context norm {:.4f}\n", look.context_norm);
      text += fmt::format("  position  {:<{}}  {:>11}  {:>8}{}\n", "token", width, "score", "weight",
                          salient ? "   saliency" : "");
      for (std::size_t k = 0; k < look.weights.size(); ++k) {
        const Label label = k < output.source.size() ? source_label(output.source[k]) : label_of("");
        text += fmt::format("  {:>8}  {}  {:>11.4f}  {:>8.4f}", k, token_cell(label, width),
                            k < look.scores.size() ? look.scores[k] : 0.0f, look.weights[k]);
        text += salient && k < step.saliency.size() ? fmt::format("  {:>+9.4f}\n", step.saliency[k]) : "\n";
      }
    }
  }
  return text;
}

}  // namespace fovea
