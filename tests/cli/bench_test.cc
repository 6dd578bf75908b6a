// The benchmark from the command line.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/process.h"
#include "support/temporary_folder.h"

namespace fovea::bench_test {
namespace {

using nlohmann::json;

std::vector<std::string> tiny(std::vector<std::string> words) {
  const std::vector<std::string> sizes = {"bench",    "--seconds", "1",      "--batch", "4",         "--source", "5",
                                          "--target", "4",         "--size", "8",       "--symbols", "20"};
  words.insert(words.begin(), sizes.begin(), sizes.end());
  return words;
}

TEST(BenchCommand, PrintsOneFlatObject) {
  TemporaryFolder folder;
  const Outcome outcome = run(fovea(tiny({"--shape", "T", "--mode", "beam", "--json", "--save", folder / "saved"})));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(is_one_line(outcome.out));
  const json found = json::parse(outcome.out);
  for (const auto& [name, value] : found.items()) {
    if (value.is_number()) {
      EXPECT_GT(value.get<double>(), 0) << name;
    } else {
      EXPECT_TRUE(value.is_string()) << name;
    }
  }
  EXPECT_EQ(found["shape"], "T");
  EXPECT_EQ(found["mode"], "beam");
  EXPECT_EQ(found["source"], 5);
  EXPECT_TRUE(found.contains("ms_per_line"));
  EXPECT_TRUE(found.contains("peak_mib"));
  EXPECT_TRUE(found.contains("parameters"));
  EXPECT_TRUE(std::filesystem::exists(folder / "saved/batch.json"));
  const Outcome inspected = run(fovea({"inspect", folder / "saved"}));
  EXPECT_EQ(inspected.code, 0) << inspected.err;
}

TEST(BenchCommand, SaysItInWords) {
  const Outcome outcome = run(fovea(tiny({"--mode", "greedy", "--threads", "1"})));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(says(outcome.out, "ms a batch"));
  EXPECT_TRUE(says(outcome.out, "output tokens/s"));
}

TEST(BenchCommand, RefusesBadValues) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong = {
      {{"--shape", "Q"}, "no shape \"Q\"; there are S, M, L and T"},
      {{"--mode", "fast"}, "no mode \"fast\"; there are train, greedy and beam"},
      {{"--batch", "0"}, "--batch"},
      {{"--source", "1"}, "--source"},
      {{"--target", "-3"}, "--target"},
      {{"--size", "x"}, "--size"},
      {{"--symbols", "4"}, "--symbols"},
      {{"--shape", "T", "--size", "30"}, "4 heads"}};
  for (const auto& [words, message] : wrong) {
    std::vector<std::string> all = {"bench"};
    all.insert(all.end(), words.begin(), words.end());
    const Outcome outcome = run(fovea(all));
    EXPECT_EQ(outcome.code, 2) << message;
    EXPECT_EQ(outcome.out, "") << message;
    EXPECT_TRUE(says(outcome.err, message));
  }
}

}  // namespace
}  // namespace fovea::bench_test
