#include "show/comparison.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "base/as_size.h"
#include "base/counted.h"
#include "base/json.h"
#include "base/utf8.h"
#include "show/markup.h"
#include "show/page.h"
#include "show/svg.h"
#include "show/warnings.h"
#include "tasks/criterion.h"

namespace fovea {

namespace {

std::vector<double> values_of(const std::vector<ComparedRun>& runs, double (*value)(const ComparedRun&)) {
  std::vector<double> values;
  for (const ComparedRun& run : runs) values.push_back(value(run));
  return values;
}

std::string summary(const Comparison& c) {
  return fmt::format("{}, {}, budget {} each, {}; {} to train on, {} held out", counted(c.rows.size(), "combination"),
                     counted(c.seeds, "seed"), c.budget, counted(c.threads, "thread"),
                     counted(c.training_lines, "line"), c.held_out_lines);
}

std::string about_intervals(const Comparison& c) {
  return c.seeds == 1 ? "[low, high]: 95 % confidence over the held-out lines; one seed says nothing about others"
                      : "[low, high]: 95 % confidence, Student's t over the seeds; times are means, memory is the most";
}

// Of the metrics two: with their intervals all of them would not fit.
std::vector<std::string> figure_names(const Comparison& c) {
  std::vector<std::string> names;
  for (const Metric* metric : leading_metrics(Criterion(c.metric))) names.emplace_back(metric->name);
  names.insert(names.end(), {"parameters", "train s", "ms/line", "peak MiB"});
  return names;
}

std::string with_interval(const Figure& figure) {
  return figure.interval
             ? fmt::format("{:.4f} [{:.4f}, {:.4f}]", figure.value, figure.interval->low, figure.interval->high)
             : fmt::format("{:.4f}", figure.value);
}

// One text for each of figure_names.
std::vector<std::string> figure_texts(const Comparison& c, const ComparedFigures& f) {
  std::vector<std::string> texts;
  for (const Metric* metric : leading_metrics(Criterion(c.metric))) {
    const Figure* figure = find_figure(f.metrics, metric->name);
    texts.push_back(figure ? with_interval(*figure) : "-");
  }
  texts.insert(texts.end(), {fmt::format("{}", f.parameters), fmt::format("{:.1f}", f.train_seconds),
                             fmt::format("{:.3f}", f.predict_ms), fmt::format("{:.0f}", f.peak_mib)});
  return texts;
}

// An empty list is a value, too.
std::string shown_value(const std::string& value) { return value.empty() ? "(none)" : printable(value); }

std::string title_of(const Comparison& c, const ComparedSettings& row) {
  std::string title;
  for (std::size_t i = 0; i < c.names.size(); ++i) {
    title += fmt::format("{}{}={}", i ? ", " : "", c.names[i], shown_value(row.values[i]));
  }
  return title;
}

std::string padded(const std::string& text, std::size_t width, bool to_the_right) {
  const std::size_t own = as_size(display_width(text));
  const std::string space(width > own ? width - own : 0, ' ');
  return to_the_right ? space + text : text + space;
}

std::string html_table(const Comparison& c) {
  std::string text = "<div class=\"card\"><table>\n<tr>";
  for (const std::string& name : c.names) text += fmt::format("<th>{}</th>", escape_text(name));
  const std::vector<std::string> figures = figure_names(c);
  for (const std::string& name : figures) text += fmt::format("<th>{}</th>", name);
  text += "</tr>\n";
  for (const ComparedSettings& row : c.rows) {
    text += "<tr>";
    for (const std::string& value : row.values)
      text += fmt::format("<td class=\"text\">{}</td>", bdi(shown_value(value)));
    if (!row.runs.empty()) {
      for (const std::string& figure : figure_texts(c, figures_of(row, c.seeds))) {
        text += fmt::format("<td class=\"number\">{}</td>", figure);
      }
    }
    text += "</tr>\n";
    if (!row.trouble.empty()) {
      text += fmt::format("<tr><td></td><td class=\"bad\" colspan=\"{}\">{}</td></tr>\n",
                          c.names.size() - 1 + figures.size(), escape_text(row.trouble));
    }
  }
  return text + "</table></div>\n";
}

// The first map in sight, further layers and heads folded away.
std::string html_card(const std::string& title, const Output& output, const std::string& target) {
  std::string text = fmt::format("<div class=\"card\"><p><code>{}</code><br/><span class=\"{}\">{}</span> {}</p>\n",
                                 escape_text(title), output.is(target) ? "good" : "bad", output.is(target) ? "✓" : "✗",
                                 bdi(output.text));
  if (output.maps.empty()) return text + fmt::format("<p>{}</p></div>\n", no_maps_line);
  text += draw_svg(output, {0, false});
  if (output.maps.size() > 1) text += "<details><summary>further maps</summary>\n";
  for (std::size_t map = 1; map < output.maps.size(); ++map) text += draw_svg(output, {map, false});
  return text + (output.maps.size() > 1 ? "</details></div>\n" : "</div>\n");
}

std::string html_examples(const Comparison& c) {
  std::string text = fmt::format("<h2>Where they looked</h2>\n<p class=\"standing\">{}</p>\n", standing_line);
  for (std::size_t i = 0; i < c.targets.size(); ++i) {
    std::string cards, source;
    for (const ComparedSettings& row : c.rows) {
      if (row.runs.empty() || row.runs.front().examples.size() <= i) continue;
      const Output& output = row.runs.front().examples[i];
      source = output.read_text();
      cards += html_card(title_of(c, row), output, c.targets[i]);
    }
    if (cards.empty()) continue;
    text += fmt::format(
        "<dl class=\"answer\"><dt>source</dt><dd>{}</dd><dt>wanted</dt><dd class=\"result\">{}</dd></dl>\n"
        "<div class=\"cards\">\n{}</div>\n",
        bdi(source), bdi(c.targets[i]), cards);
  }
  return text;
}

OrderedJson json_of(const Figure& figure) {
  OrderedJson object = {{"mean", figure.value}};
  if (figure.interval) object["low"] = figure.interval->low, object["high"] = figure.interval->high;
  return object;
}

OrderedJson json_of(const ComparedRun& run) {
  OrderedJson object = {{"seed", run.seed}};
  for (const Figure& figure : run.metrics) object[figure.name] = figure.value;
  object["parameters"] = run.parameters;
  object["updates"] = run.updates;
  object["train_seconds"] = run.train_seconds;
  object["predict_ms_per_line"] = run.predict_ms();
  object["peak_mib"] = run.peak_mib;
  return object;
}

// Its mean over the runs; nothing if one of them does not have it.
std::optional<Figure> figure_of(const Metric& metric, const ComparedSettings& row, std::int64_t seeds) {
  std::vector<double> values;
  for (const ComparedRun& run : row.runs) {
    const Figure* figure = find_figure(run.metrics, metric.name);
    if (!figure) return {};
    values.push_back(figure->value);
  }
  if (seeds == 1) return *find_figure(row.runs[0].metrics, metric.name);
  Figure figure = {.name = std::string(metric.name), .value = mean(values)};
  if (values.size() > 1) {
    const Interval interval = student_interval(values);
    figure.interval = {std::max(0.0, interval.low), std::min(metric.most, interval.high)};  // none lies outside
  }
  return figure;
}

}  // namespace

ComparedFigures figures_of(const ComparedSettings& row, std::int64_t seeds) {
  ComparedFigures f;
  for (const Metric* metric : metrics()) {
    if (std::optional<Figure> figure = figure_of(*metric, row, seeds)) f.metrics.push_back(std::move(*figure));
  }
  f.parameters = row.runs[0].parameters;
  f.train_seconds = mean(values_of(row.runs, [](const ComparedRun& run) { return run.train_seconds; }));
  f.predict_ms = mean(values_of(row.runs, [](const ComparedRun& run) { return run.predict_ms(); }));
  f.peak_mib = std::ranges::max(values_of(row.runs, [](const ComparedRun& run) { return run.peak_mib; }));
  return f;
}

std::string draw_comparison(const Comparison& c) {
  std::vector<std::vector<std::string>> lines = {c.names};
  const std::vector<std::string> figures = figure_names(c);
  lines[0].insert(lines[0].end(), figures.begin(), figures.end());
  for (const ComparedSettings& row : c.rows) {
    std::vector<std::string>& line = lines.emplace_back();
    for (const std::string& value : row.values) line.push_back(shown_value(value));
    if (row.runs.empty()) continue;
    for (std::string& figure : figure_texts(c, figures_of(row, c.seeds))) line.push_back(std::move(figure));
  }
  std::vector<std::size_t> widths(lines[0].size());
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      widths[i] = std::max(widths[i], as_size(display_width(line[i])));
    }
  }
  std::string text = summary(c) + "\n" + about_intervals(c) + "\n\n";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string out;
    for (std::size_t k = 0; k < lines[i].size(); ++k) {
      out += (k ? "  " : "") + padded(lines[i][k], widths[k], k + 4 >= lines[0].size());
    }
    if (i > 0 && !c.rows[i - 1].trouble.empty()) out += "  " + printable(c.rows[i - 1].trouble);
    text += out.substr(0, out.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string comparison_to_tsv(const Comparison& c) {
  std::string text;
  for (const std::string& name : c.names) text += name + "\t";
  for (const std::string& name : metrics().names()) text += fmt::format("{0}\t{0}_low\t{0}_high\t", name);
  text += "parameters\ttrain_seconds\tpredict_ms_per_line\tpeak_mib\tseeds\ttrouble\n";
  for (const ComparedSettings& row : c.rows) {
    for (const std::string& value : row.values) text += printable(value) + "\t";
    const ComparedFigures f = row.runs.empty() ? ComparedFigures() : figures_of(row, c.seeds);
    for (const std::string& name : metrics().names()) {
      const Figure* figure = find_figure(f.metrics, name);
      text += figure ? fmt::format("{}\t", figure->value) : "\t";
      text +=
          figure && figure->interval ? fmt::format("{}\t{}\t", figure->interval->low, figure->interval->high) : "\t\t";
    }
    text += row.runs.empty() ? "\t\t\t\t"
                             : fmt::format("{}\t{}\t{}\t{}\t", f.parameters, f.train_seconds, f.predict_ms, f.peak_mib);
    text += fmt::format("{}\t{}\n", row.runs.size(), printable(row.trouble));
  }
  return text;
}

std::string comparison_to_json(const Comparison& c) {
  OrderedJson object = {{"schema", "fovea.comparison/1"},
                        {"varied", c.names},
                        {"budget", c.budget},
                        {"seeds", c.seeds},
                        {"threads", c.threads},
                        {"training_lines", c.training_lines},
                        {"held_out_lines", c.held_out_lines},
                        {"interval", c.seeds == 1 ? "lines" : "seeds"},
                        {"rows", OrderedJson::array()}};
  for (const ComparedSettings& row : c.rows) {
    OrderedJson line = {{"settings", OrderedJson::object()}};
    for (std::size_t i = 0; i < c.names.size(); ++i) line["settings"][c.names[i]] = row.values[i];
    if (!row.runs.empty()) {
      const ComparedFigures f = figures_of(row, c.seeds);
      for (const Figure& figure : f.metrics) line[figure.name] = json_of(figure);
      line["parameters"] = f.parameters;
      line["train_seconds"] = f.train_seconds;
      line["predict_ms_per_line"] = f.predict_ms;
      line["peak_mib"] = f.peak_mib;
    }
    line["runs"] = OrderedJson::array();
    for (const ComparedRun& run : row.runs) line["runs"].push_back(json_of(run));
    if (!row.trouble.empty()) line["trouble"] = row.trouble;
    object["rows"].push_back(std::move(line));
  }
  return json_text(object) + "\n";
}

std::string draw_comparison_page(const Comparison& c) {
  std::string body = "<h1>Comparison</h1>\n";
  if (!c.command.empty()) body += fmt::format("<p><code>{}</code></p>\n", escape_text(c.command));
  body += fmt::format("<p>{}.<br/>{}.</p>\n", escape_text(summary(c)), escape_text(about_intervals(c)));
  body += html_table(c);
  if (!c.curves.empty()) body += "<h2>Training</h2>\n" + html_curves(c.curves);
  return page("Comparison", body + html_examples(c));
}

}  // namespace fovea
