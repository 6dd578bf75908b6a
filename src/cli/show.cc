#include <fmt/core.h>

#include <algorithm>

#include "base/counted.h"
#include "base/streams.h"
#include "tasks/columns_for.h"
#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/out.h"
#include "cli/overwriting.h"
#include "cli/png.h"
#include "cli/terminal.h"
#include "inference/explain.h"
#include "data/lines.h"
#include "runs/film.h"
#include "show/film.h"
#include "show/html.h"
#include "show/json.h"
#include "show/heat_map.h"
#include "show/picture.h"
#include "show/steps_table.h"
#include "show/terminal.h"
#include "tasks/fold_words.h"

namespace fovea {

namespace {

constexpr std::size_t max_shown_bytes = std::size_t(1) << 20;
constexpr std::size_t max_shown_lines = 1000;  // pictures and pages of more would be of no use

std::vector<std::string> all_lines(const std::vector<std::string>& texts, const std::vector<std::string>& files) {
  std::vector<std::string> lines = texts;
  for (const std::string& file : files) {
    LineReader reader(file, max_shown_bytes);
    for (std::string line; reader.next(line) && lines.size() <= max_shown_lines;) {
      if (line.empty()) {
        say(fmt::format("warning: {}:{}: the line is empty and left out\n", reader.name(), reader.line_number()));
      } else {
        lines.push_back(std::move(line));
      }
    }
  }
  if (lines.size() > max_shown_lines) throw usage_error("more than {} lines; show fewer", max_shown_lines);
  return lines;
}

// What was asked for and is not in the picture.
void say_what_is_missing(const std::vector<Output>& outputs, bool picture, bool self_attention) {
  const Output& first = outputs.front();
  if (picture && first.maps.size() > 1) {
    say(fmt::format("drawn is {}; --layer and --head choose another map, --html has all of them\n",
                    map_title(first, 0)));
  }
  if (self_attention && first.self_maps.empty()) say("warning: this model has no self-attention to show\n");
}

}  // namespace

int ShowCommand::run_film() const {
  if (!texts.empty() || !files.empty()) throw usage_error("--film shows a run, not lines");
  if (svg.empty() && html.empty()) throw usage_error("--film is drawn as a picture or a page: give --svg or --html");
  check_file(html, film_page);
  Files disk;
  const std::vector<FilmFrame> frames = read_film(disk, model);
  if (!svg.empty()) disk.write_atomically(svg, draw_film_svg(frames));
  if (!html.empty()) disk.write_atomically(html, draw_film_page(frames, model));
  say(fmt::format("{}, updates {} to {}\n", counted(frames.size(), "frame"), frames.front().update,
                  frames.back().update));
  return 0;
}

int ShowCommand::run() const {
  check_file(svg, attention_picture);
  if (film) return run_film();
  check_file(png, attention_png);
  check_file(html, attention_page);
  const std::vector<std::string> lines = all_lines(texts, files);
  if (lines.empty()) throw usage_error("a TEXT or a --file is needed: what is the model to be shown with?");
  if (!target.empty() && lines.size() > 1) throw usage_error("--target belongs to one line");
  Predictor predictor(model, 1);
  if (by_words) check_folds_words(predictor.model().config());
  const Columns read =
      columns_for(predictor.model(), columns);  // may throw, which g++ 12 does not bear in a braced list
  PredictOptions options = {.answer = {.search = search}, .columns = read, .max_length = max_length};
  const bool drawn = !(svg.empty() && png.empty() && html.empty());
  std::vector<Output> outputs;
  for (const std::string& line : lines) {
    const auto look = [&](const ExplanationLimits& limits, bool with_media) {
      options.answer.search.limits = limits;
      options.answer.search.explain.media = with_media;
      Explained explained = explain(predictor, line, target, options);
      for (const std::string& warning : explained.warnings) say("warning: " + with_flags(warning) + "\n");
      return by_words ? fold_words(explained.output) : std::move(explained.output);
    };
    if (json) {  // it is complete, whatever is drawn
      write_out(output_to_json(choose_maps(look({}, search.explain.media), layer, head)) + "\n");
    }
    if (json && !drawn) continue;
    outputs.push_back(maps_to_draw(look(picture_limits, drawn), layer, head));
    if (!(svg.empty() && png.empty()) && !has_picture(outputs.back())) {
      throw usage_error(
          "--svg and --png: this model has no attention, so there is no map to draw; --html and --steps have the "
          "probabilities of its steps");
    }
    if (json) continue;
    TerminalOptions terminal;
    terminal.colour = stdout_colour();
    terminal.width = stdout_width();
    terminal.compact = compact;
    if (head < 0 && !outputs.back().maps.empty()) terminal.map = 0;
    if (outputs.size() > 1) write_out("\n");
    write_out(steps ? draw_steps(outputs.back()) : draw_terminal(outputs.back(), terminal));
  }
  Files disk;
  if (!outputs.empty()) {
    const bool one_map = !svg.empty() || !png.empty() || (head < 0 && !json && !steps);
    say_what_is_missing(outputs, one_map, search.explain.self_attention);
  }
  if (!svg.empty() || !png.empty()) {
    const std::string drawing = draw_picture(outputs);
    if (!svg.empty()) disk.write_atomically(svg, drawing);
    if (!png.empty()) write_png(png, drawing);
  }
  if (!html.empty()) disk.write_atomically(html, draw_html(outputs));
  flush_out();
  return 0;
}

}  // namespace fovea
