// image: a picture, named by the cell, as regions in columns from left to right (Regions in data/source.h); several are
// set side by side, and digits.idx#17 is a picture of many in one file. It is brought to one height; its numbers are 2
// p less their mean, p from 0 to 1; behind its right end they are 0.
#include <bit>
#include <charconv>
#include <numeric>
#include <optional>

#include "base/as_size.h"
#include "base/error.h"
#include "data/named_parts.h"
#include "data/picture.h"
#include "data/source.h"

namespace fovea {

namespace {

constexpr std::uint64_t max_picture_bytes = std::uint64_t(64) << 20;
constexpr std::int64_t max_shown_pixels = 1 << 19;

// Which picture of an idx file a name asks for, counted from 0: 17 of "digits.idx#17". The name is left without it.
std::optional<std::uint64_t> cut_number(std::string_view& name) {
  const std::size_t sign = name.rfind('#');
  if (sign == name.npos) return {};
  const std::string_view digits = name.substr(sign + 1);
  std::uint64_t number = 0;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (failure != std::errc() || end != digits.data() + digits.size()) return {};
  name = name.substr(0, sign);
  return number;
}

Picture read_one_picture(SourceCell cell, const std::string& folder, bool colour) {
  const auto naming = [&](const auto& take) { return naming_file(cell, folder, take); };
  const std::optional<std::uint64_t> number = cut_number(cell.text);
  if (!number) {
    const std::string bytes = read_named_file(cell, folder, max_picture_bytes);
    return naming([&] { return decode_picture(bytes, colour); });
  }
  const std::string first = read_named_part(cell, folder, 0, IdxHeader::bytes);
  const IdxHeader header = naming([&] {
    const IdxHeader parsed = parse_idx_header(first);
    if (*number < parsed.count) return parsed;
    throw data_error("no picture {}: it has {}, counted from 0", *number, parsed.count);
  });
  const std::string pixels = read_named_part(cell, folder, header.place(*number), header.pixels());
  return naming([&] { return decode_idx(header, pixels, colour); });
}

Picture read_picture(const SourceCell& cell, const std::string& folder, bool colour) {
  Picture picture;
  for (const SourceCell& one : named_one_by_one(cell)) {
    const Picture next = read_one_picture(one, folder, colour);
    naming_file(one, folder, [&] { append_picture(picture, next); });
  }
  return picture;
}

Regions regions_of(const ImageOptions& options) {
  if (!std::has_single_bit(static_cast<unsigned>(options.region))) {
    throw usage_error("source.image.region = {}: a power of two is wanted, such as 4 or 8", options.region);
  }
  if (options.height % options.rows != 0) {
    throw usage_error("source.image.rows = {}: it must divide source.image.height = {}", options.rows, options.height);
  }
  return {options.rows, options.height / options.rows, options.region, options.colour ? 3 : 1};
}

class ImageSource : public Source {
 public:
  ImageSource(std::string folder, const ImageOptions& options)
      : folder_(std::move(folder)), options_(options), regions_(regions_of(options)) {}

  SourceData encode(const SourceCell& cell) const override {
    const Picture picture = read_picture(cell, folder_, options_.colour);
    const ScaledPicture scaled = naming_file(cell, folder_, [&] { return scale_picture(picture, options_.height); });
    const double sum = std::accumulate(scaled.values.begin(), scaled.values.end(), 0.0);
    const auto mean = static_cast<float>(sum / static_cast<double>(scaled.values.size()));
    const Regions& r = regions_;
    const int columns = (scaled.width + r.width - 1) / r.width;
    SourceData data;
    data.length = columns * r.rows;
    data.picture_width = picture.width;
    data.picture_height = picture.height;
    data.rows.reserve(as_size(data.length) * as_size(r.numbers()));
    for (int i = 0; i < data.length; ++i) {
      const int left = i / r.rows * r.width, top = i % r.rows * r.height;
      for (int y = top; y < top + r.height; ++y) {
        for (int x = left; x < left + r.width; ++x) {
          for (int c = 0; c < r.channels; ++c) {
            const auto at = as_size((y * scaled.width + x) * r.channels + c);
            data.rows.push_back(x < scaled.width ? 2 * (scaled.values[at] - mean) : 0.0F);
          }
        }
      }
    }
    return data;
  }

  // In pixels of the picture as it is; strips are counted, other regions have a row and a column, from 1.
  std::vector<SourcePosition> positions(const SourceData& data, std::span<const Token>) const override {
    std::vector<SourcePosition> positions;
    const double scale = static_cast<double>(data.picture_height) / options_.height;
    for (int i = 0; i < data.length; ++i) {
      const int column = i / regions_.rows, row = i % regions_.rows;
      const auto edge = [&](int pixel, int most) { return std::min(static_cast<int>(pixel * scale), most); };
      const Box box = {edge(column * regions_.width, data.picture_width),
                       edge(row * regions_.height, data.picture_height),
                       edge((column + 1) * regions_.width, data.picture_width),
                       edge((row + 1) * regions_.height, data.picture_height)};
      std::string name = std::to_string(column + 1);
      if (regions_.rows > 1) name = fmt::format("{},{}", row + 1, column + 1);
      positions.push_back({std::move(name), i, i + 1, box});
    }
    return positions;
  }

  // In its colours, also where the model sees none.
  std::vector<Media> media(const SourceCell& cell) const override {
    const Picture picture = read_picture(cell, folder_, true);
    return {{"image/png", encode_png(shrink_picture(picture, max_shown_pixels)), picture.width, picture.height}};
  }

  SourceShape shape() const override { return SourceShape::of_picture(regions_); }
  std::map<std::string, std::string> learned() const override { return {}; }

 private:
  std::string folder_;
  ImageOptions options_;
  Regions regions_;
};

SourcePtr learn_image(const SourceOptions& options, std::span<const SourceCell> cells, std::vector<int>& lengths) {
  auto source = std::make_shared<ImageSource>(options.folder, options.image);
  for (const SourceCell& cell : cells) lengths.push_back(source->encode(cell).length);
  return source;
}

SourcePtr restore_image(const SourceOptions& options, const LearnedTexts&) {
  return std::make_shared<ImageSource>(options.folder, options.image);
}

// Strips for what is written in a line, a grid for what is more square; colour where there is any.
std::vector<SourceChoice> choose_image(const SourceOptions& options, std::span<const SourceCell> cells) {
  constexpr std::size_t looked_at = 20;
  double width = 0, height = 0;
  bool colour = false;
  for (const SourceCell& cell : cells.first(std::min(cells.size(), looked_at))) {
    const Picture picture = read_picture(cell, options.folder, true);
    width += picture.width;
    height += picture.height;
    for (std::size_t i = 0; i + 2 < picture.pixels.size() && !colour; i += 3) {
      colour = picture.pixels[i] != picture.pixels[i + 1] || picture.pixels[i] != picture.pixels[i + 2];
    }
  }
  if (height == 0) return {};
  const bool line = width >= 2 * height;
  const std::string reason = fmt::format("pictures {:.1f} times as wide as high", width / height);
  return {{"image.rows", line ? "1" : "4", reason},
          {"image.region", line ? "4" : "8", reason},
          {"image.colour", colour ? "true" : "false", colour ? "there are colours" : "there are no colours"}};
}

// What is read in a line is read from one end to the other. Of a grid any two regions may have to do with each other,
// and what is told of one is to stand where it is seen.
std::vector<SourceChoice> choose_image_encoder(const SourceOptions& options) {
  if (options.image.rows == 1) return {};
  const std::string reason = fmt::format("{} rows of regions, which look at one another", options.image.rows);
  return {{"kind", "transformer", reason}, {"layers", "2", reason}};
}

bool names_pictures(std::string_view cell) { return names_files_like(cell, {".png", ".jpg", ".jpeg"}); }

}  // namespace

extern const SourceKind Source_image = {.name = "image",
                                        .description = "the name of a .png or .jpeg file, or of several: regions",
                                        .learn = learn_image,
                                        .restore = restore_image,
                                        .symbols = false,
                                        .choose = choose_image,
                                        .choose_encoder = choose_image_encoder,
                                        .names_files = true,
                                        .suits = names_pictures};

}  // namespace fovea
