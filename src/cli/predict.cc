#include <fmt/core.h>

#include <optional>

#include "cli/answered_lines.h"
#include "tasks/columns_for.h"
#include "cli/commands.h"
#include "cli/complaint.h"
#include "cli/models.h"
#include "show/json.h"
#include "tasks/fold_words.h"

namespace fovea {

namespace {

constexpr int alternatives_explained = 5;

std::string answers_with_scores(const Output& output) {
  std::string line;
  if (output.abstained) return line;
  for (const Hypothesis& h : output.nbest) {
    line += fmt::format("{}{}\t{:.6g}", line.empty() ? "" : "\t", h.text, h.score);
  }
  return line;
}

}  // namespace

int PredictCommand::run() const {
  if (!dictionary.empty() && !replace_unknown) throw usage_error("--dictionary belongs to --replace-unknown");
  if (by_words && !json) throw usage_error("--words belongs to --json");
  if (search.explain.any() && !json) throw usage_error("what explanations have is shown with --json");
  const ModelWords given = split_models(words);
  std::optional<Lexicon> lexicon;
  if (!dictionary.empty()) lexicon.emplace(dictionary);
  const int asked = threads > 0 ? threads : Workers::default_count();
  Predictor predictor(given.models, asked, int8 ? Precision::int8 : Precision::full);
  complain_of_threads(asked, predictor.threads());
  if (by_words) check_folds_words(predictor.model().config());
  const Columns read = columns_for(predictor.model(), columns);
  PredictOptions options = {.answer = {.search = search, .batch = batch, .replace_unknown = replace_unknown},
                            .columns = read,
                            .max_length = max_length > 0 ? max_length : predictor.model().config().max_length,
                            .dictionary = lexicon ? &*lexicon : nullptr,
                            .folder = std::filesystem::path(given.file).parent_path().string()};
  options.answer.search.alternatives = json ? alternatives_explained : replace_unknown ? 1 : 0;
  AnsweredLines lines(given.file.empty() ? "-" : given.file, json, [&](const Prediction& prediction) {
    if (json) return output_to_json(by_words ? fold_words(prediction.output) : prediction.output);
    return search.nbest == 1 ? prediction.output.text : answers_with_scores(prediction.output);
  });
  predictor.predict(lines, options);
  lines.warn(*options.columns, options.max_length, false);
  return 0;
}

}  // namespace fovea
