// scenes: drawn pictures of coloured shapes, each a PNG file, with a caption in English, or with a question and its
// answer. A colour varies around what its name means. Four of the eighty pairs of colour and shape are drawn only when
// `unseen` is asked for, and then at least one is in every picture; each of their colours and shapes is seen in other
// pairs.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include "base/as_size.h"
#include "base/error.h"
#include "base/file_part.h"
#include "base/files.h"
#include "base/random.h"
#include "base/utf8.h"
#include "data/makers/maker.h"
#include "data/picture.h"

namespace fovea {

namespace {

struct SceneColour {
  std::string_view name;
  std::array<std::uint8_t, 3> rgb;
};
constexpr std::array<SceneColour, 10> scene_colours = {{{"red", {220, 40, 40}},
                                                        {"green", {40, 160, 60}},
                                                        {"blue", {50, 80, 220}},
                                                        {"yellow", {235, 205, 40}},
                                                        {"black", {30, 30, 30}},
                                                        {"purple", {150, 60, 180}},
                                                        {"orange", {235, 125, 30}},
                                                        {"pink", {235, 150, 190}},
                                                        {"brown", {115, 70, 35}},
                                                        {"grey", {140, 140, 140}}}};
constexpr int scene_shade = 15;  // the most that an object's red, green and blue differ from those of its colour
constexpr std::array<std::string_view, 8> scene_shapes = {"circle",  "square", "triangle", "cross",
                                                          "diamond", "ring",   "bar",      "pillar"};
constexpr std::size_t scene_kept_back = 4;  // the first shapes, each in the colour of its place
constexpr std::array<std::string_view, 3> scene_rows = {"top", "middle", "bottom"};
constexpr std::array<std::string_view, 3> scene_columns = {"left", "centre", "right"};
constexpr std::array<std::string_view, 4> scene_numbers = {"no", "one", "two", "three"};
constexpr int scene_size = 63, scene_cell = 21;  // pixels; three cells each way

struct SceneObject {
  std::size_t colour = 0;
  std::size_t shape = 0;
  int cell = 0;  // row * 3 + column
  bool large = true;

  std::string_view colour_name() const { return scene_colours[colour].name; }
  std::string_view shape_name() const { return scene_shapes[shape]; }
  std::string text() const { return fmt::format("{} {}", colour_name(), shape_name()); }
  std::string one() const { return (colour_name() == "orange" ? "an " : "a ") + text(); }
  bool kept_back() const { return shape < scene_kept_back && colour == shape; }
  bool is_like(const SceneObject& other) const { return colour == other.colour && shape == other.shape; }
};

class SceneDraws {
 public:
  explicit SceneDraws(const Random& random) : random_(random) {}
  std::uint64_t below(std::uint64_t count) { return random_.below(count, counter_++); }
  bool half() { return below(2) == 1; }
  int around(int most) { return static_cast<int>(below(2 * std::uint64_t(most) + 1)) - most; }  // 0, or so far from it

 private:
  Random random_;
  std::uint64_t counter_ = 0;
};

bool is_inside(std::string_view shape, int x, int y, int half) {  // from the middle
  if (std::abs(x) > half || std::abs(y) > half) return false;
  const int distance = x * x + y * y;
  if (shape == "circle") return distance <= half * half;
  if (shape == "ring") return distance <= half * half && 3 * distance > half * half;
  if (shape == "diamond") return std::abs(x) + std::abs(y) <= half;
  if (shape == "bar") return std::abs(y) <= half / 3;
  if (shape == "pillar") return std::abs(x) <= half / 3;
  if (shape == "triangle") return 2 * std::abs(x) <= y + half;
  if (shape == "cross") return std::abs(x) <= half / 3 || std::abs(y) <= half / 3;
  return true;
}

Picture draw_scene(const std::vector<SceneObject>& objects, SceneDraws& draws) {
  Picture picture = {scene_size, scene_size, 3, {}};
  picture.pixels.assign(std::size_t(scene_size) * scene_size * 3, 255);
  for (const SceneObject& object : objects) {
    const int half = object.large ? 9 : 5;
    const int left = object.cell % 3 * scene_cell + scene_cell / 2 + draws.around(1);
    const int top = object.cell / 3 * scene_cell + scene_cell / 2 + draws.around(1);
    std::array<std::uint8_t, 3> rgb = scene_colours[object.colour].rgb;
    for (std::uint8_t& part : rgb) part = static_cast<std::uint8_t>(part + draws.around(scene_shade));
    for (int y = -half; y <= half; ++y) {
      for (int x = -half; x <= half; ++x) {
        if (!is_inside(object.shape_name(), x, y, half)) continue;
        const auto at = static_cast<std::ptrdiff_t>(((top + y) * scene_size + left + x) * 3);
        std::ranges::copy(rgb, picture.pixels.begin() + at);
      }
    }
  }
  return picture;
}

SceneObject draw_object(SceneDraws& draws, bool kept_back) {
  SceneObject object;
  do {
    object.shape = draws.below(kept_back ? scene_kept_back : scene_shapes.size());
    object.colour = kept_back ? object.shape : draws.below(scene_colours.size());
  } while (object.kept_back() != kept_back);
  object.cell = static_cast<int>(draws.below(9));
  object.large = draws.half();
  return object;
}

struct Scene {
  std::vector<SceneObject> objects;
  std::string caption;
};

// One object and where it is, two and how they stand to each other, or several alike.
Scene make_scene(SceneDraws& draws, bool unseen) {
  Scene scene;
  const SceneObject first = draw_object(draws, unseen);
  scene.objects = {first};
  switch (draws.below(3)) {
    case 0:
      scene.caption = fmt::format("a {} {} at the {} {}", first.large ? "large" : "small", first.text(),
                                  scene_rows[as_size(first.cell / 3)], scene_columns[as_size(first.cell % 3)]);
      break;
    case 1: {
      SceneObject second;
      do {
        second = draw_object(draws, false);
      } while (second.is_like(first));  // which would be two of them
      const bool beside = draws.half();  // else below
      const int along = static_cast<int>(draws.below(3)), near = static_cast<int>(draws.below(2));
      const int far = near + 1 + static_cast<int>(near == 0 ? draws.below(2) : 0);
      scene.objects[0].cell = beside ? along * 3 + near : near * 3 + along;
      second.cell = beside ? along * 3 + far : far * 3 + along;
      scene.caption = fmt::format("{} {} {}", first.one(), beside ? "left of" : "above", second.one());
      scene.objects.push_back(second);
      break;
    }
    default: {
      const std::uint64_t count = 2 + draws.below(2);
      for (std::uint64_t i = 1; i < count; ++i) {
        SceneObject next = first;
        next.cell = (scene.objects.back().cell + 1 + static_cast<int>(draws.below(3))) % 9;
        scene.objects.push_back(next);
      }
      scene.caption = fmt::format("{} {}{}", scene_numbers[count], first.text(), first.shape == 3 ? "es" : "s");
    }
  }
  return scene;
}

struct SceneQuestion {
  std::string question;
  std::string answer;
};

SceneQuestion ask(const Scene& scene, SceneDraws& draws) {
  const SceneObject& first = scene.objects[0];
  const bool unlike = scene.objects.size() == 2 && scene.objects[1].shape != first.shape;
  switch (draws.below(4)) {
    case 0:
      return {"how many objects are there", std::string(scene_numbers[scene.objects.size()])};
    case 1: {
      SceneObject asked = draw_object(draws, false);
      if (draws.half()) asked = first;
      bool there = false;
      for (const SceneObject& object : scene.objects) there |= object.is_like(asked);
      return {fmt::format("is there {}", asked.one()), there ? "yes" : "no"};
    }
    case 2:
      if (unlike || scene.objects.size() == 1) {
        return {fmt::format("what colour is the {}", first.shape_name()), std::string(first.colour_name())};
      }
      [[fallthrough]];
    default:
      // The first in reading order: of the first object no other is left of it or above it.
      return {"what shape is the first object",
              std::string(std::ranges::min(scene.objects, {}, &SceneObject::cell).shape_name())};
  }
}

// Not with the care that a model is written with: it can be made again. Only what may have been drawn here before is
// written over: a PNG file of the same size and colours, or the beginning of one.
void write_scene(const std::string& path, std::string_view png) {
  constexpr std::size_t up_to_colours = 26;
  std::error_code none;
  if (std::filesystem::exists(path, none) && !png.starts_with(read_file_part(path, 0, up_to_colours))) {
    throw usage_error("{} is there already and is no drawn scene; choose another folder for `pictures`",
                      printable(path));
  }
  std::ofstream file(path, std::ios::binary);
  if (!(file << png).flush()) throw Error(ErrorKind::failure, fmt::format("{}: cannot be written", printable(path)));
}

MakeLine begin_scenes(const MakerOptions& options, std::uint64_t seed) {
  if (options.pictures.empty()) throw usage_error("scenes needs a folder for its pictures; give one with `pictures` F");
  Files files;
  files.make_directories(options.pictures);
  return [options, seed](std::uint64_t index) {
    SceneDraws draws(Random(seed, Purpose::data).at(options.unseen ? ~index : index));
    const Scene scene = make_scene(draws, options.unseen);
    Example example;
    example.source = (std::filesystem::path(options.pictures) /
                      fmt::format("{}{}-{}.png", options.unseen ? "unseen-" : "", seed, index))
                         .string();
    example.target = scene.caption;
    const Picture picture = draw_scene(scene.objects, draws);
    if (options.answer == "question") {
      const SceneQuestion asked = ask(scene, draws);
      example.others = {asked.question};
      example.target = asked.answer;
    }
    write_scene(example.source, encode_png(picture));
    example.line = static_cast<std::int64_t>(index) + 1;
    return example;
  };
}

}  // namespace

extern const Maker Maker_scenes = {"scenes",
                                   "drawn pictures; target: a caption, or the answer to a question",
                                   begin_scenes,
                                   {"pictures", "answer", "unseen"},
                                   {"caption", "question"}};

}  // namespace fovea
