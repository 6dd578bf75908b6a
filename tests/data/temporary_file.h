// A file that lives as long as a test needs it.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace fovea {

class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view content = {}) {
    path_ = ::testing::TempDir() + "fovea_data_XXXXXX";
    const int descriptor = mkstemp(path_.data());
    EXPECT_GE(descriptor, 0);
    close(descriptor);
    std::ofstream(path_, std::ios::binary) << content;
  }
  ~TemporaryFile() { std::remove(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

inline std::string gzip(std::string_view text) {
  TemporaryFile file;
  gzFile packed = gzopen(file.path().c_str(), "wb");
  EXPECT_EQ(gzwrite(packed, text.data(), static_cast<unsigned>(text.size())), static_cast<int>(text.size()));
  EXPECT_EQ(gzclose(packed), Z_OK);
  std::ifstream in(file.path(), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace fovea
