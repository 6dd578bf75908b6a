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

TEST(FormatVersions, Version1AnswersAsWhenItWasMade) {
  const Expected all[] = {{"3rd of May 1999", "1999-05-03", -0.00243013},
                          {"12/31/2005", "2005-12-31", -0.00206194},
                          {"January 7, 1980", "1980-01-07", -0.000812817},
                          {"2001-02-03", "2001-02-03", -0.000694853},
                          {"Föö", "2017-05-17", -0.166707}};
  std::string lines;
  for (const Expected& one : all) lines += std::string(one.source) + "\n";
  const Outcome outcome =
      run(fovea({"predict", fixtures / "format1.safetensors", "--beam", "2", "--nbest", "2"}), lines);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  std::istringstream answers(outcome.out);
  for (const Expected& one : all) {
    std::string answer, score, rest;
    ASSERT_TRUE(std::getline(answers, answer, '\t') && std::getline(answers, score, '\t') &&
                std::getline(answers, rest));
    EXPECT_EQ(answer, one.answer);
    EXPECT_NEAR(std::stod(score), one.score, 1e-4) << "instruction sets differ in the last bits";
  }
  EXPECT_LT(std::filesystem::file_size(fixtures / "format1.safetensors"), 60'000u);
}

TEST(FormatVersions, ANewerVersionIsRefusedInWords) {
  TemporaryFolder folder;
  std::string bytes = read_bytes(fixtures / "format1.safetensors");
  const std::size_t version = bytes.find(R"("fovea":"1")");
  ASSERT_NE(version, bytes.npos);
  bytes[version + 9] = '2';
  const std::string path = folder.write("model.safetensors", seal(bytes));
  const Outcome outcome = run(fovea({"predict", path}), "1 May 2000\n");
  EXPECT_EQ(outcome.code, 4);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err, "error: " + path +
                             ": made by a newer Fovea (file format 2, this one reads 1); use that one, or train the "
                             "model again\n");
}

}  // namespace
}  // namespace fovea::format_versions_test
