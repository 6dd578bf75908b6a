// Model files: safetensors with a checksum over every byte. docs/file-format.md describes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"

namespace fovea {

struct NamedArray {
  std::string name;
  std::vector<std::int64_t> shape;  // no dimensions: one number
  std::vector<float> values;        // the last dimension runs fastest
  bool operator==(const NamedArray&) const = default;
};

struct TensorFile {
  std::map<std::string, std::string> metadata;  // "checksum" and "fovea" belong to the format and are not seen here
  std::vector<NamedArray> arrays;               // in the order of their names once decoded
  bool operator==(const TensorFile&) const = default;
};

// What a file says of itself before its numbers.
struct TensorHeader {
  struct Array {
    std::string name;
    std::vector<std::int64_t> shape;
  };
  std::map<std::string, std::string> metadata;
  std::vector<Array> arrays;  // in the order of their names, which is that of their numbers
};

struct SafetensorsLimits {
  static constexpr std::uint64_t max_file = std::uint64_t{8} << 30;
  static constexpr std::uint64_t max_header = std::uint64_t{16} << 20;
  static constexpr std::size_t max_name = 256;
  static constexpr std::size_t max_rank = 4;
  static constexpr std::size_t max_arrays = 65'536;
};

// The same content gives the same bytes, whatever the order of the arrays. What decode would refuse is not encoded.
std::string encode_safetensors(const TensorFile& file);

// Takes numbers of header.arrays[array], those from the `first` on.
using TakeNumbers = std::function<void(std::size_t array, std::size_t first, std::span<const float> numbers)>;

// Reads a file without keeping it: `use` is given the header and returns what takes the numbers. Refuses, with an Error
// of kind model, what has not the structure and the checksum that encode gives. Nothing is allocated that the size of
// the file does not bound. The checksum is known at the end only: until then what was taken may be damaged. An Error of
// `use` is thrown on if the file is whole; of a damaged file the damage is what the user should hear of.
void read_safetensors(const ByteSource& source, std::string_view name_for_errors,
                      const std::function<TakeNumbers(const TensorHeader&)>& use);

// The same, kept.
TensorFile decode_safetensors(std::string_view bytes, std::string_view name_for_errors);

// Sets the checksum anew; bytes too short to hold one are left alone. For encode, and for tests that change a file.
std::string seal(std::string bytes);

}  // namespace fovea
