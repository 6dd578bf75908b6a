#include "show/svg_text.h"

#include <fmt/core.h>

#include "base/utf8.h"
#include "show/colour.h"
#include "show/drawing.h"
#include "show/shaded_text.h"
#include "show/warnings.h"

namespace fovea {

namespace {

constexpr double text_margin = 16, text_size = 14, line_height = 23, label_height = 24;
constexpr int text_columns = 100;
constexpr double faintest_ground = 0.03;  // of a token; below it has none

class TextPicture : private SvgDrawing {
 public:
  TextPicture(const Output& output, const HeatMap& heat_map, bool stand_alone)
      : output_(output),
        heat_map_(heat_map),
        stand_alone_(stand_alone),
        lines_(shaded_lines(heat_map)),
        wrapped_(wrap(heat_map, text_columns)) {}

  std::string draw() {
    const double each = label_height + static_cast<double>(wrapped_.lines) * line_height + 10;
    const double top = stand_alone_ ? 74 : 34;
    const double width = 2 * text_margin + text_columns * text_size * mono_advance;
    open(width, top + each * static_cast<double>(lines_.size()) + 34, mono_font, text_size,
         fmt::format("{}: {}", heat_map_.title, output_.text), stand_alone_ ? R"( color="#1f2430")" : "");
    add("<desc>The source as text; the lighter the ground of a token, the more of it was read, relative to the token "
        "that was read most{}. {}</desc>",
        heat_map_.sentences.empty() ? "" : "; each sentence begins with its share", standing_line);
    double y = 22;
    if (stand_alone_) {
      add(R"(<rect width="100%" height="100%" rx="10" fill="#ffffff"/>)");
      const std::string answer = output_.text + (output_.finished ? "" : " (unfinished)");
      add(R"(<text x="{}" y="{}" font-weight="bold" fill="currentColor">→ {}</text>)", text_margin, y + 6,
          escape(isolate(shorten(printable(repair_utf8(answer)), text_columns - 4))));
      y += 32;
    }
    add(R"(<text x="{}" y="{}" font-size="13" fill="currentColor" fill-opacity=".65">{}</text>)", text_margin, y,
        escape(heat_map_.title));
    y = top;
    for (const ShadedLine& line : lines_) {
      paragraph(line, y);
      y += each;
    }
    const std::string note = stand_alone_ ? left_out_note(output_) : "";
    add(R"(<text x="{}" y="{:.1f}" font-size="11" fill="currentColor" fill-opacity=".65">lighter: read more, relative )"
        R"(to the most read {}. {}</text>)",
        text_margin, y + 12, heat_map_.sentences.empty() ? "token" : "word and sentence", note);
    return close();
  }

 private:
  void paragraph(const ShadedLine& line, double top) {
    const std::string says = line.is_step ? fmt::format("{} {}", line.label.text, percent(line.probability))
                                          : std::string("all steps together");
    add(R"(<text x="{}" y="{:.1f}" font-weight="bold" fill="currentColor">{} <tspan font-weight="normal" )"
        R"(fill-opacity=".65">most: {:.3f}</tspan></text>)",
        text_margin, top + 12, escape(says), line.most);
    for (const SentenceShare& sentence : sentence_shares(heat_map_, line, wrapped_)) {
      const std::string share = percent(sentence.weight);
      token({share, "the sentence", static_cast<int>(share.size())}, {0, sentence.line}, top, sentence.weight,
            sentence.relative);
    }
    for (std::size_t i = 0; i < heat_map_.columns.size(); ++i) {
      const Label& label = heat_map_.columns[i];
      token({running_text(label), fmt::format("{} at {}", label.name, i), std::min(label.width, wrapped_.room)},
            {wrapped_.place[i], wrapped_.line[i]}, top, line.weights[i], relative(line, i));
    }
  }

  struct Place {
    int column = 0;
    std::size_t line = 0;
  };
  void token(const Label& label, Place place, double top, double weight, double share) {
    const double x = text_margin + place.column * text_size * mono_advance;
    const double y = top + label_height + static_cast<double>(place.line) * line_height;
    const bool shaded = !(share < faintest_ground);
    const Colour ground = colour_of(share);
    add(R"(<g class="cell"><title>{}: {:.4f}</title>)", escape(label.name), weight);
    if (shaded) {
      add(R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{}" rx="2" fill="{}"/>)", x - 1, y - 1,
          label.width * text_size * mono_advance + 2, line_height - 3, hex(ground));
    }
    if (label.text != " ") {
      add(R"(<text x="{:.1f}" y="{:.1f}" fill="{}" direction="ltr" unicode-bidi="isolate" )"
          R"(xml:space="preserve">{}</text>)",
          x, y + 14, shaded ? hex(ink_on(ground)) : std::string("currentColor"),
          escape(shorten(label.text, label.width)));
    }
    add("</g>");
  }

  const Output& output_;
  const HeatMap& heat_map_;
  bool stand_alone_;
  std::vector<ShadedLine> lines_;
  Wrapped wrapped_;
};

}  // namespace

std::string draw_text_svg(const Output& output, const HeatMap& heat_map, bool stand_alone) {
  return TextPicture(output, heat_map, stand_alone).draw();
}

}  // namespace fovea
