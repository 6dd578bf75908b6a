#include "base/safetensors.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/utf8.h"

namespace fovea {
namespace {

static_assert(std::endian::native == std::endian::little, "the file is little-endian and read by copying");

using Limits = SafetensorsLimits;

constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kAlignment = 64;
// The header begins with exactly this, so the checksum has a fixed place and is verified before anything is parsed.
constexpr std::string_view kOpening = R"({"__metadata__":{"checksum":")";
constexpr std::size_t kChecksumAt = kLengthBytes + kOpening.size();
constexpr std::size_t kChecksumDigits = 32;
constexpr std::string_view kZeros = "00000000000000000000000000000000";
static_assert(kZeros.size() == kChecksumDigits);
constexpr int kVersion = 1;
constexpr std::uint64_t kMostNumbers = Limits::kFile / sizeof(float);

// XXH3, 128 bits, of the whole file with zeros in the place of the checksum's digits.
std::string checksum(std::string_view bytes) {
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(), &XXH3_freeState);
  if (!state) throw std::bad_alloc();
  XXH3_128bits_reset(state.get());
  const std::string_view rest = bytes.substr(kChecksumAt + kChecksumDigits);
  for (const std::string_view part : {bytes.substr(0, kChecksumAt), kZeros, rest}) {
    XXH3_128bits_update(state.get(), part.data(), part.size());
  }
  const XXH128_hash_t hash = XXH3_128bits_digest(state.get());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

// How many numbers a shape holds. Dimensions of zero do not excuse the others: their product is bounded all the same.
std::optional<std::uint64_t> count_numbers(const std::vector<std::int64_t>& shape) {
  std::uint64_t product = 1;
  bool empty = false;
  for (const std::int64_t size : shape) {
    if (size < 0) return std::nullopt;
    empty = empty || size == 0;
    const auto factor = static_cast<std::uint64_t>(std::max<std::int64_t>(size, 1));
    if (factor > kMostNumbers / product) return std::nullopt;
    product *= factor;
  }
  return empty ? 0 : product;
}

bool all_finite(const std::vector<float>& values) {
  return std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); });
}

struct Entry {
  std::string name;
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0, end = 0;  // bytes of the data
};

struct Header {
  std::map<std::string, std::string> metadata;
  std::vector<Entry> entries;
};

// Takes the header word by word and allows nothing but the one structure there is, so that its depth is bounded and
// nothing is kept that was not asked for.
class HeaderReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  HeaderReader(std::string_view file, std::uint64_t data_size) : file_(file), data_size_(data_size) {}

  Header take() { return std::move(header_); }

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
      auto& shape = header_.entries.back().shape;
      if (shape.size() == Limits::kRank) throw array_error("more than {} dimensions", Limits::kRank);
      if (value > kMostNumbers) throw array_error("a dimension of {} is too large", value);
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
    if (where_ == Where::array) end_entry();
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
    const std::string name = beginning(header_.entries.back().name);
    return error("array {}: {}", name, fmt::format(text, std::forward<Args>(args)...));
  }
  Error unexpected(std::string_view found) const {
    return error("the header has {} at {} where none belongs", found, key_.empty() ? "its start" : beginning(key_));
  }

  void begin_array(const std::string& name) {
    if (name.empty() || name.size() > Limits::kName) {
      throw error("an array has a name of {} bytes, allowed are 1 to {}", name.size(), Limits::kName);
    }
    if (header_.entries.size() == Limits::kArrays) throw error("more than {} arrays", Limits::kArrays);
    if (!header_.entries.empty() && name <= header_.entries.back().name) {
      throw error("array {} occurs twice or out of order", beginning(name));
    }
    header_.entries.push_back({name, {}, 0, 0});
    seen_.clear();
    offsets_.clear();
  }

  void end_entry() {
    Entry& entry = header_.entries.back();
    if (seen_.size() != 3) throw array_error("dtype, shape or data_offsets is missing");
    if (offsets_.size() != 2) throw array_error("data_offsets must be two numbers");
    entry.begin = offsets_[0];
    entry.end = offsets_[1];
    if (entry.begin != covered_) throw array_error("begins at byte {} of the data, expected {}", entry.begin, covered_);
    if (entry.end < entry.begin || entry.end > data_size_) {
      throw array_error("ends at byte {} of the data, which has {}", entry.end, data_size_);
    }
    const auto numbers = count_numbers(entry.shape);
    if (!numbers) throw array_error("its shape is too large");
    if (*numbers * sizeof(float) != entry.end - entry.begin) {
      throw array_error("its shape needs {} bytes, it has {}", *numbers * sizeof(float), entry.end - entry.begin);
    }
    covered_ = entry.end;
  }

  void check_version(const std::string& value) const {
    int version = 0;
    const auto [end, code] = std::from_chars(value.data(), value.data() + value.size(), version);
    if (code != std::errc() || end != value.data() + value.size() || version < 1) {
      throw error("the format version {} is not a number", beginning(value));
    }
    if (version > kVersion) {
      throw error("made by a newer Fovea (file format {}, this one reads {})", version, kVersion);
    }
  }

  void finish() {
    if (!header_.metadata.contains("fovea")) throw error("the metadata does not give the format version (fovea)");
    if (covered_ != data_size_) throw error("the arrays cover {} of {} bytes of data", covered_, data_size_);
    header_.metadata.erase("checksum");
    header_.metadata.erase("fovea");
  }

  std::string_view file_;
  std::uint64_t data_size_;
  Header header_;
  Where where_ = Where::outside;
  std::string key_;
  bool metadata_seen_ = false;
  std::uint64_t covered_ = 0;
  std::vector<std::string> seen_;  // fields of the array being read
  std::vector<std::uint64_t> offsets_;
};

// The header as text, once its length, its surroundings and the checksum of the file are found to be right.
std::string_view verified_header(std::string_view bytes, std::string_view file) {
  if (bytes.size() > Limits::kFile) {
    throw model_error("{}: {} bytes, more than the limit of {}", file, bytes.size(), Limits::kFile);
  }
  if (bytes.size() < kLengthBytes) throw model_error("{}: {} bytes are too few for a model", file, bytes.size());
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), kLengthBytes);
  if (length > Limits::kHeader || length > bytes.size() - kLengthBytes) {
    throw model_error("{}: a header of {} bytes does not fit: not a model, or cut short", file, length);
  }
  const std::string_view header = bytes.substr(kLengthBytes, length);
  if (!header.starts_with(kOpening) || header.size() < kOpening.size() + kChecksumDigits) {
    throw model_error("{}: no Fovea checksum at its start: not a model made by Fovea, or damaged", file);
  }
  if (header.substr(kOpening.size(), kChecksumDigits) != checksum(bytes)) {
    throw model_error("{}: the checksum does not match: the file is damaged or incomplete; copy it again", file);
  }
  if ((kLengthBytes + length) % kAlignment != 0) {
    throw model_error("{}: the data does not start at a multiple of {} bytes", file, kAlignment);
  }
  // JSON needs no control characters, and the parser would take a zero byte for the end.
  if (std::any_of(header.begin(), header.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; })) {
    throw model_error("{}: the header contains control characters", file);
  }
  return header;
}

std::string quoted(const std::string& text) {
  check(!find_invalid_utf8(text), "encode_safetensors: {} is not UTF-8", beginning(text));
  return nlohmann::json(text).dump();
}

void check_array(const NamedArray& array) {
  const std::string& name = array.name;
  check(!name.empty() && name.size() <= Limits::kName && name != "__metadata__",
        "encode_safetensors: {} cannot be the name of an array", name.empty() ? "nothing" : beginning(name));
  check(array.shape.size() <= Limits::kRank, "encode_safetensors: array {} has {} dimensions, at most {} are allowed",
        beginning(name), array.shape.size(), Limits::kRank);
  const auto numbers = count_numbers(array.shape);
  check(numbers && *numbers == array.values.size(), "encode_safetensors: array {} of shape [{}] has {} values",
        beginning(name), fmt::join(array.shape, ", "), array.values.size());
  check(all_finite(array.values), "encode_safetensors: array {} contains NaN or infinity", beginning(name));
}

}  // namespace

std::string encode_safetensors(const TensorFile& file) {
  check(file.arrays.size() <= Limits::kArrays, "encode_safetensors: {} arrays, at most {} are allowed",
        file.arrays.size(), Limits::kArrays);
  std::vector<const NamedArray*> arrays;
  for (const NamedArray& array : file.arrays) {
    check_array(array);
    arrays.push_back(&array);
  }
  std::sort(arrays.begin(), arrays.end(), [](auto* a, auto* b) { return a->name < b->name; });

  std::string bytes(kLengthBytes, '\0');
  bytes += kOpening;
  bytes += fmt::format(R"({}","fovea":"{}")", kZeros, kVersion);
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
  bytes.resize((bytes.size() + kAlignment - 1) / kAlignment * kAlignment, ' ');
  const std::uint64_t length = bytes.size() - kLengthBytes;
  check(length <= Limits::kHeader && end <= Limits::kFile - bytes.size(),
        "encode_safetensors: a header of {} bytes and data of {} are more than the format allows", length, end);
  std::memcpy(bytes.data(), &length, kLengthBytes);

  bytes.reserve(bytes.size() + end);
  for (const NamedArray* array : arrays) {
    bytes.append(reinterpret_cast<const char*>(array->values.data()), array->values.size() * sizeof(float));
  }
  return seal(std::move(bytes));
}

TensorFile decode_safetensors(std::string_view bytes, std::string_view name_for_errors) {
  const std::string file = printable(name_for_errors);
  const std::string_view text = verified_header(bytes, file);
  const std::string_view data = bytes.substr(kLengthBytes + text.size());
  HeaderReader reader(file, data.size());
  nlohmann::json::sax_parse(text.begin(), text.end(), &reader);
  Header header = reader.take();

  TensorFile result{std::move(header.metadata), {}};
  result.arrays.reserve(header.entries.size());
  for (Entry& entry : header.entries) {
    NamedArray array{std::move(entry.name), std::move(entry.shape), {}};
    array.values.resize((entry.end - entry.begin) / sizeof(float));
    if (!array.values.empty()) std::memcpy(array.values.data(), data.data() + entry.begin, entry.end - entry.begin);
    if (!all_finite(array.values)) {
      throw model_error("{}: array {} contains NaN or infinity", file, beginning(array.name));
    }
    result.arrays.push_back(std::move(array));
  }
  return result;
}

std::string seal(std::string bytes) {
  if (bytes.size() >= kChecksumAt + kChecksumDigits) {
    bytes.replace(kChecksumAt, kChecksumDigits, checksum(bytes));
  }
  return bytes;
}

}  // namespace fovea
