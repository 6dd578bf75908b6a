#include "evaluation/evaluation.h"

#include <algorithm>

#include "base/clock.h"
#include "base/utf8.h"
#include "evaluation/attention_figures.h"
#include "tasks/metrics/metric.h"
#include "tasks/references.h"

namespace fovea {

namespace {

Better direction(const Metric& metric) { return metric.higher_is_better ? Better::higher : Better::lower; }

std::vector<Figure> counts_of(const Measurement& measured) {
  return {{"unfinished", static_cast<double>(measured.unfinished()), Better::lower, true},
          {"abstained", static_cast<double>(measured.abstained()), Better::lower, true},
          {"sources", static_cast<double>(measured.sources()), Better::neither, true},
          {"lines", static_cast<double>(measured.lines()), Better::neither, true}};
}

std::string warning_of_features(std::span<const Referenced> questions, std::span<const Prediction> predictions) {
  std::vector<std::size_t> unknown;
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    if (!predictions[i].unknown_feature.empty()) unknown.push_back(i);
  }
  if (unknown.empty()) return {};
  return fmt::format("{} of {} sources have features that no line of the training data had (first: line {}, \"{}\")",
                     unknown.size(), predictions.size(), questions[unknown[0]].line,
                     beginning(predictions[unknown[0]].unknown_feature));
}

std::vector<Figure> figures_of(const Measurement& measured, Workers& workers) {
  const MetricValues values = measured.values();
  const std::vector<Interval> intervals = measured.intervals(workers);
  std::vector<Figure> figures;
  for (const Metric* metric : metrics()) {
    figures.push_back({.name = std::string(metric->name),
                       .value = *values.find(metric->name),
                       .better = direction(*metric),
                       .interval = intervals[figures.size()]});
  }
  for (Figure& count : counts_of(measured)) figures.push_back(std::move(count));
  return figures;
}

}  // namespace

const Figure* find_figure(std::span<const Figure> figures, std::string_view name) {
  const auto found = std::ranges::find(figures, name, &Figure::name);
  return found == figures.end() ? nullptr : &*found;
}

Evaluation evaluate(Predictor& predictor, std::span<const Example> examples, const EvaluationOptions& options) {
  if (examples.empty()) throw data_error("no line to evaluate on");
  const Model& model = predictor.model();
  if (!model.task().traits().reads) {
    throw usage_error(
        "task = {}: there is no source to answer, so that nothing can be compared; score the lines instead",
        model.config().task);
  }
  const std::vector<Referenced> questions = group_references(examples, model.task().target_tokenizer());
  std::vector<SourceText> sources;
  for (const Referenced& question : questions) sources.push_back({question.source, question.features, question.others});
  Evaluation evaluation;
  const double start = now();
  const std::vector<Prediction> predictions =
      predictor.predict(sources, {.answer = options.answer, .max_length = options.max_length});
  evaluation.answer_seconds = now() - start;
  Measurement measured;
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    const Output& output = predictions[i].output;
    if (predictions[i].status == LineStatus::unreadable) {
      throw data_error("line {}: {}", questions[i].line, predictions[i].problem);
    }
    measured.add({.references = questions[i].references,
                  .text = output.text,
                  .finished = output.finished,
                  .abstained = output.abstained,
                  .lines = questions[i].lines});
  }
  if (std::string text = warning_of_features(questions, predictions); !text.empty()) {
    evaluation.warnings.push_back(std::move(text));
  }
  Workers workers(predictor.threads());
  evaluation.figures = figures_of(measured, workers);
  evaluation.by_length = measured.by_length();
  if (options.attention) add_attention_figures(model, workers, examples, evaluation);
  return evaluation;
}

Evaluation evaluate(Predictor& predictor, const PairOptions& files, const EvaluationOptions& options) {
  const Model& model = predictor.model();
  PairOptions read = files;
  read.max_length = options.max_length > 0 ? options.max_length : model.config().max_length;
  if (read.file.empty()) model.task().check_columns(Columns());  // of files with one column each
  if (read.columns.empty()) {
    read.columns = model.task().columns().names();
    if (!read.alignment_file.empty()) std::ranges::replace(read.columns, "alignment", "skip");
  } else {
    model.task().check_columns(Columns(read.columns));
  }
  const Pairs pairs = read_pairs(read);
  Evaluation evaluation = evaluate(predictor, pairs.examples, options);
  evaluation.notice = describe(pairs);
  return evaluation;
}

std::vector<Figure> known_figures() {
  std::vector<Figure> known;
  for (const Metric* metric : metrics()) {
    known.push_back({.name = std::string(metric->name), .better = direction(*metric)});
  }
  for (Figure& count : counts_of(Measurement())) known.push_back(std::move(count));
  for (Figure& figure : known_attention_figures()) known.push_back(std::move(figure));
  return known;
}

std::vector<Figure> metric_figures(const Evaluation& evaluation) {
  const auto count = static_cast<std::ptrdiff_t>(metrics().names().size());
  return {evaluation.figures.begin(), evaluation.figures.begin() + count};
}

}  // namespace fovea
