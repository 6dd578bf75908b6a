#include "evaluation/evaluation.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/core.h>

#include "base/json.h"
#include "base/nearest.h"
#include "base/streams.h"
#include "cli/columns_for.h"
#include "cli/commands.h"
#include "cli/complaint.h"
#include "cli/models.h"
#include "cli/out.h"

namespace fovea {

namespace {

// What a figure must reach, or must not pass.
struct Gate {
  std::string figure;
  double value = 0;
  bool least = true;  // --min, else --max

  const char* flag() const { return least ? "--min" : "--max"; }
  const char* words() const { return least ? "at least" : "at most"; }
};

Gate parse_gate(const std::string& text, bool least) {
  const std::size_t equals = text.find('=');
  Gate gate{text.substr(0, equals), 0, least};
  const char* start = text.data() + (equals == std::string::npos ? text.size() : equals + 1);
  const char* end = text.data() + text.size();
  const auto [rest, failure] = std::from_chars(start, end, gate.value);
  const std::vector<Figure> known = known_figures();
  if (failure != std::errc() || rest != end || gate.figure.empty() || !std::isfinite(gate.value)) {
    const auto example = std::ranges::find(known, least ? Better::higher : Better::lower, &Figure::better);
    throw usage_error("{} {}: wanted is metric=value, such as {}=0.{}", gate.flag(), text, example->name,
                      least ? "99" : "05");
  }
  const Figure* found = find_figure(known, gate.figure);
  if (!found) {
    std::vector<std::string> names;
    for (const Figure& figure : known) names.push_back(figure.name);
    throw unknown_name("metric", gate.figure, names);
  }
  if (found->better == (least ? Better::lower : Better::higher)) {
    throw usage_error("{} {}: of {} {} is better; give the {} that will do with {} {}", gate.flag(), text, found->name,
                      least ? "less" : "more", least ? "most" : "least", least ? "--max" : "--min", text);
  }
  return gate;
}

int check_gates(const std::vector<Gate>& gates, const std::vector<Figure>& figures) {
  int status = 0;
  for (const Gate& gate : gates) {
    const Figure* found = find_figure(figures, gate.figure);
    if (!found) {
      throw usage_error("{} {}: not measured here; entropy and stop_mass need attention, the others links as well",
                        gate.flag(), gate.figure);
    }
    if (gate.least ? found->value >= gate.value : found->value <= gate.value) continue;
    say(fmt::format("missed: {} is {:.6g}, wanted {} {:.6g}\n", found->name, found->value, gate.words(), gate.value));
    status = static_cast<int>(ErrorKind::gate);
  }
  return status;
}

std::string line_of(const Figure& figure) {
  if (figure.count) return fmt::format("{:<18} {}\n", figure.name, static_cast<std::int64_t>(figure.value));
  const std::string interval =
      figure.interval ? fmt::format("  [{:.4f}, {:.4f}]", figure.interval->low, figure.interval->high) : "";
  return fmt::format("{:<18} {:.4f}{}\n", figure.name, figure.value, interval);
}

std::string table_of(const Evaluation& evaluation) {
  std::string text;
  for (const Figure& figure : evaluation.figures) text += line_of(figure);
  text += "[low, high]: 95 % confidence over the sources\n\ntarget length  sources";
  const auto width = [](const std::string& name) { return std::max<std::size_t>(name.size(), 8); };
  for (const auto& [name, value] : evaluation.by_length.front().metrics)
    text += fmt::format(" {:>{}}", name, width(name));
  for (const LengthRow& row : evaluation.by_length) {
    text += fmt::format("\n{:>6} - {:<6} {:>6}", row.shortest, row.longest, row.sources);
    for (const auto& [name, value] : row.metrics) text += fmt::format(" {:>{}.4f}", value, width(name));
  }
  return text + "\n";
}

std::string json_of(const Evaluation& evaluation) {
  OrderedJson object;
  for (const Figure& figure : evaluation.figures) {
    if (figure.count) {
      object[figure.name] = static_cast<std::int64_t>(figure.value);
    } else {
      object[figure.name] = figure.value;
    }
    if (!figure.interval) continue;
    object[figure.name + "_low"] = figure.interval->low;
    object[figure.name + "_high"] = figure.interval->high;
  }
  return json_text(object) + "\n";
}

}  // namespace

int EvaluateCommand::run() const {
  std::vector<Gate> gates;
  for (const std::string& text : minimums) gates.push_back(parse_gate(text, true));
  for (const std::string& text : maximums) gates.push_back(parse_gate(text, false));
  const int asked = threads > 0 ? threads : Workers::default_count();
  const auto [models, data] = split_models(words);
  Predictor predictor(models, asked, int8 ? Precision::int8 : Precision::full);
  complain_of_threads(asked, predictor.threads());
  const Model& opened = predictor.model();
  const std::int64_t longest = max_length > 0 ? max_length : opened.config().max_length;
  if (data.empty()) opened.task().check_columns(Columns());  // of files with one column each
  std::vector<std::string> names = columns_for(opened, columns).names();
  if (columns.empty() && !alignment_file.empty()) std::ranges::replace(names, "alignment", "skip");
  const Pairs pairs = read_pairs({.file = data,
                                  .source_file = source_file,
                                  .target_file = target_file,
                                  .alignment_file = alignment_file,
                                  .columns = names,
                                  .bad_lines = parse_bad_lines(on_bad_line),
                                  .max_length = longest});
  if (const std::string left_out = describe(pairs); !left_out.empty()) say(left_out + "\n");
  const Evaluation evaluation =
      evaluate(predictor, pairs.examples, {.answer = {.search = search}, .max_length = longest});
  for (const std::string& warning : evaluation.warnings) say("warning: " + warning + "\n");
  write_out(json ? json_of(evaluation) : table_of(evaluation));
  flush_out();
  return check_gates(gates, evaluation.figures);
}

}  // namespace fovea
