// Pictures: PNG by libpng, JPEG by libjpeg-turbo, and many of one size in an idx file, as collections of written digits
// are handed on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fovea {

struct Picture {
  int width = 0;
  int height = 0;
  int channels = 1;                  // grey, or 3: red, green, blue
  std::vector<std::uint8_t> pixels;  // [height, width, channels]
};

// From the bytes of a file, in grey or in colour whatever it has; what shines through shows white. Throws a data_error:
// for other formats, for what is damaged, for more than 16 million pixels.
Picture decode_picture(std::string_view bytes, bool colour);

// How an idx file of pictures begins: 0 0 8 3, then how many there are, their height and their width, four bytes each,
// the highest first. Behind that stand their pixels, a byte each.
struct IdxHeader {
  static constexpr std::size_t bytes = 16;

  std::uint32_t count = 0;
  std::uint32_t height = 0;
  std::uint32_t width = 0;

  std::size_t pixels() const { return std::size_t(height) * width; }                     // of one picture
  std::uint64_t place(std::uint64_t number) const { return bytes + number * pixels(); }  // of one, from 0
};
// From the first bytes of a file. Throws a data_error: for other files, for more than 16 million pixels a picture.
IdxHeader parse_idx_header(std::string_view bytes);
// From its pixels alone. Throws a data_error if there are fewer.
Picture decode_idx(const IdxHeader& header, std::string_view pixels, bool colour);

// Puts the next one at its right side. Throws a data_error: of another height, or more than 16 million pixels in all.
void append_picture(Picture& picture, const Picture& next);

std::string encode_png(const Picture& picture);

// The same with at most so many pixels, its sides in proportion as far as whole pixels go.
Picture shrink_picture(const Picture& picture, std::int64_t max_pixels);

// The numbers of a picture, [height, width, channels] from 0 to 1, brought to a height; its width in proportion, at
// least one. Each pixel is a mean of those around its place, weighed by how near they are (a triangle, as wide as the
// picture is made smaller).
struct ScaledPicture {
  int width = 0;
  std::vector<float> values;
};
ScaledPicture scale_picture(const Picture& picture, int height);

}  // namespace fovea
