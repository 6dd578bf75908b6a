#include <fmt/core.h>

#include "base/counted.h"
#include "base/json.h"
#include "base/streams.h"
#include "cli/answered_lines.h"
#include "tasks/columns_for.h"
#include "cli/commands.h"
#include "cli/complaint.h"
#include "cli/models.h"

namespace fovea {

namespace {

std::string as_json(const Prediction& prediction) {
  OrderedJson object = {{"source", prediction.output.source_text}, {"log_probability", nullptr}};
  object["tokens"] = OrderedJson::array();
  if (prediction.scored) {
    object["log_probability"] = prediction.scored->log_probability;
    for (const ScoredToken& token : prediction.scored->tokens) {
      object["tokens"].push_back({{"token", token.token}, {"log_probability", token.log_probability}});
    }
  }
  return json_text(object);
}

}  // namespace

int ScoreCommand::run() const {
  const ModelWords given = split_models(words);
  const int asked = threads > 0 ? threads : Workers::default_count();
  Predictor predictor(given.models, asked, int8 ? Precision::int8 : Precision::full);
  complain_of_threads(asked, predictor.threads());
  const Columns read = columns_for(predictor.model(), columns);
  const PredictOptions options = {.answer = {.batch = batch},
                                  .columns = read,
                                  .max_length = max_length > 0 ? max_length : predictor.model().config().max_length,
                                  .score = true,
                                  .folder = std::filesystem::path(given.file).parent_path().string()};
  AnsweredLines lines(given.file.empty() ? "-" : given.file, false, [&](const Prediction& prediction) {
    if (json) return as_json(prediction);
    return prediction.scored ? fmt::format("{:.9g}", prediction.scored->log_probability) : std::string();
  });
  predictor.predict(lines, options);
  lines.warn(*options.columns, options.max_length, true);
  const std::int64_t symbols = lines.perplexity().symbols();
  if (symbols == 0) throw data_error("no line could be scored");
  say(fmt::format("perplexity {:.6g} over {}\n", lines.perplexity().value(), counted(symbols, "symbol")));
  return 0;
}

}  // namespace fovea
