#include "data/picture.h"

#include <jpeglib.h>
// libjpeg's own order.
#include <jerror.h>
#include <png.h>

#include <algorithm>
#include <cmath>
#include <csetjmp>
#include <utility>

#include "base/as_size.h"
#include "base/error.h"
#include "base/utf8.h"

namespace fovea {

namespace {

constexpr std::uint64_t max_pixels = std::uint64_t(1) << 24, max_across = 1 << 15;

// Before anything is made for them. `note` is put behind the size.
void check_size(std::uint64_t width, std::uint64_t height, std::string_view note = "") {
  if (width == 0 || height == 0) throw data_error("a picture without pixels");
  if (width > max_across || height > max_across) {
    throw data_error("a picture of {} x {} pixels{} where {} are read in each direction; make it smaller", width,
                     height, note, max_across);
  }
  if (width * height > max_pixels) {
    throw data_error("a picture of {} x {} pixels{} where {} are read; make it smaller", width, height, note,
                     max_pixels);
  }
}

Picture decode_png(std::string_view bytes, bool colour) {
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  const auto damaged = [&] { return data_error("a damaged PNG file: {}", printable(image.message)); };
  if (!png_image_begin_read_from_memory(&image, bytes.data(), bytes.size())) throw damaged();
  Picture picture;
  try {
    check_size(image.width, image.height);
    picture.width = static_cast<int>(image.width);
    picture.height = static_cast<int>(image.height);
    picture.channels = colour ? 3 : 1;
    picture.pixels.resize(std::size_t(image.width) * image.height * as_size(picture.channels));
  } catch (...) {
    png_image_free(&image);
    throw;
  }
  image.format = colour ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
  const png_color white = {255, 255, 255};
  if (!png_image_finish_read(&image, &white, picture.pixels.data(), 0, nullptr)) throw damaged();
  return picture;
}

// What libjpeg does when it cannot go on is up to us: it jumps back, with what was wrong.
struct JpegProblem {
  jpeg_error_mgr manager;  // the first: libjpeg knows the whole by it
  std::jmp_buf back;
  char message[JMSG_LENGTH_MAX];
};

void jump_back(j_common_ptr about) {
  auto* problem = reinterpret_cast<JpegProblem*>(about->err);
  problem->manager.format_message(about, problem->message);
  std::longjmp(problem->back, 1);
}

// Where bytes are missing or wrong, libjpeg makes up what is not there and only warns. What else it warns of does no
// harm, and cameras write it.
void heed_warning(j_common_ptr about, int level) {
  if (level >= 0) return;
  switch (about->err->msg_code) {
    case JWRN_ARITH_BAD_CODE:
    case JWRN_BOGUS_PROGRESSION:
    case JWRN_HIT_MARKER:
    case JWRN_HUFF_BAD_CODE:
    case JWRN_JPEG_EOF:
    case JWRN_MUST_RESYNC:
      jump_back(about);
  }
}

// Reads on if `picture` has room for it, else only what size it has. No object with a destructor may stand here: it
// would be jumped over. False: it is damaged.
bool read_jpeg(std::string_view bytes, bool colour, jpeg_decompress_struct& jpeg, JpegProblem& problem,
               Picture& picture) {
  jpeg.err = jpeg_std_error(&problem.manager);
  problem.manager.error_exit = jump_back;
  problem.manager.emit_message = heed_warning;
  if (setjmp(problem.back) != 0) return false;
  jpeg_create_decompress(&jpeg);
  jpeg_mem_src(&jpeg, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  jpeg_read_header(&jpeg, TRUE);
  if (picture.pixels.empty()) return true;
  jpeg.out_color_space = colour ? JCS_RGB : JCS_GRAYSCALE;
  jpeg.dct_method = JDCT_ISLOW;
  jpeg_start_decompress(&jpeg);
  const auto row = as_size(picture.width) * as_size(picture.channels);
  while (jpeg.output_scanline < jpeg.output_height) {
    JSAMPROW into = picture.pixels.data() + jpeg.output_scanline * row;
    if (jpeg_read_scanlines(&jpeg, &into, 1) == 0) return false;
  }
  return true;
}

Picture decode_jpeg(std::string_view bytes, bool colour) {
  Picture picture;
  for (const bool pixels : {false, true}) {
    jpeg_decompress_struct jpeg = {};
    JpegProblem problem = {};
    const bool good = read_jpeg(bytes, colour, jpeg, problem, picture);
    const std::uint64_t width = jpeg.image_width, height = jpeg.image_height;
    jpeg_destroy_decompress(&jpeg);
    if (!good) throw data_error("a damaged JPEG file: {}", printable(problem.message));
    if (pixels) break;
    check_size(width, height);
    picture = {static_cast<int>(width), static_cast<int>(height), colour ? 3 : 1, {}};
    picture.pixels.resize(width * height * static_cast<std::uint64_t>(picture.channels));
  }
  return picture;
}

// What a line of `from` pixels is, brought to `to`: for each new pixel the first old one and the weights from there on.
struct Share {
  int first = 0;
  std::vector<double> weights;
};
std::vector<Share> make_shares(int from, int to) {
  const double ratio = static_cast<double>(from) / to, reach = std::max(1.0, ratio);
  std::vector<Share> shares;
  for (int i = 0; i < to; ++i) {
    const double centre = (i + 0.5) * ratio - 0.5;
    Share share = {std::max(0, static_cast<int>(std::ceil(centre - reach))), {}};
    const int last = std::min(from - 1, static_cast<int>(std::floor(centre + reach)));
    double sum = 0;
    for (int j = share.first; j <= last; ++j) {
      share.weights.push_back(std::max(0.0, 1 - std::abs(j - centre) / reach));
      sum += share.weights.back();
    }
    for (double& weight : share.weights) weight /= sum;
    shares.push_back(std::move(share));
  }
  return shares;
}

}  // namespace

Picture decode_picture(std::string_view bytes, bool colour) {
  if (bytes.starts_with("\x89PNG\r\n\x1a\n")) return decode_png(bytes, colour);
  if (bytes.starts_with("\xff\xd8\xff")) return decode_jpeg(bytes, colour);
  throw data_error("neither a PNG nor a JPEG file");
}

IdxHeader parse_idx_header(std::string_view bytes) {
  using namespace std::string_view_literals;
  if (bytes.size() < IdxHeader::bytes || !bytes.starts_with("\0\0\x08\x03"sv)) {
    throw data_error("no idx file of pictures; is it packed?");
  }
  const auto number = [&](std::size_t from) {
    std::uint32_t value = 0;
    for (std::size_t i = from; i < from + 4; ++i) value = value << 8 | static_cast<std::uint8_t>(bytes[i]);
    return value;
  };
  const IdxHeader header = {number(4), number(8), number(12)};
  check_size(header.width, header.height);
  return header;
}

Picture decode_idx(const IdxHeader& header, std::string_view pixels, bool colour) {
  if (pixels.size() != header.pixels()) throw data_error("an idx file that ends within a picture");
  Picture picture = {static_cast<int>(header.width), static_cast<int>(header.height), colour ? 3 : 1, {}};
  picture.pixels.reserve(pixels.size() * as_size(picture.channels));
  for (const char pixel : pixels) {
    picture.pixels.insert(picture.pixels.end(), as_size(picture.channels), static_cast<std::uint8_t>(pixel));
  }
  return picture;
}

void append_picture(Picture& picture, const Picture& next) {
  if (picture.width == 0) {
    picture = next;
    return;
  }
  if (next.height != picture.height) {
    throw data_error("{} pixels high beside one of {}: only pictures of one height are set side by side", next.height,
                     picture.height);
  }
  check_size(std::uint64_t(picture.width) + std::uint64_t(next.width), static_cast<std::uint64_t>(picture.height));
  Picture both = {picture.width + next.width, picture.height, picture.channels, {}};
  both.pixels.reserve(picture.pixels.size() + next.pixels.size());
  for (int y = 0; y < both.height; ++y) {
    for (const Picture* one : {&std::as_const(picture), &next}) {
      const auto row = std::ptrdiff_t(one->width) * one->channels;
      both.pixels.insert(both.pixels.end(), one->pixels.begin() + y * row, one->pixels.begin() + (y + 1) * row);
    }
  }
  picture = std::move(both);
}

std::string encode_png(const Picture& picture) {
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(picture.width);
  image.height = static_cast<png_uint_32>(picture.height);
  image.format = picture.channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
  png_alloc_size_t size = 0;
  const auto write = [&](void* into) {
    const bool good = png_image_write_to_memory(&image, into, &size, 0, picture.pixels.data(), 0, nullptr) != 0;
    if (!good) throw Error(ErrorKind::failure, fmt::format("a picture cannot be written: {}", image.message));
  };
  write(nullptr);
  std::string bytes(size, '\0');
  write(bytes.data());
  bytes.resize(size);
  return bytes;
}

ScaledPicture scale_picture(const Picture& picture, int height) {
  const int channels = picture.channels;
  const double ratio = static_cast<double>(height) / picture.height;
  const int width = std::max(1, static_cast<int>(std::lround(picture.width * ratio)));
  check_size(static_cast<std::uint64_t>(width), static_cast<std::uint64_t>(height),
             fmt::format(" (from {} x {}, at the height that is read)", picture.width, picture.height));
  const auto across = make_shares(picture.width, width), down = make_shares(picture.height, height);
  std::vector<double> narrow(as_size(picture.height) * width * channels);  // only across
  auto out = narrow.begin();
  for (int y = 0; y < picture.height; ++y) {
    for (const Share& share : across) {
      for (int c = 0; c < channels; ++c, ++out) {
        const std::uint8_t* pixel =
            picture.pixels.data() + (std::ptrdiff_t(y) * picture.width + share.first) * channels + c;
        for (const double weight : share.weights) *out += weight * *pixel, pixel += channels;
      }
    }
  }
  ScaledPicture scaled = {width, {}};
  const std::ptrdiff_t row = std::ptrdiff_t(width) * channels;
  for (const Share& share : down) {
    for (std::ptrdiff_t i = 0; i < row; ++i) {
      double sum = 0;
      for (std::size_t k = 0; k < share.weights.size(); ++k) {
        sum += share.weights[k] * narrow[as_size((share.first + static_cast<int>(k)) * row + i)];
      }
      scaled.values.push_back(static_cast<float>(sum / 255));
    }
  }
  return scaled;
}

Picture shrink_picture(const Picture& picture, std::int64_t max_pixels) {
  const double pixels = static_cast<double>(picture.width) * picture.height;
  if (pixels <= static_cast<double>(max_pixels)) return picture;
  const double factor = std::sqrt(static_cast<double>(max_pixels) / pixels);
  const int height = std::max(1, static_cast<int>(picture.height * factor));
  const ScaledPicture scaled = scale_picture(picture, height);
  // One line of pixels is not made lower: it is cut.
  const int width = std::min(scaled.width, static_cast<int>(max_pixels / height));
  Picture small = {width, height, picture.channels, {}};
  const std::ptrdiff_t row = std::ptrdiff_t(scaled.width) * picture.channels;
  for (int y = 0; y < height; ++y) {
    const float* value = scaled.values.data() + y * row;
    for (std::ptrdiff_t i = 0; i < std::ptrdiff_t(width) * picture.channels; ++i) {
      small.pixels.push_back(static_cast<std::uint8_t>(std::lround(255 * std::clamp(value[i], 0.0F, 1.0F))));
    }
  }
  return small;
}

}  // namespace fovea
