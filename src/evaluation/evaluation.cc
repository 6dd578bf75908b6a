#include "evaluation/evaluation.h"

#include <algorithm>
#include <cmath>

#include "base/clock.h"
#include "base/utf8.h"
#include "evaluation/attention_figures.h"
#include "evaluation/label_figures.h"
#include "evaluation/recall_figures.h"
#include "data/normalise.h"
#include "tasks/normalised.h"
#include "tasks/metrics/metric.h"
#include "tasks/references.h"
#include "tasks/unreadable.h"

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
  return fmt::format("{} of {} sources have features that no line of the training data had (first: {}, \"{}\")",
                     unknown.size(), predictions.size(), questions[unknown[0]].place(),
                     beginning(predictions[unknown[0]].unknown_feature));
}

// They count as wrong, which has another cause than the model's knowledge.
std::string warning_of_unanswered(std::span<const Referenced> questions, std::span<const Prediction> predictions) {
  const auto asked = [](const Prediction& p) {
    return p.status == LineStatus::answered || p.status == LineStatus::repaired;
  };
  const auto first = std::ranges::find_if_not(predictions, asked);
  if (first == predictions.end()) return {};
  return fmt::format(
      "{} of {} sources were not answered and count as wrong: empty, or longer than the model reads "
      "(first: line {})",
      std::ranges::count(predictions, false, asked), predictions.size(),
      questions[static_cast<std::size_t>(first - predictions.begin())].line);
}

std::string warning_of_unfinished(std::span<const Referenced> questions, std::span<const Prediction> predictions) {
  const auto finished = [](const Prediction& p) { return p.output.finished; };
  const auto first = std::ranges::find_if_not(predictions, finished);
  if (first == predictions.end()) return {};
  return fmt::format(
      "{} of {} answers are unfinished and not exact: they were cut at their greatest length, which `max_output` sets "
      "(first: line {})",
      std::ranges::count(predictions, false, finished), predictions.size(),
      questions[static_cast<std::size_t>(first - predictions.begin())].line);
}

std::vector<Figure> figures_of(const Measurement& measured, bool one_step, Workers& workers) {
  const MetricValues values = measured.values();
  const std::vector<Interval> intervals = measured.intervals(workers);
  std::vector<Figure> figures;
  std::size_t place = 0;
  for (const Metric* metric : metrics()) {
    const Interval& interval = intervals[place++];
    if (one_step && !metric->of_symbols) continue;
    figures.push_back({.name = std::string(metric->name),
                       .value = *values.find(metric->name),
                       .better = direction(*metric),
                       .interval = interval});
  }
  for (Figure& count : counts_of(measured)) figures.push_back(std::move(count));
  return figures;
}

// The answers, and which of the first few is right.
std::vector<Prediction> answer_all(Predictor& predictor, std::span<const Referenced> questions, int top,
                                   const EvaluationOptions& options, Evaluation& evaluation) {
  std::vector<SourceText> sources;
  for (const Referenced& question : questions) {
    sources.push_back({question.source, question.features, question.others, {}, question.folder()});
  }
  PredictOptions asked = {.answer = options.answer, .max_length = options.max_length};
  if (top > 1) {
    asked.answer.search.beam = std::max(asked.answer.search.beam, top);
    asked.answer.search.nbest = top;
  }
  const double start = now();
  std::vector<Prediction> predictions = predictor.predict(sources, asked);
  evaluation.answer_seconds = now() - start;
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    if (predictions[i].status == LineStatus::unreadable) {
      throw data_error("{}: {}", questions[i].place(), predictions[i].problem);
    }
  }
  return predictions;
}

std::vector<bool> right_among(std::span<const Referenced> questions, std::span<const Prediction> predictions,
                              bool lowercase) {
  std::vector<bool> right;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    right.push_back(!predictions[i].output.abstained && is_right_among(questions[i], predictions[i], lowercase));
  }
  return right;
}

void measure_answers(Predictor& predictor, std::span<const Example> examples, const EvaluationOptions& options,
                     Evaluation& evaluation) {
  const Task& task = predictor.model().task();
  const int top = options.top > 0 ? options.top : task.traits().one_step ? 2 : 0;
  const std::vector<Referenced> questions =
      group_references(examples, task.target_tokenizer(), options.measure.each_line);
  const std::vector<Prediction> predictions = answer_all(predictor, questions, top, options, evaluation);
  evaluation.measured = Measurement(options.measure, &task.target_tokenizer());
  std::vector<std::string> wanted, answered;
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    const Output& output = predictions[i].output;
    evaluation.asked.push_back(questions[i].line);
    evaluation.measured.add({.references = questions[i].references,
                             .text = output.text,
                             .finished = output.finished,
                             .abstained = output.abstained,
                             .lines = questions[i].lines});
    if (!task.traits().one_step) continue;
    wanted.push_back(nearest_reference(questions[i].references, output.text));
    answered.push_back(output.text);
  }
  for (const auto& warning_of : {warning_of_features, warning_of_unanswered, warning_of_unfinished}) {
    if (std::string text = warning_of(questions, predictions); !text.empty()) {
      evaluation.warnings.push_back(std::move(text));
    }
  }
  predictor.lend_workers([&](Workers& workers) {
    const auto add = [&](std::vector<Figure> figures) {
      for (Figure& figure : figures) evaluation.figures.push_back(std::move(figure));
    };
    const bool one_step = task.traits().one_step, lowercase = options.measure.lowercase;
    if (one_step) add(label_figures(wanted, answered, task.traits().positions, workers));
    const auto add_top = [&] {
      if (top > 1) add({share_of_right(top_name(top), right_among(questions, predictions, lowercase), workers)});
    };
    if (one_step) add_top();
    add(figures_of(evaluation.measured, one_step, workers));
    if (one_step) return;
    add_top();
    add(recall_figures(task, questions, predictions, lowercase, workers));
  });
  if (!task.traits().one_step) evaluation.by_length = evaluation.measured.by_length();
  if (options.mistakes) evaluation.mistakes = find_mistakes(task, questions, predictions, options.measure);
}

constexpr const char* perplexity_name = "perplexity";

std::vector<Prediction> score_all(Predictor& predictor, std::span<const Example> examples,
                                  const EvaluationOptions& options) {
  std::vector<SourceText> sources;
  for (const Example& e : examples)
    sources.push_back({e.source, e.features, e.others, e.target, std::string(e.folder())});
  PredictOptions asked = {.max_length = options.max_length, .score = true};
  asked.answer.batch = options.answer.batch;
  asked.answer.search.stop_signal = options.answer.search.stop_signal;
  return predictor.predict(sources, asked);
}

// exp(- mean log-probability of a symbol) over the targets of all lines.
Figure perplexity_figure(Predictor& predictor, std::span<const Prediction> predictions) {
  std::vector<double> rows;  // minus log-probability and symbols of each line; none of one that was not scored
  for (const Prediction& prediction : predictions) {
    const auto& scored = prediction.scored;
    rows.push_back(scored ? -scored->log_probability : 0);
    rows.push_back(scored ? static_cast<double>(scored->tokens.size()) : 0);
  }
  const auto perplexity = [](double loss, double symbols) { return std::exp(share_of(loss, symbols)); };
  Figure figure;
  predictor.lend_workers([&](Workers& workers) {
    figure = figure_of_sums(perplexity_name, Better::lower, std::move(rows), perplexity, workers);
  });
  return figure;
}

}  // namespace

Evaluation evaluate(Predictor& predictor, std::span<const Example> given, const EvaluationOptions& options) {
  if (given.empty()) throw data_error("no line to evaluate on");
  const Model& model = predictor.model();
  std::vector<Example> examples(given.begin(), given.end());
  NormalisedCells(model.config()).apply(examples);
  Evaluation evaluation;
  if (model.task().traits().reads) {
    measure_answers(predictor, examples, options, evaluation);
  } else {
    evaluation.figures = {{"lines", static_cast<double>(examples.size()), Better::neither, true}};
    for (const Example& example : examples) evaluation.asked.push_back(example.line);
  }
  const bool scores =
      options.perplexity && !model.task().acts();  // only training knows by which steps a target is reached
  if (scores || !model.task().traits().reads) {
    const std::vector<Prediction> scored = score_all(predictor, examples, options);
    evaluation.figures.push_back(perplexity_figure(predictor, scored));
    if (options.mistakes && !model.task().traits().reads) evaluation.mistakes.scored = scored_lines(examples, scored);
  }
  if (options.attention && model.task().traits().reads) {
    predictor.lend_workers([&](Workers& workers) { add_attention_figures(model, workers, examples, evaluation); });
  }
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
  Pairs pairs = read_pairs(read);
  if (read.bad_lines == BadLines::skip) {
    std::vector<SourcePtr> known(model.task().sources().begin(), model.task().sources().end());
    leave_out_unreadable(pairs, model.config(), known);
  }
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
  for (Figure& figure : known_label_figures()) known.push_back(std::move(figure));
  for (Figure& figure : known_recall_figures()) known.push_back(std::move(figure));
  known.push_back({.name = perplexity_name, .better = Better::lower});
  for (Figure& figure : known_attention_figures()) known.push_back(std::move(figure));
  return known;
}

std::vector<Figure> metric_figures(const Evaluation& evaluation) {
  std::vector<Figure> measured;
  for (const Metric* metric : metrics()) {
    if (const Figure* figure = find_figure(evaluation.figures, metric->name)) measured.push_back(*figure);
  }
  return measured;
}

}  // namespace fovea
