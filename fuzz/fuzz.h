// What the fuzzers share. Each feeds any bytes to one parser: it takes them, or refuses them with an Error of one line
// that is safe to print. Whatever else happens is a finding.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/as_size.h"
#include "base/error.h"
#include "base/files.h"
#include "base/utf8.h"

namespace fovea {

// For what must hold; the fuzzer keeps the input.
inline void must(bool holds) {
  if (!holds) std::abort();
}

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Whether the input was taken.
template <class Parse>
bool taken(const Parse& parse) {
  try {
    parse();
    return true;
  } catch (const Error& error) {
    const std::string_view message = error.what();
    must(!message.empty() && message.size() < 100'000 && !find_control(message) && !find_invalid_utf8(message));
    return false;
  }
}

// A file in memory, for parsers that want a path.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : file_(memfd_create("fuzz", MFD_CLOEXEC)) {
    must(file_ >= 0);
    for (std::size_t done = 0; done < bytes.size();) {
      const ssize_t written = write(file_, bytes.data() + done, bytes.size() - done);
      must(written > 0);
      done += as_size(written);
    }
  }
  ~MemoryFile() { close(file_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  int file_;
};

// A disk on which every path is the same file, which is never changed.
class OneFile : public Files {
 public:
  explicit OneFile(std::string_view bytes) : bytes_(bytes) {}

  std::string read(const std::filesystem::path&, std::uint64_t) override { return std::string(bytes_); }
  ByteSource open(const std::filesystem::path&) override { return ByteSource::of(bytes_); }
  void append(const std::filesystem::path&, std::string_view) override {}
  bool exists(const std::filesystem::path&) override { return true; }

 protected:
  Place find_place(const std::filesystem::path& path) override { return {path, std::nullopt}; }
  int open_new(const std::filesystem::path&, std::optional<unsigned>) override { return 0; }
  std::ptrdiff_t write(int, std::string_view bytes) override { return static_cast<std::ptrdiff_t>(bytes.size()); }
  int sync(int) override { return 0; }
  int close(int) override { return 0; }
  int rename(const std::filesystem::path&, const std::filesystem::path&) override { return 0; }
  int sync_directory(const std::filesystem::path&) override { return 0; }
  std::vector<std::string> list(const std::filesystem::path&) override { return {}; }

 private:
  std::string_view bytes_;
};

}  // namespace fovea
