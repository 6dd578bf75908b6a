#include "show/film.h"

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <utf8proc.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/json.h"
#include "base/utf8.h"
#include "show/colour.h"
#include "show/drawing.h"
#include "show/heat_map.h"
#include "show/json.h"
#include "show/page.h"
#include "show/warnings.h"

namespace fovea {

namespace {

constexpr double film_margin = 20, film_top = 56, map_side = 480, film_gap = 40;
constexpr double frame_seconds = 0.5, still_seconds = 2;  // the last frame stays for a while

enum class TokenKind { vowel, letter, digit, other };

// Of letters the base decides: é is a vowel.
TokenKind kind_of(const std::string& token) {
  const std::string sound = repair_utf8(token);
  const auto parts = characters(sound);
  if (parts.size() != 1) return TokenKind::other;
  auto c = static_cast<utf8proc_int32_t>(decode_utf8(parts[0]));
  utf8proc_int32_t base[8];
  if (utf8proc_decompose_char(c, base, 8, UTF8PROC_DECOMPOSE, nullptr) > 0) c = base[0];
  const auto category = utf8proc_category(c);
  if (category == UTF8PROC_CATEGORY_ND) return TokenKind::digit;
  if (category < UTF8PROC_CATEGORY_LU || category > UTF8PROC_CATEGORY_LO) return TokenKind::other;
  const std::u32string_view vowels = U"aeiouyæøœıаеёиоуыэюяєіїαεηιουω";
  const auto lower = static_cast<char32_t>(utf8proc_tolower(c));
  return vowels.find(lower) == std::u32string_view::npos ? TokenKind::letter : TokenKind::vowel;
}

const char* ink_of_kind(TokenKind kind) {
  switch (kind) {
    case TokenKind::vowel:
      return inks[1];
    case TokenKind::letter:
      return inks[0];
    case TokenKind::digit:
      return inks[2];
    default:
      return "#7d8694";
  }
}

// Values of an attribute over the whole film; one that never changes needs no animation.
class Animation {
 public:
  explicit Animation(std::size_t frames) {
    const double moving = frame_seconds * static_cast<double>(frames > 1 ? frames - 1 : 1);
    seconds_ = moving + still_seconds;
    for (std::size_t i = 0; i < frames; ++i) {
      times_ += fmt::format("{}{:.4f}", i ? ";" : "", frame_seconds * static_cast<double>(i) / seconds_);
    }
    times_ += ";1";
  }
  double seconds() const { return seconds_; }

  std::string operator()(const char* attribute, const std::vector<std::string>& values, bool jumps = false) const {
    if (std::ranges::adjacent_find(values, std::ranges::not_equal_to()) == values.end()) return "";
    return fmt::format(
        R"(<animate attributeName="{}" dur="{:.1f}s" repeatCount="indefinite" calcMode="{}" keyTimes="{}" )"
        R"(values="{};{}"/>)",
        attribute, seconds_, jumps ? "discrete" : "linear", times_, fmt::join(values, ";"), values.back());
  }

 private:
  double seconds_ = 0;
  std::string times_;
};

class FilmDrawing : private SvgDrawing {
 public:
  explicit FilmDrawing(std::span<const FilmFrame> frames) : frames_(frames), animation_(frames.size()) {}

  std::string draw() {
    const FilmFrame& last = frames_.back();
    const bool points = !last.points.empty(), sample = !last.samples.empty() && !last.samples[0].maps.empty();
    const double sample_left = film_margin + (points ? map_side + film_gap : 0);
    if (sample) measure_sample();
    const double width = sample ? sample_left + sample_width_ + film_margin : sample_left - film_gap + film_margin;
    const double height = film_top + std::max(map_side, sample ? sample_height_ : 0.0) + 44;
    open(std::max(width, 360.0), height, text_font, 13, "A training, from its first validation to its last",
         R"( color="#1f2430" fill="currentColor")");
    add("<desc>{}</desc>", standing_line);
    add(R"(<rect width="100%" height="100%" rx="10" fill="#ffffff"/>)");
    clock();
    if (points) embeddings();
    if (sample) sample_map(sample_left);
    return close();
  }

 private:
  // Which update it is.
  void clock() {
    for (std::size_t i = 0; i < frames_.size(); ++i) {
      std::vector<std::string> seen(frames_.size(), "hidden");
      seen[i] = "visible";
      add(R"(<text x="{}" y="26" font-size="16" font-weight="600" visibility="{}">update {}{}</text>)", film_margin,
          i + 1 == frames_.size() ? "visible" : "hidden", frames_[i].update, animation_("visibility", seen, true));
    }
  }

  void embeddings() {
    double most = 1e-9;
    for (const FilmFrame& frame : frames_) {
      for (const FilmPoint& point : frame.points) most = std::max({most, std::abs(point.x), std::abs(point.y)});
    }
    add(R"(<text x="{}" y="{}" fill-opacity=".65">embeddings, two principal directions{}</text>)", film_margin,
        film_top - 8, legend());
    add(R"(<rect x="{}" y="{}" width="{}" height="{}" rx="8" fill="#f4f6f9"/>)", film_margin, film_top, map_side,
        map_side);
    const FilmFrame& last = frames_.back();
    for (std::size_t i = 0; i < last.tokens.size(); ++i) {
      std::vector<std::string> places;
      for (const FilmFrame& frame : frames_) {
        const FilmPoint point = i < frame.points.size() ? frame.points[i] : FilmPoint();
        places.push_back(fmt::format("{:.1f} {:.1f}", film_margin + map_side * (0.5 + 0.47 * point.x / most),
                                     film_top + map_side * (0.5 - 0.47 * point.y / most)));
      }
      const Label label = label_of(last.tokens[i]);
      std::string motion;
      if (std::ranges::adjacent_find(places, std::ranges::not_equal_to()) != places.end()) {
        motion = animation_("transform", places);
        motion.replace(0, std::string_view("<animate ").size(), "<animateTransform type=\"translate\" ");
      }
      add(R"svg(<g transform="translate({})">{}<title>{}</title><circle r="2.5" fill="{}" fill-opacity=".5"/>)svg"
          R"svg(<text x="4" y="5" font-family="{}" font-size="15" fill="{}" direction="ltr" )svg"
          R"svg(unicode-bidi="isolate">{}</text></g>)svg",
          places.back(), motion, escape(label.name), ink_of_kind(kind_of(last.tokens[i])), mono_font,
          ink_of_kind(kind_of(last.tokens[i])), escape(shorten(label.text, 14)));
    }
  }

  // What the colours say, if there are letters to be told apart.
  std::string legend() const {
    const auto any = [&](TokenKind kind) {
      return std::ranges::any_of(frames_.back().tokens, [&](const std::string& t) { return kind_of(t) == kind; });
    };
    if (!any(TokenKind::vowel) || !any(TokenKind::letter)) return "";
    std::string text = fmt::format(R"( &#160; <tspan fill="{}" fill-opacity="1">vowels</tspan> &#160; )", inks[1]);
    text += fmt::format(R"(<tspan fill="{}" fill-opacity="1">other letters</tspan>)", inks[0]);
    if (any(TokenKind::digit)) {
      text += fmt::format(R"( &#160; <tspan fill="{}" fill-opacity="1">digits</tspan>)", inks[2]);
    }
    return text;
  }

  void measure_sample() {
    for (const FilmFrame& frame : frames_) {
      if (frame.samples.empty() || frame.samples[0].maps.empty()) continue;
      maps_.push_back(heat_map_of(frame.samples[0], 0));
      rows_ = std::max(rows_, maps_.back().rows.size());
    }
    columns_ = maps_.empty() ? 0 : maps_.back().columns.size();
    cell_ = std::clamp(std::floor(520.0 / static_cast<double>(std::max(columns_, rows_) + 1)), 12.0, 30.0);
    sample_width_ = 90 + cell_ * static_cast<double>(columns_);
    sample_height_ = 40 + cell_ * static_cast<double>(rows_);
  }

  // Frames in which the model had no map show none.
  void sample_map(double left) {
    const double x0 = left + 84, y0 = film_top + 36;
    add(R"(<text x="{}" y="{}" fill-opacity=".65">where it looks, held-out line</text>)", left, film_top - 8);
    add(R"(<rect x="{}" y="{}" width="{}" height="{}" rx="3" fill="{}"/>)", x0 - 2, y0 - 2,
        cell_ * static_cast<double>(columns_) + 4, cell_ * static_cast<double>(rows_) + 4, hex(colour_of(0)));
    for (std::size_t i = 0; i < columns_; ++i) {
      add(R"(<text x="{:.1f}" y="{:.1f}" font-family="{}" font-size="{:.1f}" text-anchor="middle">{}</text>)",
          x0 + cell_ * (static_cast<double>(i) + 0.5), y0 - 8, mono_font, cell_ * 0.6,
          escape(shorten(maps_.back().columns[i].text, 3)));
    }
    for (std::size_t row = 0; row < rows_; ++row) row_of(row, x0, y0 + cell_ * static_cast<double>(row));
  }

  void row_of(std::size_t row, double x0, double y) {
    for (std::size_t frame = 0; frame < maps_.size(); ++frame) {  // what it wrote there changes, too
      std::vector<std::string> seen(maps_.size(), "hidden");
      seen[frame] = "visible";
      const std::string text = row < maps_[frame].rows.size() ? maps_[frame].rows[row].text : "";
      const bool as_before = frame > 0 && text == text_at(row, frame - 1);
      if (text.empty() || as_before) continue;
      for (std::size_t next = frame + 1; next < maps_.size() && text_at(row, next) == text; ++next) {
        seen[next] = "visible";
      }
      add(R"(<text x="{:.1f}" y="{:.1f}" font-family="{}" font-size="{:.1f}" text-anchor="end" visibility="{}">{}{}</text>)",
          x0 - 8, y + cell_ * 0.7, mono_font, std::min(cell_ * 0.62, 15.0), seen.back(), escape(shorten(text, 8)),
          animation_("visibility", seen, true));
    }
    for (std::size_t i = 0; i < columns_; ++i) {
      std::vector<std::string> fills;
      for (const HeatMap& map : maps_) {
        const bool there = row < map.rows.size() && i < map.columns.size();
        fills.push_back(hex(colour_of(there ? map.weight(row, i) : 0)));
      }
      if (std::ranges::all_of(fills, [](const std::string& fill) { return fill == hex(colour_of(0)); })) continue;
      add(R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" rx="2" fill="{}">{}</rect>)",
          x0 + cell_ * static_cast<double>(i) + 0.75, y + 0.75, cell_ - 1.5, cell_ - 1.5, fills.back(),
          maps_.size() == frames_.size() ? animation_("fill", fills) : "");
    }
  }

  std::string text_at(std::size_t row, std::size_t frame) const {
    return row < maps_[frame].rows.size() ? maps_[frame].rows[row].text : "";
  }

  std::span<const FilmFrame> frames_;
  Animation animation_;
  std::vector<HeatMap> maps_;
  std::size_t rows_ = 0, columns_ = 0;
  double cell_ = 0, sample_width_ = 0, sample_height_ = 0;
};

// Moves the pictures' own clock: the drawing is the same with and without it.
constexpr const char* film_script = R"(
const film = document.querySelector('svg'), slider = document.querySelector('input'), play = document.querySelector('button');
const length = Number(slider.max);
let playing = true;
const show = () => { play.textContent = playing ? 'Pause' : 'Play'; };
play.addEventListener('click', () => {
  playing = !playing;
  if (playing) film.unpauseAnimations(); else film.pauseAnimations();
  show();
});
slider.addEventListener('input', () => {
  playing = false;
  film.pauseAnimations();
  film.setCurrentTime(Number(slider.value));
  show();
});
setInterval(() => { if (playing) slider.value = film.getCurrentTime() % length; }, 100);
)";

}  // namespace

std::string frame_to_json(const FilmFrame& frame) {
  OrderedJson json = {{"update", frame.update}, {"validation", frame.validation}};
  OrderedJson points = OrderedJson::array();
  for (const FilmPoint& point : frame.points) points.push_back({point.x, point.y});
  json["embeddings"] = {{"tokens", frame.tokens}, {"points", points}};
  std::string text = json_text(json);
  text.back() = ',';
  text += "\"samples\":[";
  for (const Output& sample : frame.samples) text += (&sample == &frame.samples[0] ? "" : ",") + output_to_json(sample);
  return text + "]}";
}

FilmFrame frame_from_json(std::string_view line) {
  const auto wrong = [](const char* what) { return data_error("film: {}", what); };
  const Json json = parse_json(line);
  if (!json.is_object()) throw wrong("a line is no JSON object");
  FilmFrame frame;
  const auto number = [&](const char* name) {
    if (!json.contains(name) || !json[name].is_number_unsigned()) throw wrong("update or validation is missing");
    return json[name].get<std::int64_t>();
  };
  frame.update = number("update");
  frame.validation = static_cast<int>(std::min<std::int64_t>(number("validation"), 1 << 30));
  const Json embeddings = json.value("embeddings", Json::object());
  if (!embeddings.is_object()) throw wrong("embeddings are no object");
  for (const Json& token : embeddings.value("tokens", Json::array())) {
    if (!token.is_string()) throw wrong("a token is no text");
    frame.tokens.push_back(token.get<std::string>());
  }
  for (const Json& point : embeddings.value("points", Json::array())) {
    const bool sound = point.is_array() && point.size() == 2 && point[0].is_number() && point[1].is_number();
    if (!sound) throw wrong("a point is no pair of numbers");
    frame.points.push_back({point[0].get<double>(), point[1].get<double>()});
    if (!std::isfinite(frame.points.back().x + frame.points.back().y)) throw wrong("a point is not finite");
  }
  if (frame.points.size() != frame.tokens.size()) throw wrong("tokens and points are not equally many");
  for (const Json& sample : json.value("samples", Json::array())) {
    frame.samples.push_back(output_from_json(json_text(sample)));
  }
  return frame;
}

std::string draw_film_svg(std::span<const FilmFrame> frames) {
  check(!frames.empty(), "a film without frames");
  return FilmDrawing(frames).draw();
}

std::string draw_film_page(std::span<const FilmFrame> frames, std::string_view title) {
  const double seconds = Animation(frames.size()).seconds();
  std::string body = fmt::format("<h1>{}: a training as a film</h1>\n", escape_text(title));
  body += fmt::format(
      "<p><button type=\"button\">Pause</button> <label>time <input type=\"range\" min=\"0\" max=\"{:.2f}\" "
      "step=\"0.01\" value=\"0\" style=\"width: 24rem\"/></label></p>\n",
      seconds);
  body += "<div class=\"cards\"><div class=\"card\">" + draw_film_svg(frames) + "</div></div>\n";
  body += fmt::format("<p class=\"standing\">{}</p>\n", standing_line);
  return page(std::string(title) + " – film", body, film_script);
}

}  // namespace fovea
