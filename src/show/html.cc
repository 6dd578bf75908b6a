#include "show/html.h"

#include <fmt/core.h>

#include <cmath>

#include "show/heat_map.h"
#include "show/markup.h"
#include "show/media_svg.h"
#include "show/page.h"
#include "show/svg.h"
#include "show/warnings.h"

namespace fovea {
namespace {

std::string label_cell(const Label& label) {
  return fmt::format("<th title=\"{}\"><bdi>{}</bdi></th>", escape(label.name), escape(label.text));
}

std::string number_cell(std::string_view text) { return fmt::format("<td class=\"number\">{}</td>", text); }

std::string weight_table(const HeatMap& heat_map) {
  std::string text = "<details><summary>The weights as a table</summary>\n<table class=\"weights\">\n<tr><th></th>";
  for (const Label& column : heat_map.columns) text += label_cell(column);
  text += "</tr>\n";
  for (std::size_t row = 0; row < heat_map.rows.size(); ++row) {
    text += "<tr>" + label_cell(heat_map.rows[row]);
    for (std::size_t column = 0; column < heat_map.columns.size(); ++column) {
      const double weight = heat_map.weight(row, column);
      text += std::isfinite(weight) ? fmt::format("<td>{:.3f}</td>", weight) : "<td>–</td>";
    }
    text += "</tr>\n";
  }
  return text + "</table></details>\n";
}

std::string step_table(const Output& output) {
  bool gated = false;
  for (const OutputStep& step : output.steps) gated = gated || step.copy_gate.has_value();
  std::string text = "<h2>Step by step</h2>\n<div class=\"card\"><table>\n<tr><th>step</th><th>token</th>";
  text += fmt::format("<th>probability</th>{}<th>alternatives</th></tr>\n", gated ? "<th>copy gate</th>" : "");
  for (std::size_t i = 0; i < output.steps.size(); ++i) {
    const OutputStep& step = output.steps[i];
    text += fmt::format("<tr>{}<td class=\"text\"><bdi>{}</bdi></td>{}", number_cell(fmt::format("{}", i)),
                        escape(output_label(step.token).text), number_cell(percent(step.probability)));
    if (gated) text += number_cell(step.copy_gate ? percent(*step.copy_gate) : "");
    text += "<td class=\"text\">";
    for (const Alternative& other : step.alternatives) {
      text +=
          fmt::format("<bdi>{}</bdi> {} &#160; ", escape(output_label(other.token).text), percent(other.probability));
    }
    text += "</td></tr>\n";
  }
  return text + "</table></div>\n";
}

std::string nbest_table(const Output& output) {
  std::string text = "<h2>Best answers</h2>\n<div class=\"card\"><table>\n";
  text += "<tr><th></th><th>answer</th><th>score</th></tr>\n";
  for (std::size_t i = 0; i < output.nbest.size(); ++i) {
    text += fmt::format("<tr>{}<td class=\"text\">{}</td>{}</tr>\n", number_cell(fmt::format("{}", i + 1)),
                        bdi(output.nbest[i].text), number_cell(fmt::format("{:.4f}", output.nbest[i].score)));
  }
  return text + "</table></div>\n";
}

std::string html_saliency(const Output& output) {
  const HeatMap saliency = saliency_map(output);
  if (saliency.rows.empty()) return "";
  std::string text = "<h2>What gradients say</h2>\n<div class=\"card\">" + draw_svg(output, saliency, false);
  for (std::size_t map = 0; map < output.maps.size(); ++map) {
    text += fmt::format("<p>{}</p>\n", correlation_line(output, map));
  }
  return text + "</div>\n";
}

std::string html_own_maps(const Output& output) {
  if (output.self_maps.empty()) return "";
  std::string text = "<h2>Self-attention</h2>\n<div class=\"cards\">\n";
  for (std::size_t map = 0; map < output.self_maps.size(); ++map) {
    text += "<div class=\"card\">" + draw_svg(output, own_map(output, map), false) + "</div>\n";
  }
  return text + "</div>\n";
}

}  // namespace

std::string html_answer(const Output& output) {
  return fmt::format(
      "<dl class=\"answer\"><dt>source</dt><dd>{}</dd><dt>answer</dt><dd class=\"result\">{}</dd>"
      "<dt>score</dt><dd>{:.4g}</dd></dl>\n{}",
      bdi(output.read_text()), bdi(output.text), output.score,
      output.finished ? "" : fmt::format("<p class=\"warning\">{}</p>\n", unfinished_line));
}

std::string html_maps(const Output& output) {
  if (output.maps.empty()) return fmt::format("<p>{}</p>\n", no_maps_line);
  constexpr std::size_t small_map = 24;  // positions that stay readable at half the width of a page
  const bool side_by_side = output.maps.size() > 1 && output.source.size() <= small_map;
  std::string text;
  if (output.left_out.any()) text = fmt::format("<p class=\"standing\">{}</p>\n", left_out_note(output));
  text += side_by_side ? "<div class=\"cards\">\n" : "<div>\n";
  for (std::size_t map = 0; map < output.maps.size(); ++map) {
    const HeatMap heat_map = heat_map_of(output, map);
    text += "<div class=\"card\">";
    for (const std::string& seen : draw_media_svgs(output, heat_map, false)) text += seen;
    text += draw_svg(output, {map, false});
    for (const std::string& warning : warnings(output, map)) {
      text += fmt::format("<p class=\"warning\">{}</p>\n", escape(warning));
    }
    text += weight_table(heat_map) + "</div>\n";
  }
  return text + "</div>\n" + html_saliency(output) + html_own_maps(output);
}

std::string draw_html(std::span<const Output> outputs) {
  std::string body = "<h1>What the model looked at</h1>\n";
  for (const Output& output : outputs) {
    body += html_answer(output);
    if (&output == &outputs[0]) body += fmt::format("<p class=\"standing\">{}</p>\n", standing_line);
    body += html_maps(output);
    if (!output.steps.empty()) body += step_table(output);
    if (!output.nbest.empty()) body += nbest_table(output);
  }
  return page(outputs[0].text + " – attention", body);
}

}  // namespace fovea
