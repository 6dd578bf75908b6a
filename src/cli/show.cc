#include <fmt/core.h>

#include "base/streams.h"
#include "base/utf8.h"
#include "cli/columns_for.h"
#include "cli/commands.h"
#include "cli/out.h"
#include "cli/overwriting.h"
#include "cli/terminal.h"
#include "cli/words_of.h"
#include "inference/predictor.h"
#include "show/html.h"
#include "show/json.h"
#include "show/svg.h"
#include "show/terminal.h"
#include "tasks/fold_words.h"

namespace fovea {

namespace {

// The model's answer to a line, or a target that it is given instead.
Prediction look_at(Predictor& predictor, const std::string& line, const std::string& target, PredictOptions options) {
  if (target.empty()) return predictor.predict(std::vector{line}, options)[0];
  options.score = true;
  const std::string text = repair_utf8(line);
  const auto cells = options.columns->question(text);
  if (!cells) return {.output = {}, .status = LineStatus::too_few_columns};
  std::vector<SourceText> sources = {
      {std::string(cells->source), std::string(cells->features), {}, repair_utf8(target)}};
  for (const std::string_view other : cells->others) sources[0].others.emplace_back(other);
  return predictor.predict(sources, options)[0];
}

Error too_long(const std::string& line, const std::string& target, std::int64_t most) {
  const std::int64_t characters = std::max(count_characters(repair_utf8(line)), count_characters(repair_utf8(target)));
  if (characters > most) return data_error("the line is longer than {} characters (--max-length)", most);
  return data_error("the line is longer than the model knows positions: {} characters", characters);
}

}  // namespace

int ShowCommand::run() const {
  check_file(svg, attention_picture);
  check_file(html, attention_page);
  Predictor predictor(model, 1);
  if (by_words) check_words(predictor.model());
  const auto shown = [&](const Output& output) { return by_words ? fold_words(output) : output; };
  const Columns read = columns_for(predictor.model(), columns);
  PredictOptions options = {.answer = {.search = search},
                            .columns = read,
                            .max_length = max_length > 0 ? max_length : predictor.model().config().max_length};
  options.answer.search.nbest = search.beam;
  options.answer.search.alternatives = 5;
  options.answer.search.limits = picture_limits;
  const auto look = [&] { return look_at(predictor, text, target, options); };
  const Prediction prediction = look();
  if (prediction.status == LineStatus::too_long) throw too_long(text, target, options.max_length);
  if (prediction.status == LineStatus::too_few_columns) {
    throw data_error("this model reads {}; write the line as $'walk\\tV;PST'", options.columns->question_form());
  }
  if (!prediction.unknown_feature.empty()) {
    say(fmt::format("warning: no line of the training data had the feature \"{}\"\n",
                    beginning(prediction.unknown_feature)));
  }
  if (prediction.scored && prediction.scored->has_unknown) {
    say("warning: the target has symbols that the training data had not\n");
  }
  if (prediction.status == LineStatus::unreadable) throw data_error("{}", prediction.problem);
  if (prediction.status == LineStatus::empty) throw data_error("the line is empty: there is nothing to look at");
  const Output output = shown(prediction.output);
  Files files;
  if (!svg.empty()) files.write_atomically(svg, draw_svg(output));
  if (!html.empty()) files.write_atomically(html, draw_html(output));
  if (json) {
    options.answer.search.limits = {};  // it is complete, whatever is drawn
    write_out(output_to_json(shown(look().output)) + "\n");
  } else {
    TerminalOptions terminal;
    terminal.colour = stdout_colour();
    terminal.width = stdout_width();
    terminal.compact = compact;
    write_out(draw_terminal(output, terminal));
  }
  flush_out();
  return 0;
}

}  // namespace fovea
