// The golden numbers can be read, and every file of them is read by some test.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/golden.h"
#include "support/source_files.h"

namespace fovea::golden_test {
namespace {

TEST(Golden, ReadsArraysOfEachSection) {
  const Golden golden("example", R"({"inputs": {"x": {"shape": [2, 1], "values": [0.5, 3]}},
                                     "outputs": {"x": {"shape": [], "values": [4]}},
                                     "probes": {"x": {"shape": [1], "values": [5]}},
                                     "gradients": {"x": {"shape": [1], "values": [6]}}})");
  EXPECT_EQ(golden.input("x").shape, (std::vector<std::int64_t>{2, 1}));
  EXPECT_EQ(golden.input("x").values, (std::vector<double>{0.5, 3}));
  EXPECT_EQ(golden.input("x").as<int>(), (std::vector<int>{0, 3}));
  EXPECT_EQ(golden.output("x").values, std::vector<double>{4});
  EXPECT_EQ(golden.probe("x").values, std::vector<double>{5});
  EXPECT_EQ(golden.gradient("x").values, std::vector<double>{6});
  EXPECT_THROW(golden.input("y"), std::runtime_error);
}

TEST(Golden, RefusesMissingFilesAndWrongShapes) {
  EXPECT_THROW(Golden("no_such_file.json"), std::runtime_error);
  EXPECT_THROW(Golden("example", R"({"inputs": {"x": {"shape": [2, 2], "values": [1, 2, 3]}}})"), std::runtime_error);
}

// The names of golden files (of the form x.json) that no test text mentions as "x.json".
std::vector<std::string> unread(const std::vector<std::string>& names, const std::vector<std::string>& test_texts) {
  std::vector<std::string> missed;
  for (const std::string& name : names) {
    const bool read = std::any_of(test_texts.begin(), test_texts.end(), [&](const std::string& text) {
      return text.find("\"" + name + "\"") != std::string::npos;
    });
    if (!read) missed.push_back(name);
  }
  return missed;
}

TEST(Golden, EveryFileIsReadBySomeTest) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(Golden::folder())) {
    if (entry.path().extension() != ".json") continue;
    names.push_back(entry.path().filename());
    EXPECT_NO_THROW(Golden(names.back())) << names.back();
  }
  EXPECT_FALSE(names.empty());

  std::vector<std::string> test_texts;
  for (const auto& [path, text] : read_texts(std::filesystem::path(FOVEA_SOURCE_DIR) / "tests")) {
    if (path.ends_with("_test.cc") && path != "golden_test.cc") test_texts.push_back(text);
  }
  EXPECT_EQ(unread(names, test_texts), std::vector<std::string>{});
}

TEST(Golden, AnUnreadFileIsNoticed) {
  const std::vector<std::string> test_texts = {R"(Golden g("a.json"))", R"("not_b.json")"};
  EXPECT_EQ(unread({"a.json", "b.json"}, test_texts), std::vector<std::string>{"b.json"});
}

}  // namespace
}  // namespace fovea::golden_test
