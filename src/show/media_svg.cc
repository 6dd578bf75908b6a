#include "show/media_svg.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/base64.h"
#include "base/random.h"
#include "base/utf8.h"
#include "show/colour.h"
#include "show/drawing.h"
#include "show/warnings.h"

namespace fovea {

namespace {

constexpr double margin = 16, full_width = 960, title_height = 34, foot_height = 30, font_size = 13;
constexpr double tile_height = 112, widest_tile = 300, narrowest_tile = 56, tile_gap = 12, caption_height = 22;
constexpr double spectrogram_height = 110, row_height = 22, tick_height = 22, percent_width = 60;
constexpr std::size_t max_tiles = 60;
constexpr int longest_label = 16;
constexpr double faintest_share = 0.02;
constexpr double least_read = 0.05;  // of a step: what read less of it read something else
constexpr double darkest_veil = 0.78;
constexpr const char* veil = "#3f4858";  // neither black nor white: both show through
// Where a picture is dark a veil makes it lighter, so what was read is framed besides.
constexpr double framed_share = 0.5;
constexpr const char* frame = "#f0a030";

class MediaPicture : private SvgDrawing {
 public:
  MediaPicture(const Output& output, const HeatMap& heat_map, const SourceMedia& media, bool stand_alone)
      : output_(output), heat_map_(heat_map), media_(media), stand_alone_(stand_alone) {
    for (std::size_t i = 0; i < output.source.size(); ++i) {
      const SourceToken& token = output.source[i];
      if (token.source == media.source && token.start < token.end) places_.push_back(i);
    }
    for (std::size_t row = 0; row < heat_map.rows.size(); ++row) {
      double most = 0, sum = 0;
      for (const std::size_t i : places_) most = std::max(most, weight(row, i)), sum += weight(row, i);
      most_.push_back(sum < least_read ? 0 : most);
    }
  }

  std::string draw() {
    const auto has_box = [&](std::size_t i) { return output_.source[i].box.has_value(); };
    return std::ranges::any_of(places_, has_box) ? draw_tiles() : draw_spectrogram();
  }

 private:
  void begin(double width, double height, std::string_view what, std::string_view note) {
    open(width, height, mono_font, font_size, fmt::format("{}: {} → {}", what, output_.read_text(), output_.text),
         stand_alone_ ? R"( color="#1f2430")" : "");
    add("<desc>{} {}</desc>", note, standing_line);
    if (stand_alone_) add(R"(<rect width="100%" height="100%" rx="10" fill="#ffffff"/>)");
    add(R"(<text x="{}" y="22" fill="currentColor" fill-opacity=".65">{}, {}</text>)", margin, what,
        escape(heat_map_.title));
    add(R"(<text x="{}" y="{:.1f}" font-size="11" fill="currentColor" fill-opacity=".65">{}</text>)", margin,
        height - 12, note);
  }

  void image(double width, double height, std::string_view more) {
    add(R"(<image {} width="{:.1f}" height="{:.1f}" preserveAspectRatio="none" )"
        R"(href="data:{};base64,{}"/>)",
        more, width, height, media_.type, base64(media_.bytes));
  }

  // Many positions share the weight: the scale is that of the step.
  double share(std::size_t row, std::size_t place) const {
    return most_[row] > 0 ? std::clamp(weight(row, place) / most_[row], 0.0, 1.0) : 0;
  }
  double weight(std::size_t row, std::size_t place) const {
    const double own = heat_map_.weight(row, place);
    return std::isfinite(own) ? own : 0;
  }

  void cell(std::size_t row, std::size_t place, const Box& at, double left, double top, double scale_x, double scale_y,
            const std::string& fill) {
    add(R"(<g class="cell"><title>{} read {}: {:.3f}</title><rect x="{:.2f}" y="{:.2f}" width="{:.2f}" )"
        R"(height="{:.2f}" {}/></g>)",
        escape(heat_map_.rows[row].name), escape(heat_map_.columns[place].name), heat_map_.weight(row, place),
        left + at.left * scale_x, top + at.top * scale_y, (at.right - at.left) * scale_x,
        (at.bottom - at.top) * scale_y, fill);
  }

  void label(double x, double y, const char* anchor, const Label& label) {
    add(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="{}" fill="currentColor" direction="ltr" )"
        R"(unicode-bidi="isolate">{}</text>)",
        x, y, anchor, escape(shorten(label.text, longest_label)));
  }

  std::string draw_tiles() {
    const double across = std::max(media_.width, 1), down = std::max(media_.height, 1);
    const double wide = std::clamp(tile_height * across / down, narrowest_tile, widest_tile);
    const double scale = wide / across, high = down * scale;
    const std::size_t shown = std::min(heat_map_.rows.size(), max_tiles), tiles = shown + 1;
    const std::size_t in_row =
        std::min(tiles, static_cast<std::size_t>((full_width - 2 * margin + tile_gap) / (wide + tile_gap)));
    const std::size_t rows = (tiles + in_row - 1) / in_row;
    const double width = std::max(2 * margin + static_cast<double>(in_row) * (wide + tile_gap) - tile_gap, 560.0);
    std::string note = "Framed: read most, or half as much at least. Veiled: read little.";
    if (shown < heat_map_.rows.size()) {
      note += fmt::format(" The first {} of {} outputs.", shown, heat_map_.rows.size());
    }
    begin(width, title_height + static_cast<double>(rows) * (high + caption_height + tile_gap) + foot_height,
          "the picture for each output", note);
    // In a page many drawings stand together, and what they name alike is one: so a name says what it names.
    const std::string name = fmt::format("seen-{:016x}", hash_text(0, media_.bytes));
    add("<defs>");
    image(wide, high, fmt::format(R"(id="{}"{})", name, across < 300 ? R"( image-rendering="pixelated")" : ""));
    add("</defs>");
    for (std::size_t tile = 0; tile < tiles; ++tile) {
      const std::size_t row = tile / in_row;
      const double x = margin + static_cast<double>(tile % in_row) * (wide + tile_gap);
      const double y = title_height + static_cast<double>(row) * (high + caption_height + tile_gap);
      add(R"(<use href="#{}" x="{:.1f}" y="{:.1f}"/>)", name, x, y);
      add(R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" fill="none" stroke="currentColor" )"
          R"(stroke-opacity=".3"/>)",
          x, y, wide, high);
      label(x + wide / 2, y + high + 15, "middle",
            tile == 0 ? Label{"picture", "picture", 7} : heat_map_.rows[tile - 1]);
      if (tile == 0) continue;
      add(R"(<g shape-rendering="crispEdges">)");
      for (const std::size_t i : places_) {
        if (!output_.source[i].box) continue;
        const double dark = darkest_veil * (1 - share(tile - 1, i));
        cell(tile - 1, i, *output_.source[i].box, x, y, scale, scale,
             fmt::format(R"(fill="{}" fill-opacity="{:.3f}")", veil, dark));
      }
      add("</g>");
      for (const std::size_t i : places_) {
        if (!output_.source[i].box || share(tile - 1, i) < framed_share) continue;
        const Box& box = *output_.source[i].box;
        add(R"(<rect x="{:.2f}" y="{:.2f}" width="{:.2f}" height="{:.2f}" fill="none" stroke="{}" stroke-width="1.5"/>)",
            x + box.left * scale, y + box.top * scale, (box.right - box.left) * scale, (box.bottom - box.top) * scale,
            frame);
      }
    }
    return close();
  }

  std::string draw_spectrogram() {
    int end = std::max(media_.width, 1);  // ms
    for (const std::size_t i : places_) end = std::max(end, output_.source[i].end);
    int columns = 1;
    for (const Label& row : heat_map_.rows) columns = std::max(columns, std::min(row.width, longest_label));
    const double left = margin + columns * font_size * mono_advance + 8;
    const double wide = std::clamp(static_cast<double>(places_.size()) * 14, 420.0, full_width - left - percent_width);
    const double scale = wide / end, top = title_height + spectrogram_height + 4;
    const double bottom = top + static_cast<double>(heat_map_.rows.size()) * row_height;
    begin(left + wide + percent_width + margin, bottom + tick_height + foot_height, "the sound above each output",
          "Low frequencies below, lighter is louder; in the rows lighter was read more.");
    image(media_.width * scale, spectrogram_height, fmt::format(R"(x="{:.1f}" y="{}")", left, title_height));
    add(R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" fill="{}"/>)", left, top, wide, bottom - top,
        hex(colour_of(0)));
    for (std::size_t row = 0; row < heat_map_.rows.size(); ++row) {
      const double y = top + static_cast<double>(row) * row_height;
      label(left - 8, y + 15, "end", heat_map_.rows[row]);
      if (row < heat_map_.probabilities.size()) {
        label(left + wide + percent_width, y + 15, "end", {percent(heat_map_.probabilities[row]), "", 6});
      }
      for (const std::size_t i : places_) {
        const double lit = share(row, i);
        if (lit < faintest_share) continue;
        cell(row, i, {output_.source[i].start, 0, output_.source[i].end, 1}, left, y + 1, scale, row_height - 2,
             fmt::format(R"(fill="{}")", hex(colour_of(lit))));
      }
    }
    ticks(left, bottom, scale, end);
    return close();
  }

  // In seconds, at most ten of them.
  void ticks(double left, double y, double scale, int end) {
    double step = 0.05;
    for (int i = 0; end / 1000.0 / step > 10; ++i) step *= i % 3 == 1 ? 2.5 : 2;  // .05 .1 .2 .5 1 2 5 ...
    for (int i = 0; i * step * 1000 <= end; ++i) {
      add(R"(<text x="{:.1f}" y="{:.1f}" font-size="11" text-anchor="middle" fill="currentColor" )"
          R"(fill-opacity=".65">{:g}{}</text>)",
          left + i * step * 1000 * scale, y + 15, i * step, i == 0 ? "" : " s");
    }
  }

  const Output& output_;
  const HeatMap& heat_map_;
  const SourceMedia& media_;
  bool stand_alone_;
  std::vector<std::size_t> places_;  // of its source, but for the one that closes it
  std::vector<double> most_;         // [rows] the greatest weight of a place; 0: none was read
};

}  // namespace

std::vector<std::string> draw_media_svgs(const Output& output, const HeatMap& heat_map, bool stand_alone) {
  std::vector<std::string> all;
  if (heat_map.columns.size() != output.source.size() || heat_map.rows.empty()) return all;
  for (const SourceMedia& media : output.media) {
    if (media.type.starts_with("image/")) {
      all.push_back(MediaPicture(output, heat_map, media, stand_alone).draw());
    }
  }
  return all;
}

}  // namespace fovea
