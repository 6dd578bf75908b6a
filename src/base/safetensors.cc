#include "base/safetensors.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/json.h"
#include "base/utf8.h"

namespace fovea {
namespace {

static_assert(std::endian::native == std::endian::little, "the file is little-endian and read by copying");

using Limits = SafetensorsLimits;

constexpr std::size_t length_bytes = 8;
constexpr std::size_t data_alignment = 64;
// The header begins with exactly this, so the checksum has a fixed place.
constexpr std::string_view header_opening = R"({"__metadata__":{"checksum":")";
constexpr std::size_t checksum_digits = 32;
constexpr std::string_view no_checksum = "00000000000000000000000000000000";
static_assert(no_checksum.size() == checksum_digits);
constexpr int format_version = 2;
constexpr std::uint64_t max_numbers_at_once = Limits::max_file / sizeof(float);

// XXH3, 128 bits, of the whole file with zeros in the place of the checksum's digits.
class Checksum {
 public:
  Checksum() : state_(XXH3_createState(), &XXH3_freeState) {
    if (!state_) throw std::bad_alloc();
    XXH3_128bits_reset(state_.get());
  }
  void add(std::string_view bytes) { XXH3_128bits_update(state_.get(), bytes.data(), bytes.size()); }
  // The length and the header, which has the digits.
  void add_header(std::string_view length, std::string_view header) {
    for (const std::string_view part : {length, header_opening, no_checksum}) add(part);
    add(header.substr(header_opening.size() + checksum_digits));
  }
  std::string digits() const {
    const XXH128_hash_t hash = XXH3_128bits_digest(state_.get());
    return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
  }

 private:
  std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state_;
};

// How many numbers a shape holds. Dimensions of zero do not excuse the others: their product is bounded all the same.
std::optional<std::uint64_t> count_numbers(const std::vector<std::int64_t>& shape) {
  std::uint64_t product = 1;
  bool empty = false;
  for (const std::int64_t size : shape) {
    if (size < 0) return std::nullopt;
    empty = empty || size == 0;
    const auto factor = static_cast<std::uint64_t>(std::max<std::int64_t>(size, 1));
    if (factor > max_numbers_at_once / product) return std::nullopt;
    product *= factor;
  }
  return empty ? 0 : product;
}

bool all_finite(std::span<const float> values) {
  return std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); });
}

// Takes the header word by word and allows nothing but the one structure there is, so that its depth is bounded and
// nothing is kept that was not asked for.
class HeaderReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  HeaderReader(std::string_view file, std::uint64_t data_size) : file_(file), data_size_(data_size) {}

  TensorHeader take() { return std::move(header_); }

  bool start_object(std::size_t) override {
    if (where_ == Where::outside) return go(Where::top);
    if (where_ == Where::top && key_ == "__metadata__") return go(Where::metadata);
    if (where_ == Where::top) return go(Where::array);
    throw unexpected("an object");
  }

  bool key(std::string& name) override {
    key_ = name;
    if (where_ == Where::metadata) {
      const bool is_new = header_.metadata.try_emplace(name).second;
      if (!is_new) throw error("the metadata key {} occurs twice", beginning(name));
    } else if (where_ == Where::array) {
      const bool is_new = std::find(seen_.begin(), seen_.end(), name) == seen_.end();
      if (!is_new) throw array_error("the field {} occurs twice", beginning(name));
      if (name != "dtype" && name != "shape" && name != "data_offsets") {
        throw array_error("unknown field {}", beginning(name));
      }
      seen_.push_back(name);
    } else if (name == "__metadata__") {
      if (std::exchange(metadata_seen_, true)) throw error("__metadata__ occurs twice");
    } else {
      begin_array(name);
    }
    return true;
  }

  bool string(std::string& value) override {
    if (where_ == Where::metadata) {
      if (key_ == "fovea") check_version(value);
      header_.metadata[key_] = std::move(value);
      return true;
    }
    if (where_ != Where::array || key_ != "dtype") throw unexpected("a text");
    if (value != "F32") throw array_error("numbers of type {}, only F32 is read", beginning(value));
    return true;
  }

  bool start_array(std::size_t) override {
    if (where_ != Where::array || key_ == "dtype") throw unexpected("a list");
    return go(key_ == "shape" ? Where::shape : Where::offsets);
  }

  bool number_unsigned(std::uint64_t value) override {
    if (where_ == Where::shape) {
      auto& shape = header_.arrays.back().shape;
      if (shape.size() == Limits::max_rank) throw array_error("more than {} dimensions", Limits::max_rank);
      if (value > max_numbers_at_once) throw array_error("a dimension of {} is too large", value);
      shape.push_back(static_cast<std::int64_t>(value));
    } else if (where_ == Where::offsets) {
      if (offsets_.size() == 2) throw array_error("more than two data_offsets");
      offsets_.push_back(value);
    } else {
      throw unexpected("a number");
    }
    return true;
  }

  bool end_array() override { return go(Where::array); }

  bool end_object() override {
    if (where_ == Where::top) {
      finish();
      return go(Where::outside);
    }
    if (where_ == Where::array) end_array_entry();
    return go(Where::top);
  }

  bool null() override { throw unexpected("null"); }
  bool boolean(bool) override { throw unexpected("true or false"); }
  bool number_integer(std::int64_t) override { throw unexpected("a negative number"); }
  bool number_float(double, const std::string&) override { throw unexpected("a number not whole or too large"); }
  bool binary(nlohmann::json::binary_t&) override { throw unexpected("binary data"); }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
    throw error("the header is not JSON at its byte {}", position);
  }

 private:
  enum class Where { outside, top, metadata, array, shape, offsets };

  bool go(Where where) {
    where_ = where;
    return true;
  }

  template <class... Args>
  Error error(fmt::format_string<Args...> text, Args&&... args) const {
    return model_error("{}: {}", file_, fmt::format(text, std::forward<Args>(args)...));
  }
  template <class... Args>
  Error array_error(fmt::format_string<Args...> text, Args&&... args) const {
    const std::string name = beginning(header_.arrays.back().name);
    return error("array {}: {}", name, fmt::format(text, std::forward<Args>(args)...));
  }
  Error unexpected(std::string_view found) const {
    return error("the header has {} at {} where none belongs", found, key_.empty() ? "its start" : beginning(key_));
  }

  void begin_array(const std::string& name) {
    if (name.empty() || name.size() > Limits::max_name) {
      throw error("an array has a name of {} bytes, allowed are 1 to {}", name.size(), Limits::max_name);
    }
    if (header_.arrays.size() == Limits::max_arrays) throw error("more than {} arrays", Limits::max_arrays);
    if (!header_.arrays.empty() && name <= header_.arrays.back().name) {
      throw error("array {} occurs twice or out of order", beginning(name));
    }
    header_.arrays.push_back({name, {}});
    seen_.clear();
    offsets_.clear();
  }

  void end_array_entry() {
    if (seen_.size() != 3) throw array_error("dtype, shape or data_offsets is missing");
    if (offsets_.size() != 2) throw array_error("data_offsets must be two numbers");
    const std::uint64_t begin = offsets_[0], end = offsets_[1];
    if (begin != covered_) throw array_error("begins at byte {} of the data, expected {}", begin, covered_);
    if (end < begin || end > data_size_) {
      throw array_error("ends at byte {} of the data, which has {}", end, data_size_);
    }
    const auto numbers = count_numbers(header_.arrays.back().shape);
    if (!numbers) throw array_error("its shape is too large");
    if (*numbers * sizeof(float) != end - begin) {
      throw array_error("its shape needs {} bytes, it has {}", *numbers * sizeof(float), end - begin);
    }
    covered_ = end;
  }

  void check_version(const std::string& value) const {
    int version = 0;
    const auto [end, code] = std::from_chars(value.data(), value.data() + value.size(), version);
    if (code != std::errc() || end != value.data() + value.size() || version < 1) {
      throw error("the format version {} is not a number", beginning(value));
    }
    if (version == format_version) return;
    throw error("made by {} Fovea (file format {}, this one reads {}); use that one, or train the model again",
                version > format_version ? "a newer" : "an earlier", version, format_version);
  }

  void finish() {
    if (!header_.metadata.contains("fovea")) throw error("the metadata does not give the format version (fovea)");
    if (covered_ != data_size_) throw error("the arrays cover {} of {} bytes of data", covered_, data_size_);
    header_.metadata.erase("checksum");
    header_.metadata.erase("fovea");
  }

  std::string_view file_;
  std::uint64_t data_size_;
  TensorHeader header_;
  Where where_ = Where::outside;
  std::string key_;
  bool metadata_seen_ = false;
  std::uint64_t covered_ = 0;
  std::vector<std::string> seen_;  // fields of the array being read
  std::vector<std::uint64_t> offsets_;
};

// A file on its way: its bytes, each added to the checksum.
class FileReading {
 public:
  FileReading(const ByteSource& source, std::string_view file) : source_(source), file_(file), left_(source.size) {
    if (left_ > Limits::max_file)
      throw model_error("{}: {} bytes, more than the limit of {}", file, left_, Limits::max_file);
    if (left_ < length_bytes) throw model_error("{}: {} bytes are too few for a model", file, left_);
    char first[length_bytes];
    take(first);
    std::uint64_t length = 0;
    std::memcpy(&length, first, length_bytes);
    if (length > Limits::max_header || length > left_) {
      throw model_error("{}: not a model, or one that was cut short: a header of {} bytes does not fit", file, length);
    }
    // No more is read of something that does not begin like a model, however long it is.
    header_.resize(std::min<std::size_t>(length, header_opening.size() + checksum_digits));
    take(header_);
    if (!header_.starts_with(header_opening) || header_.size() < header_opening.size() + checksum_digits) {
      throw model_error("{}: no Fovea checksum at its start: not a model made by Fovea, or damaged", file);
    }
    header_.resize(length);
    take(std::span(header_).subspan(header_opening.size() + checksum_digits));
    checksum_.add_header({first, length_bytes}, header_);
  }

  TensorHeader header() const {
    if ((length_bytes + header_.size()) % data_alignment != 0) {
      throw model_error("{}: the data does not start at a multiple of {} bytes", file_, data_alignment);
    }
    // JSON needs no control characters, and the parser would take a zero byte for the end.
    if (std::any_of(header_.begin(), header_.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; })) {
      throw model_error("{}: the header contains control characters", file_);
    }
    HeaderReader reader(file_, left_);
    nlohmann::json::sax_parse(header_.begin(), header_.end(), &reader);
    return reader.take();
  }

  // All of an array, in pieces that stay in the cache while they are looked at.
  void numbers(const TensorHeader::Array& array, const std::function<void(std::size_t, std::span<const float>)>& use) {
    const std::size_t count = *count_numbers(array.shape);
    for (std::size_t first = 0; first < count; first += piece_.size()) {
      const std::span<float> piece = std::span(piece_).first(std::min(count - first, piece_.size()));
      const std::span<char> bytes(reinterpret_cast<char*>(piece.data()), piece.size_bytes());
      take(bytes);
      checksum_.add({bytes.data(), bytes.size()});
      if (!all_finite(piece)) throw model_error("{}: array {} contains NaN or infinity", file_, beginning(array.name));
      use(first, piece);
    }
  }

  // Reads on to the end if it is not there yet.
  void check_whole() {
    const std::span<char> bytes(reinterpret_cast<char*>(piece_.data()), piece_.size() * sizeof(float));
    while (left_ > 0) {
      const auto part = bytes.first(std::min<std::uint64_t>(left_, bytes.size()));
      take(part);
      checksum_.add({part.data(), part.size()});
    }
    if (std::string_view(header_).substr(header_opening.size(), checksum_digits) != checksum_.digits()) {
      throw model_error("{}: the checksum does not match: the file is damaged or incomplete; copy it again", file_);
    }
  }

 private:
  void take(std::span<char> to) {
    source_.read(to);
    left_ -= to.size();
  }

  const ByteSource& source_;
  std::string_view file_;
  std::uint64_t left_;
  Checksum checksum_;
  std::string header_;
  std::vector<float> piece_ = std::vector<float>(std::size_t{1} << 14);
};

std::string quoted(const std::string& text) {
  check(!find_invalid_utf8(text), "encode_safetensors: {} is not UTF-8", beginning(text));
  return json_text(Json(text));
}

void check_array(const NamedArray& array) {
  const std::string& name = array.name;
  check(!name.empty() && name.size() <= Limits::max_name && name != "__metadata__",
        "encode_safetensors: {} cannot be the name of an array", name.empty() ? "nothing" : beginning(name));
  check(array.shape.size() <= Limits::max_rank,
        "encode_safetensors: array {} has {} dimensions, at most {} are allowed", beginning(name), array.shape.size(),
        Limits::max_rank);
  const auto numbers = count_numbers(array.shape);
  check(numbers && *numbers == array.values.size(), "encode_safetensors: array {} of shape [{}] has {} values",
        beginning(name), fmt::join(array.shape, ", "), array.values.size());
  check(all_finite(array.values), "encode_safetensors: array {} contains NaN or infinity", beginning(name));
}

}  // namespace

std::string encode_safetensors(const TensorFile& file) {
  check(file.arrays.size() <= Limits::max_arrays, "encode_safetensors: {} arrays, at most {} are allowed",
        file.arrays.size(), Limits::max_arrays);
  std::vector<const NamedArray*> arrays;
  for (const NamedArray& array : file.arrays) {
    check_array(array);
    arrays.push_back(&array);
  }
  std::sort(arrays.begin(), arrays.end(), [](auto* a, auto* b) { return a->name < b->name; });

  std::string bytes(length_bytes, '\0');
  bytes += header_opening;
  bytes += fmt::format(R"({}","fovea":"{}")", no_checksum, format_version);
  for (const auto& [key, value] : file.metadata) {
    check(key != "checksum" && key != "fovea", "encode_safetensors: the metadata key {} belongs to the format", key);
    bytes += fmt::format(",{}:{}", quoted(key), quoted(value));
  }
  bytes += '}';
  std::uint64_t end = 0;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const NamedArray& array = *arrays[i];
    check(i == 0 || arrays[i - 1]->name != array.name, "encode_safetensors: two arrays are called {}",
          beginning(array.name));
    const std::uint64_t begin = std::exchange(end, end + array.values.size() * sizeof(float));
    bytes += fmt::format(R"(,{}:{{"dtype":"F32","shape":[{}],"data_offsets":[{},{}]}})", quoted(array.name),
                         fmt::join(array.shape, ","), begin, end);
  }
  bytes += '}';
  bytes.resize((bytes.size() + data_alignment - 1) / data_alignment * data_alignment, ' ');
  const std::uint64_t length = bytes.size() - length_bytes;
  check(length <= Limits::max_header && end <= Limits::max_file - bytes.size(),
        "encode_safetensors: a header of {} bytes and data of {} are more than the format allows", length, end);
  std::memcpy(bytes.data(), &length, length_bytes);

  bytes.reserve(bytes.size() + end);
  for (const NamedArray* array : arrays) {
    bytes.append(reinterpret_cast<const char*>(array->values.data()), array->values.size() * sizeof(float));
  }
  return seal(std::move(bytes));
}

void read_safetensors(const ByteSource& source, std::string_view name_for_errors,
                      const std::function<TakeNumbers(const TensorHeader&)>& use) {
  const std::string file = printable(name_for_errors);
  FileReading reading(source, file);
  try {
    const TensorHeader header = reading.header();
    const TakeNumbers take = use(header);
    for (std::size_t i = 0; i < header.arrays.size(); ++i) {
      reading.numbers(header.arrays[i],
                      [&](std::size_t first, std::span<const float> numbers) { take(i, first, numbers); });
    }
  } catch (const Error&) {
    reading.check_whole();
    throw;
  }
  reading.check_whole();
}

TensorFile decode_safetensors(std::string_view bytes, std::string_view name_for_errors) {
  TensorFile file;
  read_safetensors(ByteSource::of(bytes), name_for_errors, [&](const TensorHeader& header) {
    file.metadata = header.metadata;
    for (const TensorHeader::Array& array : header.arrays) file.arrays.push_back({array.name, array.shape, {}});
    return [&](std::size_t array, std::size_t, std::span<const float> numbers) {
      auto& values = file.arrays[array].values;
      values.insert(values.end(), numbers.begin(), numbers.end());
    };
  });
  return file;
}

std::string seal(std::string bytes) {
  constexpr std::size_t start = length_bytes + header_opening.size();
  if (bytes.size() < start + checksum_digits) return bytes;
  bytes.replace(start, checksum_digits, no_checksum);
  Checksum checksum;
  checksum.add(bytes);
  return bytes.replace(start, checksum_digits, checksum.digits());
}

}  // namespace fovea
