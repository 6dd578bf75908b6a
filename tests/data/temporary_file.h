// A file that lives as long as a test needs it.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
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

}  // namespace fovea
