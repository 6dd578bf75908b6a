#include "data/rows.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>

#include "base/as_size.h"
#include "base/error.h"
#include "base/utf8.h"
#include "data/named_parts.h"

namespace fovea {

namespace {

constexpr std::uint64_t max_bytes = std::uint64_t(64) << 20;
constexpr std::size_t max_numbers = std::size_t(16) << 20;

static_assert(std::endian::native == std::endian::little, "numbers of .npy files are read as they stand");

float as_finite(double value, std::size_t index) {
  if (!std::isfinite(value) || std::abs(value) > 1e30) throw data_error("number {} is not finite", index + 1);
  return static_cast<float>(value);
}

template <class Number>
void take(std::string_view bytes, std::vector<float>& values) {
  for (std::size_t i = 0; i < bytes.size() / sizeof(Number); ++i) {
    Number number;
    std::memcpy(&number, bytes.data() + i * sizeof(Number), sizeof(Number));
    values.push_back(as_finite(static_cast<double>(number), i));
  }
}

struct NumberType {
  std::string_view name;
  std::size_t size;
  void (*take)(std::string_view bytes, std::vector<float>& values);
};
constexpr NumberType number_types[] = {
    {"<f4", 4, take<float>},         {"<f8", 8, take<double>},        {"|u1", 1, take<std::uint8_t>},
    {"|i1", 1, take<std::int8_t>},   {"<i2", 2, take<std::int16_t>},  {"<u2", 2, take<std::uint16_t>},
    {"<i4", 4, take<std::int32_t>},  {"<u4", 4, take<std::uint32_t>}, {"<i8", 8, take<std::int64_t>},
    {"<u8", 8, take<std::uint64_t>},
};

// The value of a key of the header, a Python dictionary: up to `last`.
std::string_view npy_value(std::string_view header, std::string_view key, char first, char last) {
  const std::size_t at = header.find(key);
  const std::size_t begin = at == header.npos ? at : header.find(first, at + key.size());
  const std::size_t end = begin == header.npos ? begin : header.find(last, begin + 1);
  if (end == header.npos) throw data_error("a .npy header without {}", key);
  return header.substr(begin + 1, end - begin - 1);
}

std::vector<std::size_t> npy_shape(std::string_view text) {
  std::vector<std::size_t> shape;
  while (true) {
    const std::size_t begin = text.find_first_of("0123456789");
    if (begin == text.npos) return shape;
    std::size_t number = 0;
    const auto [end, problem] = std::from_chars(text.data() + begin, text.data() + text.size(), number);
    if (problem != std::errc() || number > max_numbers) throw data_error("a .npy array beyond measure");
    shape.push_back(number);
    text.remove_prefix(as_size(end - text.data()));
  }
}

}  // namespace

Rows parse_rows(std::string_view text) {
  Rows rows;
  int width = 0;  // of the row that is being read
  const auto end_row = [&] {
    if (width == 0) return;
    if (rows.width != 0 && rows.width != width) {
      throw data_error("row {} has {} numbers, the first has {}", rows.values.size() / as_size(rows.width) + 1, width,
                       rows.width);
    }
    rows.width = width;
    width = 0;
  };
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == ';' || c == '\n') end_row();
    if (c == ';' || c == '\n' || c == ' ' || c == ',' || c == '\t' || c == '\r') {
      ++at;
      continue;
    }
    double value = 0;
    const std::size_t stop = std::min(text.find_first_of("; ,\n\t\r", at), text.size());
    const bool plus = c == '+' && at + 1 < stop && text[at + 1] != '-';
    const char *begin = text.data() + at + (plus ? 1 : 0), *last = text.data() + stop;
    const auto [end, problem] = std::from_chars(begin, last, value);
    if (problem != std::errc() || end != last) {
      throw data_error("\"{}\" where a number is wanted", beginning(text.substr(at, stop - at), 20));
    }
    if (rows.values.size() == max_numbers) throw data_error("more than {} numbers", max_numbers);
    rows.values.push_back(as_finite(value, rows.values.size()));
    ++width;
    at = stop;
  }
  end_row();
  return rows;
}

Rows parse_npy(std::string_view bytes) {
  constexpr std::string_view magic = "\x93NUMPY";
  if (!bytes.starts_with(magic) || bytes.size() < 12) throw data_error("not a .npy file");
  const auto byte = [&](std::size_t at) { return as_size(static_cast<unsigned char>(bytes[at])); };
  const std::size_t version = byte(6);
  const std::size_t start = version == 1 ? 10 : 12;
  const std::size_t length =
      version == 1 ? byte(8) | byte(9) << 8 : byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24;
  if (version < 1 || version > 3 || length > bytes.size() - start) throw data_error("a .npy header beyond the file");
  const std::string_view header = bytes.substr(start, length);
  const std::string_view type_name = npy_value(header, "'descr'", '\'', '\'');
  const auto* type = std::ranges::find(number_types, type_name, &NumberType::name);
  if (type == std::end(number_types)) {
    throw data_error("a .npy array of type {}; save it as float32", beginning(type_name, 20));
  }
  if (npy_value(header, "'fortran_order'", ' ', ',').find("True") != std::string_view::npos) {
    throw data_error("a .npy array in Fortran's order; save numpy.ascontiguousarray of it");
  }
  const std::vector<std::size_t> shape = npy_shape(npy_value(header, "'shape'", '(', ')'));
  if (shape.empty() || shape.size() > 2)
    throw data_error("a .npy array of {} axes where 1 or 2 are wanted", shape.size());
  const std::size_t width = shape.size() == 2 ? shape[1] : 1;
  const std::string_view numbers = bytes.substr(start + length);
  if (width == 0 || shape[0] > max_numbers / width || shape[0] * width * type->size != numbers.size()) {
    throw data_error("a .npy array whose shape does not fit its {} bytes", numbers.size());
  }
  if (shape[0] == 0) throw data_error("a .npy array without a row");
  Rows rows = {static_cast<int>(width)};
  type->take(numbers, rows.values);
  return rows;
}

Rows read_rows(const SourceCell& cell, std::string_view folder) {
  const bool numbers = cell.text.find_first_not_of("0123456789+-.eE,; ") == cell.text.npos;
  const bool rows = cell.text.find(';') != cell.text.npos && cell.text.find_first_of("0123456789") == 0;
  if (numbers || rows) return parse_rows(cell.text);
  std::string bytes;
  try {
    bytes = read_named_file(cell, folder, max_bytes);
  } catch (const Error& e) {
    throw data_error("{}; a column of vectors has rows of numbers such as \"0.5 1; 2 3\", or the name of a file",
                     e.what());
  }
  return naming_file(cell, folder, [&] { return cell.text.ends_with(".npy") ? parse_npy(bytes) : parse_rows(bytes); });
}

}  // namespace fovea
