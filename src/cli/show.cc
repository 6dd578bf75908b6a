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

int ShowCommand::run() const {
  check_file(svg, attention_picture);
  check_file(html, attention_page);
  Predictor predictor(model, 1);
  if (words) check_words(predictor.model());
  const auto shown = [&](const Output& output) { return words ? fold_words(output) : output; };
  const std::vector<std::string> lines = {text};
  PredictOptions options = {
      .answer = {.beam = beam, .nbest = beam, .max_output = max_output, .alternatives = 5, .limits = picture_limits},
      .columns = columns_for(predictor.model(), columns),
      .max_length = max_length > 0 ? max_length : predictor.model().config().max_length};
  const Prediction prediction = predictor.predict(lines, options)[0];
  if (prediction.status == LineStatus::too_long) {
    throw data_error("the line is longer than {} characters (--max-length), or than the model knows positions",
                     options.max_length);
  }
  if (prediction.status == LineStatus::too_few_columns) {
    throw data_error("this model reads {}; write the line as $'walk\\tV;PST'", options.columns->question_form());
  }
  if (!prediction.unknown_feature.empty()) {
    say(fmt::format("warning: no line of the training data had the feature \"{}\"\n",
                    beginning(prediction.unknown_feature)));
  }
  if (prediction.status == LineStatus::empty) throw data_error("the line is empty: there is nothing to look at");
  const Output output = shown(prediction.output);
  Files files;
  if (!svg.empty()) files.write_atomically(svg, draw_svg(output));
  if (!html.empty()) files.write_atomically(html, draw_html(output));
  if (json) {
    options.answer.limits = {};  // it is complete, whatever is drawn
    write_out(output_to_json(shown(predictor.predict(lines, options)[0].output)) + "\n");
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
