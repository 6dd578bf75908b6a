// Model files: safetensors with a checksum over every byte. docs/file-format.md describes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

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

struct SafetensorsLimits {
  static constexpr std::uint64_t kFile = std::uint64_t{8} << 30;
  static constexpr std::uint64_t kHeader = std::uint64_t{16} << 20;
  static constexpr std::size_t kName = 256;
  static constexpr std::size_t kRank = 4;
  static constexpr std::size_t kArrays = 65'536;
};

// The same content gives the same bytes, whatever the order of the arrays. What decode would refuse is not encoded.
std::string encode_safetensors(const TensorFile& file);

// Refuses, with an Error of kind model, what has not the structure and the checksum that encode gives. Nothing is
// allocated that the size of the file does not bound.
TensorFile decode_safetensors(std::string_view bytes, std::string_view name_for_errors);

// Sets the checksum anew; bytes too short to hold one are left alone. For encode, and for tests that change a file.
std::string seal(std::string bytes);

}  // namespace fovea
