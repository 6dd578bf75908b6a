// A training as a film: what each validation saw of the embeddings and of one held-out line. Drawn as an animated SVG,
// and as a page on which one can stop it and go to any moment.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tasks/output.h"

namespace fovea {

struct FilmPoint {
  double x = 0;
  double y = 0;
};

struct FilmFrame {
  std::int64_t update = 0;
  int validation = 0;  // its number, from 1
  std::vector<std::string> tokens;
  std::vector<FilmPoint> points;  // of each token
  std::vector<Output> samples;    // cut
};

// One line of JSON, without its end: {"update", "validation", "embeddings": {"tokens", "points"}, "samples"}.
std::string frame_to_json(const FilmFrame& frame);
// Throws a data_error.
FilmFrame frame_from_json(std::string_view line);

// Of one frame or more.
std::string draw_film_svg(std::span<const FilmFrame> frames);
std::string draw_film_page(std::span<const FilmFrame> frames, std::string_view title);

}  // namespace fovea
