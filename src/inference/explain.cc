#include "inference/explain.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "base/counted.h"
#include "base/utf8.h"

namespace fovea {

namespace {

Error too_long(const std::string& line, const std::string& target, std::int64_t most) {
  const std::int64_t characters = std::max(count_characters(repair_utf8(line)), count_characters(repair_utf8(target)));
  if (characters > most) return data_error("the line is longer than {} (`max_length`)", counted(most, "character"));
  return data_error("the line is longer than the model knows positions: {}", counted(characters, "character"));
}

}  // namespace

Prediction predict_target(Predictor& predictor, const std::string& line, const std::string& target,
                          PredictOptions options) {
  options.score = true;
  const Columns columns = options.columns.value_or(predictor.model().task().columns());
  const std::string text = repair_utf8(line);
  const auto cells = columns.question(text);
  if (!cells) return {.output = {}, .status = text.empty() ? LineStatus::empty : LineStatus::too_few_columns};
  std::vector<SourceText> sources = {
      {std::string(cells->source), std::string(cells->features), {}, repair_utf8(target), options.folder}};
  for (const std::string_view other : cells->others) sources[0].others.emplace_back(other);
  return predictor.predict(sources, options)[0];
}

Explained explain(Predictor& predictor, const std::string& line, const std::string& target, PredictOptions options) {
  constexpr int alternatives = 5;
  if (!options.columns) options.columns = predictor.model().task().columns();
  if (options.max_length == 0) options.max_length = predictor.model().config().max_length;
  options.answer.search.nbest = options.answer.search.beam;
  options.answer.search.alternatives = alternatives;
  Prediction prediction = target.empty() ? predictor.predict(std::vector{line}, options)[0]
                                         : predict_target(predictor, line, target, options);
  switch (prediction.status) {
    case LineStatus::too_long:
      throw too_long(line, target, options.max_length);
    case LineStatus::too_few_columns:
      throw data_error("this model reads {}; the line has fewer columns", options.columns->question_form());
    case LineStatus::unreadable:
      throw data_error("{}", prediction.problem);
    case LineStatus::empty:
      throw data_error("the line is empty: there is nothing to look at");
    case LineStatus::answered:
    case LineStatus::repaired:
      break;
  }
  Explained explained = {std::move(prediction.output), {}};
  if (!prediction.unknown_feature.empty()) {
    explained.warnings.push_back(
        fmt::format("no line of the training data had the feature \"{}\"", beginning(prediction.unknown_feature)));
  }
  if (prediction.scored && !prediction.scored->unknown.empty()) {
    const std::string symbols = beginning(fmt::format("{}", fmt::join(prediction.scored->unknown, " ")));
    explained.warnings.push_back(
        fmt::format("the target has symbols that the training data had not, which are one to the model: {}", symbols));
  }
  if (!explained.output.finished) {
    explained.warnings.emplace_back("the answer is unfinished: `max_output` sets the greatest length");
  }
  return explained;
}

}  // namespace fovea
