// docs/mechanisms.md names everything that can be chosen.
#include <gtest/gtest.h>

#include <filesystem>

#include "attention/mechanism.h"
#include "models/encoder.h"
#include "models/options.h"
#include "models/output.h"
#include "support/source_files.h"

namespace fovea {
namespace {

TEST(MechanismsPage, NamesEveryMechanismEncoderAndOutput) {
  const std::string page = read_text(std::filesystem::path(FOVEA_SOURCE_DIR) / "docs/mechanisms.md");
  const auto check_all = [&](const auto& entries) {
    ASSERT_FALSE(entries.empty());
    for (const auto* entry : entries) {
      EXPECT_NE(page.find("`" + std::string(entry->name) + "`"), std::string::npos) << entry->name;
    }
  };
  check_all(scores());
  check_all(biases());
  check_all(selects());
  check_all(reads());
  check_all(encoders());
  check_all(outputs());
}

TEST(MechanismsPage, NamesEveryObjective) {
  const std::string page = read_text(std::filesystem::path(FOVEA_SOURCE_DIR) / "docs/mechanisms.md");
  ObjectiveOptions options;
  for (const std::string& name : names(options)) {
    if (name == "supervised_form") continue;
    EXPECT_NE(page.find("`" + name + "`"), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace fovea
