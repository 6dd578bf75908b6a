#include "runs/training_input.h"

#include <algorithm>

#include "base/error.h"
#include "data/columns.h"
#include "data/split.h"
#include "tasks/data_check.h"
#include "tasks/normalised.h"
#include "tasks/unreadable.h"

namespace fovea {

namespace {

PairOptions training_part(const TrainingInput& input, const Config& config) {
  PairOptions options;
  options.file = input.file;
  options.source_file = input.source_file;
  options.target_file = input.target_file;
  options.alignment_file = input.alignment_file;
  options.columns = config.columns;
  options.bad_lines = parse_bad_lines(input.on_bad_line);
  options.max_length = config.max_length;
  const bool parallel = !input.source_file.empty() || !input.target_file.empty();
  if (!input.examples.empty() && (parallel || !input.file.empty() || !input.alignment_file.empty())) {
    throw usage_error("lines to train on come from files or from memory, not from both");
  }
  if (parallel && input.file.empty() && !config.columns.empty() && config.columns != Columns().names()) {
    throw usage_error("columns {} are those of one file; `source_file` and `target_file` have one column each",
                      Columns(config.columns).text());
  }
  const bool one_file = !input.file.empty() && input.alignment_file.empty();
  if (one_file && config.columns.empty() && config.model.objective.asked(&ObjectiveTraits::needs_links)) {
    options.columns = {"source", "target", "alignment"};
  }
  return options;
}

// How the held-out lines are read, beside training lines with these columns.
PairOptions held_out_part(const TrainingInput& input, PairOptions options, const std::vector<std::string>& columns) {
  const bool parallel = !input.dev_source.empty() || !input.dev_target.empty();
  const bool both = !input.dev_source.empty() && !input.dev_target.empty();
  if (parallel && (!both || !input.dev.empty())) {
    throw usage_error("held-out lines are one file, `dev` F, or two, `dev_source` F `dev_target` F");
  }
  if (!input.held_out.empty() && (parallel || !input.dev.empty())) {
    throw usage_error("held-out lines come from files or from memory, not from both");
  }
  if (parallel && Columns(columns).has("features")) {
    throw usage_error("`dev_source` and `dev_target` have no features, which the model reads; use `dev` F");
  }
  if (parallel && Columns(columns).sources().size() != 1) {
    throw usage_error("`dev_source` and `dev_target` are one source and its target, columns {} are not; use `dev` F",
                      Columns(columns).text());
  }
  options.columns = columns;
  options.file = input.dev;
  options.source_file = input.dev_source;
  options.target_file = input.dev_target;
  options.alignment_file.clear();  // the held-out lines are answered, and no more
  return options;
}

}  // namespace

bool TrainingInput::reads_standard_input() const {
  const auto all = {file, source_file, target_file, alignment_file, dev, dev_source, dev_target};
  return std::ranges::find(all, "-") != all.end();
}

ReadLines read_lines(const TrainingInput& input, Config& config, const Notice& notice) {
  const PairOptions options = training_part(input, config);
  std::vector<SourcePtr> known;
  // `examples` if there are any, else what the files have.
  const auto read_part = [&](const PairOptions& part, const std::vector<Example>& examples, const char* name) {
    Pairs pairs = examples.empty() ? read_pairs(part) : check_pairs(examples, name, part);
    Config read = config;
    read.columns = pairs.columns;
    if (part.bad_lines == BadLines::skip) leave_out_unreadable(pairs, read, known);
    if (const std::string text = describe(pairs); !text.empty()) notice(text);
    NormalisedCells(read).apply(pairs.examples);
    return pairs;
  };
  ReadLines lines = {read_part(options, input.examples, "examples")};
  config.columns = lines.training.columns;
  if (input.dev.empty() && input.dev_source.empty() && input.dev_target.empty() && input.held_out.empty()) return lines;
  lines.held_out = read_part(held_out_part(input, options, config.columns), input.held_out, "held_out");
  return lines;
}

TrainingData read_training_data(const TrainingInput& input, Config& config, const Notice& notice) {
  ReadLines lines = read_lines(input, config, notice);
  for (const SuitedKind& one : suited_kinds(lines.training.examples, config)) notice("warning: " + one.text());
  return training_data(input, std::move(lines));
}

TrainingData training_data(const TrainingInput& input, ReadLines lines) {
  TrainingData data;
  if (!input.lexicon.empty()) data.lexicon = std::make_shared<Lexicon>(input.lexicon);
  std::vector<Example>& examples = lines.training.examples;
  if (lines.held_out.examples.empty()) {
    const Split parts = split(examples);
    for (const std::size_t i : parts.training) data.training.push_back(examples[i]);
    for (const std::size_t i : parts.held_out) data.held_out.push_back(examples[i]);
    return data;
  }
  data.training = std::move(examples);
  data.held_out = std::move(lines.held_out.examples);
  return data;
}

}  // namespace fovea
