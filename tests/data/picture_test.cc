#include "data/picture.h"

#include <gtest/gtest.h>

// libjpeg's header needs this one before it.
#include <cstdio>

#include <jpeglib.h>

#include "base/as_size.h"
#include "base/error.h"

namespace fovea::picture_test {
namespace {

std::string refusal(const std::string& bytes) {
  try {
    decode_picture(bytes, false);
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::data);
    return e.what();
  }
  return "";
}

Picture slope(int width, int height, int channels) {
  Picture picture = {width, height, channels, {}};
  for (int i = 0; i < width * height * channels; ++i) picture.pixels.push_back(static_cast<std::uint8_t>(i * 5));
  return picture;
}

std::string jpeg(const Picture& picture) {
  jpeg_compress_struct made = {};
  jpeg_error_mgr problem;
  made.err = jpeg_std_error(&problem);
  jpeg_create_compress(&made);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&made, &bytes, &size);
  made.image_width = static_cast<JDIMENSION>(picture.width);
  made.image_height = static_cast<JDIMENSION>(picture.height);
  made.input_components = picture.channels;
  made.in_color_space = picture.channels == 3 ? JCS_RGB : JCS_GRAYSCALE;
  jpeg_set_defaults(&made);
  jpeg_set_quality(&made, 100, TRUE);
  jpeg_start_compress(&made, TRUE);
  while (made.next_scanline < made.image_height) {
    const auto at = made.next_scanline * as_size(picture.width * picture.channels);
    JSAMPROW row = const_cast<std::uint8_t*>(picture.pixels.data() + at);
    jpeg_write_scanlines(&made, &row, 1);
  }
  jpeg_finish_compress(&made);
  jpeg_destroy_compress(&made);
  const std::string text(reinterpret_cast<char*>(bytes), size);
  std::free(bytes);
  return text;
}

TEST(Picture, ComesBackFromPng) {
  for (const int channels : {1, 3}) {
    const Picture picture = slope(7, 5, channels);
    const Picture back = decode_picture(encode_png(picture), channels == 3);
    EXPECT_EQ(back.width, 7);
    EXPECT_EQ(back.height, 5);
    EXPECT_EQ(back.channels, channels);
    EXPECT_EQ(back.pixels, picture.pixels);
  }
}

TEST(Picture, IsReadAsGreyOrColourWhateverItIs) {
  Picture red = {2, 1, 3, {255, 0, 0, 255, 0, 0}};
  EXPECT_EQ(decode_picture(encode_png(red), true).pixels, red.pixels);
  const Picture grey = decode_picture(encode_png(red), false);
  EXPECT_EQ(grey.channels, 1);
  EXPECT_EQ(grey.pixels.size(), 2u);
  EXPECT_EQ(decode_picture(encode_png({1, 1, 1, {9}}), true).pixels, (std::vector<std::uint8_t>{9, 9, 9}));
}

TEST(Picture, JpegIsReadNearly) {
  Picture picture = {16, 8, 1, std::vector<std::uint8_t>(128, 200)};
  for (const bool colour : {false, true}) {
    const Picture back = decode_picture(jpeg(picture), colour);
    EXPECT_EQ(back.width, 16);
    EXPECT_EQ(back.height, 8);
    ASSERT_EQ(back.pixels.size(), 128u * (colour ? 3 : 1));
    for (const std::uint8_t pixel : back.pixels) EXPECT_NEAR(pixel, 200, 2);
  }
}

TEST(Picture, WhatIsDamagedIsRefused) {
  EXPECT_EQ(refusal("GIF89a"), "neither a PNG nor a JPEG file");
  const std::string png = encode_png(slope(40, 30, 1)), photo = jpeg(slope(40, 30, 1));
  EXPECT_EQ(refusal(png.substr(0, png.size() / 2)).find("a damaged PNG file: "), 0u);
  for (const std::size_t size : {std::size_t(30), photo.size() / 2, photo.size() * 9 / 10}) {
    EXPECT_EQ(refusal(photo.substr(0, size)).find("a damaged JPEG file: "), 0u) << size << " of " << photo.size();
  }
  EXPECT_EQ(refusal(""), "neither a PNG nor a JPEG file");
}

// Cameras leave bytes between the parts of a file.
TEST(Picture, JpegWithBytesThatSayNothingIsRead) {
  std::string photo = jpeg(slope(40, 30, 1));
  const std::size_t table = photo.find("\xff\xdb");
  ASSERT_NE(table, photo.npos);
  const Picture whole = decode_picture(photo, false);
  photo.insert(table, 3, '\x11');
  EXPECT_EQ(decode_picture(photo, false).pixels, whole.pixels);
}

// Of a header that promises too much no pixel is made room for.
TEST(Picture, BeyondMeasureIsRefused) {
  const std::string header =
      std::string("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x75\x30\0\0\x75\x30\x08\0\0\0\0", 29) + std::string(4, '\0');
  EXPECT_NE(refusal(header), "");
  std::string photo = jpeg(slope(40, 30, 1));
  const std::size_t frame = photo.find("\xff\xc0");
  ASSERT_NE(frame, photo.npos);
  photo[frame + 5] = photo[frame + 7] = '\x7f';  // 32,542 x 32,552
  EXPECT_NE(refusal(photo).find("where 16777216 are read; make it smaller"), std::string::npos);
  EXPECT_EQ(refusal(encode_png(slope(33000, 1, 1))),
            "a picture of 33000 x 1 pixels where 32768 are read in each direction; make it smaller");
}

// Two pictures of three rows and two columns.
std::string idx() {
  std::string bytes = {0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 2};
  for (int i = 0; i < 12; ++i) bytes += static_cast<char>(i * 20);
  return bytes;
}

TEST(Picture, IsOneOfManyInAnIdxFile) {
  const std::string bytes = idx();
  const IdxHeader header = parse_idx_header(bytes);
  EXPECT_EQ(header.count, 2u);
  const std::string_view pixels = std::string_view(bytes).substr(header.place(1), header.pixels());
  const Picture grey = decode_idx(header, pixels, false);
  EXPECT_EQ(grey.width, 2);
  EXPECT_EQ(grey.height, 3);
  EXPECT_EQ(grey.pixels, (std::vector<std::uint8_t>{120, 140, 160, 180, 200, 220}));
  const Picture colour = decode_idx(header, pixels, true);
  EXPECT_EQ(colour.pixels.size(), 18u);
  EXPECT_EQ(colour.pixels[5], 140);
  EXPECT_THROW(decode_idx(header, pixels.substr(1), false), Error);
  EXPECT_THROW(parse_idx_header(bytes.substr(0, 15)), Error);
  EXPECT_THROW(parse_idx_header("labels, not pictures"), Error);
  std::string large = bytes;
  large[8] = 1;  // 16 million rows
  EXPECT_THROW(parse_idx_header(large), Error);
  large = bytes;
  large[15] = 0;  // no column
  EXPECT_THROW(parse_idx_header(large), Error);
}

TEST(Picture, IsPutBesideAnother) {
  for (const int channels : {1, 3}) {
    const Picture left = slope(2, 3, channels), right = slope(4, 3, channels);
    Picture both;
    append_picture(both, left);
    append_picture(both, right);
    ASSERT_EQ(both.width, 6);
    ASSERT_EQ(both.pixels.size(), as_size(18 * channels));
    for (int y = 0; y < 3; ++y) {
      for (int i = 0; i < 6 * channels; ++i) {
        const int edge = 2 * channels;
        const auto at = as_size(i < edge ? y * edge + i : y * 2 * edge + i - edge);
        EXPECT_EQ(both.pixels[as_size(y * 6 * channels + i)], (i < edge ? left : right).pixels[at]);
      }
    }
    EXPECT_THROW(append_picture(both, slope(2, 4, channels)), Error) << "of another height";
  }
}

TEST(Picture, IsBroughtToAHeight) {
  const ScaledPicture same = scale_picture(slope(3, 2, 1), 2);
  EXPECT_EQ(same.width, 3);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(same.values[i], i * 5 / 255.0, 1e-6);
  const ScaledPicture half = scale_picture({4, 4, 1, std::vector<std::uint8_t>(16, 51)}, 2);
  EXPECT_EQ(half.width, 2);
  ASSERT_EQ(half.values.size(), 4u);
  for (const float value : half.values) EXPECT_NEAR(value, 0.2, 1e-6);
  // Twice as high, by hand: rows 0, 1/4, 3/4, 1 of the way from 0 to 255.
  const ScaledPicture twice = scale_picture({1, 2, 1, {0, 255}}, 4);
  EXPECT_EQ(twice.width, 2);
  const std::vector<float> wanted = {0, 0.25F, 0.75F, 1};
  for (std::size_t y = 0; y < 4; ++y) EXPECT_NEAR(twice.values[2 * y], wanted[y], 1e-6);
}

TEST(Picture, IsMadeSmallerOnlyWhereItIsTooLarge) {
  const Picture picture = slope(40, 30, 3);
  EXPECT_EQ(shrink_picture(picture, 1200).pixels, picture.pixels);
  const Picture small = shrink_picture(picture, 300);
  EXPECT_EQ(small.width, 20);
  EXPECT_EQ(small.height, 15);
  EXPECT_EQ(small.channels, 3);
  EXPECT_EQ(small.pixels.size(), 900U);
  const Picture line = shrink_picture({1000, 1, 1, std::vector<std::uint8_t>(1000, 7)}, 100);
  EXPECT_EQ(line.width, 100) << "it cannot be made lower";
  EXPECT_EQ(line.pixels, std::vector<std::uint8_t>(100, 7));
}

}  // namespace
}  // namespace fovea::picture_test
