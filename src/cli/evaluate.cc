#include "evaluation/evaluation.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/core.h>

#include "base/files.h"
#include "base/streams.h"
#include "base/utf8.h"
#include "cli/commands.h"
#include "cli/complaint.h"
#include "cli/flags.h"
#include "cli/models.h"
#include "cli/overwriting.h"
#include "cli/out.h"
#include "data/columns.h"
#include "evaluation/gate.h"
#include "evaluation/difference.h"
#include "show/evaluation.h"
#include "show/mistakes.h"
#include "tasks/criterion.h"

namespace fovea {

namespace {

Gate parse_gate(const std::string& text, bool least) {
  const std::size_t equals = text.find('=');
  Gate gate{text.substr(0, equals), 0, least};
  const char* start = text.data() + (equals == std::string::npos ? text.size() : equals + 1);
  const char* end = text.data() + text.size();
  const auto [rest, failure] = std::from_chars(start, end, gate.value);
  if (failure != std::errc() || rest != end || gate.figure.empty() || !std::isfinite(gate.value)) {
    const std::vector<Figure> known = known_figures();
    const auto example = std::ranges::find(known, least ? Better::higher : Better::lower, &Figure::better);
    throw usage_error("{} {}: wanted is metric=value, such as {}=0.{}", least ? "--min" : "--max", text, example->name,
                      least ? "99" : "05");
  }
  check_gate(gate);
  return gate;
}

}  // namespace

// What the other model does on the same lines.
Evaluation EvaluateCommand::evaluate_other(const PairOptions& files) const {
  const int asked = threads > 0 ? threads : Workers::default_count();
  Predictor other(against, asked, int8 ? Precision::int8 : Precision::full);
  return evaluate(
      other, files,
      {.answer = {.search = search}, .max_length = max_length, .attention = false, .top = top, .measure = measure});
}

int EvaluateCommand::run() const {
  check_file(errors, error_list);
  check_file(svg, length_chart);
  std::vector<Gate> gates;
  for (const std::string& text : minimums) gates.push_back(parse_gate(text, true));
  for (const std::string& text : maximums) gates.push_back(parse_gate(text, false));
  const int asked = threads > 0 ? threads : Workers::default_count();
  const auto [models, data] = split_models(words);
  Predictor predictor(models, asked, int8 ? Precision::int8 : Precision::full);
  complain_of_threads(asked, predictor.threads());
  PairOptions files;
  files.file = data;
  files.source_file = source_file;
  files.target_file = target_file;
  files.alignment_file = alignment_file;
  if (!columns.empty()) files.columns = Columns::parse(columns).names();
  files.bad_lines = parse_bad_lines(on_bad_line);
  const EvaluationOptions options = {.answer = {.search = search},
                                     .max_length = max_length,
                                     .top = top,
                                     .mistakes = !errors.empty(),
                                     .measure = measure};
  const Evaluation evaluation = evaluate(predictor, files, options);
  Evaluation other;
  std::vector<Difference> found;
  if (!against.empty()) {
    other = evaluate_other(files);
    predictor.lend_workers([&](Workers& workers) { found = differences(evaluation, other, workers); });
  }
  if (!evaluation.notice.empty()) say(with_flags(evaluation.notice) + "\n");
  for (const std::string& warning : evaluation.warnings) say("warning: " + with_flags(warning) + "\n");
  for (const std::string& warning : other.warnings) {
    say(fmt::format("warning: {}: {}\n", printable(against), with_flags(warning)));
  }
  if (!errors.empty()) Files().write_atomically(errors, draw_mistakes(evaluation.mistakes));
  if (!svg.empty()) {
    std::vector<LengthCurve> curves = {{models.front().string(), evaluation.by_length}};
    if (!against.empty()) curves.push_back({against, other.by_length});
    const Criterion criterion(predictor.model().config().training.metric);
    Files().write_atomically(svg, draw_by_length(curves, leading_metric(criterion)));
  }
  write_out(json ? evaluation_to_json(evaluation, found) : draw_evaluation(evaluation));
  if (!json && !found.empty()) write_out(draw_differences(found, printable(against)));
  flush_out();
  int status = 0;
  for (const Gate& gate : gates) {
    const std::string text = missed(gate, evaluation.figures);
    if (text.empty()) continue;
    say("missed: " + text + "\n");
    status = static_cast<int>(ErrorKind::gate);
  }
  return status;
}

}  // namespace fovea
