// Any bytes as a model file: as they are, and once more as the rest of a header with a checksum that is right, so that
// the parser behind the checksum is reached. What is taken must come back the same after being written again.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/error.h"
#include "base/safetensors.h"

namespace {

void decode(const std::string& bytes) {
  fovea::TensorFile file;
  try {
    file = fovea::decode_safetensors(bytes, "fuzz");
  } catch (const fovea::Error&) {
    return;
  }
  if (fovea::decode_safetensors(fovea::encode_safetensors(file), "again") != file) std::abort();
}

// The first byte of the input says how many of the last bytes are data.
std::string as_model(std::string header) {
  const std::size_t data_size = header.empty() ? 0 : std::min<std::size_t>(header[0] & 0x7F, header.size() - 1);
  const std::string data = header.substr(header.size() - data_size);
  header.resize(header.size() - data_size);
  if (!header.empty()) header.erase(0, 1);
  header = R"({"__metadata__":{"checksum":"00000000000000000000000000000000","fovea":"1")" + header;
  header.resize((header.size() + 8 + 63) / 64 * 64 - 8, ' ');
  const std::uint64_t length = header.size();
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &length, 8);
  return fovea::seal(bytes + header + data);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string input(reinterpret_cast<const char*>(data), size);
  decode(input);
  decode(as_model(input));
  return 0;
}
