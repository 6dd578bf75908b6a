#include "evaluation/evaluation.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/core.h>

#include "base/streams.h"
#include "cli/commands.h"
#include "cli/complaint.h"
#include "cli/flags.h"
#include "cli/models.h"
#include "cli/out.h"
#include "data/columns.h"
#include "evaluation/gate.h"
#include "show/evaluation.h"

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

int EvaluateCommand::run() const {
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
  const Evaluation evaluation = evaluate(predictor, files, {.answer = {.search = search}, .max_length = max_length});
  if (!evaluation.notice.empty()) say(with_flags(evaluation.notice) + "\n");
  for (const std::string& warning : evaluation.warnings) say("warning: " + warning + "\n");
  write_out(json ? evaluation_to_json(evaluation) : draw_evaluation(evaluation));
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
