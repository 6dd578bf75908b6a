// How good a model is on lines with known answers: every metric with its interval, by length, and where its attention
// goes, held against alignments where the lines have them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/pairs.h"
#include "evaluation/figure.h"
#include "evaluation/mistakes.h"
#include "inference/predictor.h"
#include "tasks/metrics/measurement.h"

namespace fovea {

struct EvaluationOptions {
  AnswerOptions answer = {};
  std::int64_t max_length = 0;  // characters of a source; 0: as the model's config has it
  bool attention = true;        // measured as well, like
  bool perplexity = true;
  int top = 0;            // > 1: how often one of so many answers is right; 0: 2 where an answer is one symbol
  bool mistakes = false;  // found as well
  MeasureOptions measure = {};
};

struct Evaluation {
  std::vector<Figure> figures;      // the metrics in the order of their list; before them those of labels
  std::vector<std::int64_t> asked;  // the line of each source, its first if there are several
  Measurement measured = Measurement();
  Mistakes mistakes = {};
  std::vector<LengthRow> by_length;
  double answer_seconds = 0;
  std::vector<std::string> warnings;
  std::string notice;  // which lines of the files were left out; empty: none
};

// Lines of one source are asked once, and any of their targets is right. Where there are no sources, as for a language
// model, the lines are scored and nothing else. Throws a usage_error if lines have links and
// the model has no attention to hold against them.
Evaluation evaluate(Predictor& predictor, std::span<const Example> examples, const EvaluationOptions& options);

// The lines of files. Of their options the columns, if there are none, are those the model was trained on, and the
// greatest length is that of the other options.
Evaluation evaluate(Predictor& predictor, const PairOptions& files, const EvaluationOptions& options);

// Every figure that an evaluation may have, without values.
std::vector<Figure> known_figures();

// Its metrics alone.
std::vector<Figure> metric_figures(const Evaluation& evaluation);

}  // namespace fovea
