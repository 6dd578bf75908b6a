#include "base/file_part.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "support/temporary_folder.h"

namespace fovea::file_part_test {
namespace {

TEST(FilePart, IsWhatWasAskedFor) {
  const TemporaryFolder folder;
  const std::string file = folder.write("a", "0123456789");
  EXPECT_EQ(read_file_part(file, 3, 4), "3456");
  EXPECT_EQ(read_file_part(file, 8, 4), "89") << "it ends there";
  EXPECT_EQ(read_file_part(file, 10, 4), "");
  EXPECT_EQ(read_file_part(file, ~std::uint64_t(0), 4), "");
  EXPECT_THROW(read_file_part(folder / "none", 0, 1), Error);
  EXPECT_THROW(read_file_part(folder.path(), 0, 1), Error) << "a folder";
}

}  // namespace
}  // namespace fovea::file_part_test
