// Models outlive the program that made them: a file of each format version answers as it did when it was made, or is
// refused with what to do. tests/fixtures/README.md says how the files were made.
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "base/safetensors.h"
#include "support/process.h"
#include "support/temporary_folder.h"

namespace fovea::format_versions_test {
namespace {

const std::filesystem::path fixtures = std::filesystem::path(FOVEA_SOURCE_DIR) / "tests" / "fixtures";

struct Expected {
  const char* source;
  const char* answer;
  double score;
};

TEST(FormatVersions, Version2AnswersAsWhenItWasMade) {
  const Expected all[] = {{"3rd of May 1999", "1999-05-03", -0.111471},
                          {"12/31/2005", "2005-12-31", -0.100624},
                          {"January 7, 1980", "1980-01-07", -0.0994109},
                          {"2001-02-03", "2001-02-03", -0.106626},
                          {"Föö", "2014-02-04", -0.369786}};
  std::string lines;
  for (const Expected& one : all) lines += std::string(one.source) + "\n";
  const Outcome outcome =
      run(fovea({"predict", fixtures / "format2.safetensors", "--beam", "2", "--nbest", "2"}), lines);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  std::istringstream answers(outcome.out);
  for (const Expected& one : all) {
    std::string answer, score, rest;
    ASSERT_TRUE(std::getline(answers, answer, '\t') && std::getline(answers, score, '\t') &&
                std::getline(answers, rest));
    EXPECT_EQ(answer, one.answer);
    EXPECT_NEAR(std::stod(score), one.score, 1e-4) << "instruction sets differ in the last bits";
  }
  EXPECT_LT(std::filesystem::file_size(fixtures / "format2.safetensors"), 60'000u);
}

// Its settings and weights had other names.
TEST(FormatVersions, Version1IsRefusedInWords) {
  const std::filesystem::path path = fixtures / "format1.safetensors";
  const Outcome outcome = run(fovea({"predict", path}), "1 May 2000\n");
  EXPECT_EQ(outcome.code, 4);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err, "error: " + path.string() +
                             ": made by an earlier Fovea (file format 1, this one reads 2); use that one, or train the "
                             "model again\n");
}

TEST(FormatVersions, ANewerVersionIsRefusedInWords) {
  TemporaryFolder folder;
  std::string bytes = read_bytes(fixtures / "format2.safetensors");
  const std::size_t version = bytes.find(R"("fovea":"2")");
  ASSERT_NE(version, bytes.npos);
  bytes[version + 9] = '3';
  const std::string path = folder.write("model.safetensors", seal(bytes));
  const Outcome outcome = run(fovea({"predict", path}), "1 May 2000\n");
  EXPECT_EQ(outcome.code, 4);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err, "error: " + path +
                             ": made by a newer Fovea (file format 3, this one reads 2); use that one, or train the "
                             "model again\n");
}

}  // namespace
}  // namespace fovea::format_versions_test
