#include "show/report.h"

#include <fmt/core.h>

#include <cmath>
#include <utility>

#include "base/counted.h"
#include "show/chart.h"
#include "show/html.h"
#include "show/label.h"
#include "show/markup.h"
#include "show/page.h"
#include "show/warnings.h"

namespace fovea {
namespace {

Series series_of(const RunReport& report, std::string name, std::optional<double> RunPoint::* value) {
  Series series{std::move(name), {}};
  for (const RunPoint& point : report.points) {
    if (point.*value) series.points.push_back({static_cast<double>(point.update), *(point.*value)});
  }
  return series;
}

// The first of the best, as the trainer keeps it.
std::vector<ChartPoint> best_of(const Series& series, bool higher_is_better) {
  std::vector<ChartPoint> best;
  for (const ChartPoint& point : series.points) {
    if (!std::isfinite(point.y)) continue;
    if (best.empty() || (higher_is_better ? point.y > best[0].y : point.y < best[0].y)) best = {point};
  }
  return best;
}

std::string summary(const RunReport& report, const std::vector<ChartPoint>& best) {
  if (report.points.empty()) return "<p>Nothing has been recorded yet.</p>\n";
  const RunPoint& last = report.points.back();
  std::string text = fmt::format("<p>{}, {:.4g} epoch{}, {:.1f} s.", counted(last.update, "update"), last.epoch,
                                 plural(last.epoch), last.seconds);
  if (!best.empty()) {
    text += fmt::format(" Best {} on the held-out lines: <strong>{:.4g}</strong>, at update {:.0f}.",
                        escape_text(report.metric), best[0].y, best[0].x);
  }
  return text + "</p>\n";
}

std::string in_cards(const std::vector<Chart>& charts) {
  std::string text = "<div class=\"cards charts\">";
  for (const Chart& chart : charts) text += fmt::format("<div class=\"card\">{}</div>", draw_chart(chart));
  return text + "</div>\n";
}

// Where nothing was recorded there is no chart, but for the loss.
void add_chart(std::vector<Chart>& charts, Chart chart) {
  std::erase_if(chart.series, [](const Series& series) { return series.points.empty(); });
  if (!chart.series.empty() || charts.empty()) charts.push_back(std::move(chart));
}

std::string curves(const RunReport& report, const Series& score, const std::vector<ChartPoint>& best) {
  std::vector<Chart> charts;
  add_chart(charts,
            {"loss",
             "update",
             {series_of(report, "training", &RunPoint::loss), series_of(report, "held-out", &RunPoint::held_out_loss)},
             {}});
  charts.push_back({report.metric + " on the held-out lines", "update", {score}, best});
  add_chart(charts, {report.second_metric + " on the held-out lines",
                     "update",
                     {series_of(report, report.second_metric, &RunPoint::second)},
                     {}});
  add_chart(charts, {"learning rate", "update", {series_of(report, "rate", &RunPoint::rate)}, {}});
  add_chart(charts, {"gradient norm", "update", {series_of(report, "norm", &RunPoint::gradient)}, {}});
  return in_cards(charts);
}

std::string settings(const RunReport& report) {
  return fmt::format("<details><summary>Settings</summary><pre>{}</pre></details>\n", escape(report.settings));
}

std::string errors(const RunReport& report) {
  std::string text;
  if (!report.worst.empty()) {
    text +=
        "<h2>Worst errors</h2>\n<div class=\"card\"><table>\n<tr><th>edits</th><th>source</th><th>wanted</th>"
        "<th>answered</th></tr>\n";
    for (const RunReport::Wrong& wrong : report.worst) {
      text += fmt::format(
          "<tr><td class=\"number\">{}</td><td class=\"text\">{}</td><td class=\"text\">{}</td>"
          "<td class=\"text\">{}</td></tr>\n",
          wrong.edits, bdi(wrong.source), bdi(wrong.target), bdi(wrong.answer));
    }
    text += "</table></div>\n";
  }
  if (report.confusions.empty()) return text;
  text += "<h2>Confusions</h2>\n<div class=\"card\"><table>\n<tr><th>wanted</th><th>written</th><th>times</th></tr>\n";
  const auto cell = [](const std::string& symbol) {
    return symbol.empty() ? std::string("<td>nothing</td>")
                          : fmt::format("<td class=\"text\">{}</td>", bdi(label_of(symbol).text));
  };
  for (const Confusion& one : report.confusions) {
    text += fmt::format("<tr>{}{}<td class=\"number\">{}</td></tr>\n", cell(one.wanted), cell(one.written), one.count);
  }
  return text + "</table></div>\n";
}

std::string facts(const RunReport& report) {
  std::string text = "<h2>Facts</h2>\n<div class=\"card\"><table>\n";
  for (const auto& [name, value] : report.facts) {
    text += fmt::format("<tr><th>{}</th><td class=\"text\">{}</td></tr>\n", escape_text(name), bdi(value));
  }
  return text + "</table></div>\n";
}

std::string sample_table(const RunValidation& validation) {
  std::string text = "<div class=\"card\"><table>\n<tr><th></th><th>source</th><th>wanted</th><th>answered</th></tr>\n";
  for (const RunSample& sample : validation.samples) {
    text += fmt::format(
        "<tr><td class=\"{}\">{}</td><td class=\"text\">{}</td><td class=\"text\">{}</td>"
        "<td class=\"text\">{}</td></tr>\n",
        sample.correct ? "good" : "bad", sample.correct ? "✓" : "✗", bdi(sample.source), bdi(sample.target),
        bdi(sample.answer));
  }
  return text + "</table></div>\n";
}

// The latest is open, the earlier ones are folded.
std::string samples(const RunReport& report) {
  std::string text = "<h2>Samples</h2>\n";
  for (auto it = report.validations.rbegin(); it != report.validations.rend(); ++it) {
    const char* open = it == report.validations.rbegin() ? " open=\"open\"" : "";
    text += fmt::format("<details{}><summary>update {}</summary>{}</details>\n", open, it->update, sample_table(*it));
  }
  if (report.earlier_validations > 0) {
    text += fmt::format("<p>The samples of {} are left out.</p>\n",
                        counted(report.earlier_validations, "earlier validation"));
  }
  return text;
}

}  // namespace

std::string html_curves(std::span<const RunReport> reports) {
  std::vector<Chart> charts;
  const auto add = [&](const std::string& title, std::optional<double> RunPoint::* value) {
    Chart chart{title, "update", {}, {}};
    for (const RunReport& report : reports) chart.series.push_back(series_of(report, report.title, value));
    add_chart(charts, std::move(chart));
  };
  add("held-out loss", &RunPoint::held_out_loss);
  add("training loss", &RunPoint::loss);
  add(reports[0].metric + " on the held-out lines", &RunPoint::score);
  add(reports[0].second_metric + " on the held-out lines", &RunPoint::second);
  add("learning rate", &RunPoint::rate);
  add("gradient norm", &RunPoint::gradient);
  return in_cards(charts);
}

std::string draw_report(const RunReport& report) {
  const Series score = series_of(report, report.metric, &RunPoint::score);
  const std::vector<ChartPoint> best = best_of(score, report.higher_is_better);
  std::string body = fmt::format("<h1>{}</h1>\n", escape_text(report.title));
  if (!report.command.empty()) body += fmt::format("<p><code>{}</code></p>\n", escape_text(report.command));
  body += summary(report, best) + curves(report, score, best);
  if (!report.facts.empty()) body += facts(report);
  if (!report.settings.empty()) body += settings(report);
  body += errors(report);
  if (!report.validations.empty()) body += samples(report);
  if (!report.maps.empty()) {
    body += fmt::format("<h2>Where it looked</h2>\n<p class=\"standing\">{}</p>\n", standing_line);
    for (const Output& output : report.maps) body += html_answer(output) + html_maps(output);
  }
  return page(report.title + " – report", body);
}

std::string draw_reports(std::span<const RunReport> reports) {
  if (reports.size() == 1) return draw_report(reports[0]);
  std::string body = fmt::format("<h1>{} runs</h1>\n", reports.size());
  body += html_curves(reports);
  for (const RunReport& report : reports) {
    const Series score = series_of(report, report.metric, &RunPoint::score);
    body += fmt::format("<h2>{}</h2>\n", escape_text(report.title)) +
            summary(report, best_of(score, report.higher_is_better)) + settings(report);
    body += fmt::format("<details><summary>Errors</summary>{}</details>\n", errors(report));
  }
  return page("Runs – report", body);
}

}  // namespace fovea
