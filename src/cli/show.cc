#include "cli/commands.h"
#include "cli/out.h"
#include "cli/overwriting.h"
#include "cli/terminal.h"
#include "predictor.h"
#include "show/html.h"
#include "show/json.h"
#include "show/svg.h"
#include "show/terminal.h"

namespace fovea {

int ShowCommand::run() const {
  check_file(svg, attention_picture);
  check_file(html, attention_page);
  Predictor predictor(model, 1);
  const std::vector<std::string> lines = {text};
  AnswerOptions answer = {.beam = beam, .nbest = beam, .alternatives = 5, .limits = picture_limits};
  const Prediction prediction = predictor.predict(lines, {.answer = answer})[0];
  if (prediction.fate == LineFate::too_long) throw data_error("the line is longer than 1000 characters");
  if (prediction.fate == LineFate::empty) throw data_error("the line is empty: there is nothing to look at");
  Files files;
  if (!svg.empty()) files.write_atomically(svg, draw_svg(prediction.output));
  if (!html.empty()) files.write_atomically(html, draw_html(prediction.output));
  if (json) {
    answer.limits = {};  // it is complete, whatever is drawn
    write_out(output_to_json(predictor.predict(lines, {.answer = answer})[0].output) + "\n");
  } else {
    TerminalOptions options;
    options.colour = stdout_colour();
    options.width = stdout_width();
    options.compact = compact;
    write_out(draw_terminal(prediction.output, options));
  }
  flush_out();
  return 0;
}

}  // namespace fovea
