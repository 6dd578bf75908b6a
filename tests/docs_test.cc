// docs/mechanisms.md and docs/metrics.md name everything that can be chosen; the change that CONTRIBUTING.md shows
// still fits.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <sstream>

#include "attention/mechanism.h"
#include "models/decoder.h"
#include "models/options.h"
#include "models/generator.h"
#include "models/join.h"
#include "support/process.h"
#include "support/source_files.h"
#include "support/temporary_folder.h"
#include "tasks/metrics/metric.h"
#include "tasks/task_kind.h"

namespace fovea::docs_test {
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
  check_all(decoders());
  check_all(generators());
  check_all(objectives());
}

TEST(TasksPage, NamesEveryTaskSourceAndJoin) {
  const std::string page = read_text(std::filesystem::path(FOVEA_SOURCE_DIR) / "docs/tasks.md");
  std::vector<std::string> names = task_kinds().names();
  for (const auto& more : {sources().names(), joins().names()}) names.insert(names.end(), more.begin(), more.end());
  for (const std::string& name : names) EXPECT_NE(page.find("`" + name + "`"), std::string::npos) << name;
}

TEST(MetricsPage, NamesEveryMetric) {
  const std::string page = read_text(std::filesystem::path(FOVEA_SOURCE_DIR) / "docs/metrics.md");
  for (const Metric* metric : metrics()) {
    EXPECT_NE(page.find("| `" + std::string(metric->name) + "` |"), std::string::npos) << metric->name;
  }
}

TEST(MechanismsPage, NamesEveryObjective) {
  const std::string page = read_text(std::filesystem::path(FOVEA_SOURCE_DIR) / "docs/mechanisms.md");
  ObjectiveOptions options;
  for (const std::string& name : names(options)) {
    if (name == "supervised_form") continue;
    EXPECT_NE(page.find("`" + name + "`"), std::string::npos) << name;
  }
}

TEST(ContributingPage, ItsChangeFits) {
  if (access("/usr/bin/git", X_OK) != 0) GTEST_SKIP() << "git is not installed";
  const std::filesystem::path source = FOVEA_SOURCE_DIR;
  const std::string page = read_text(source / "CONTRIBUTING.md"), opening = "```diff\n";
  const std::size_t start = page.find(opening) + opening.size(), end = page.find("```\n", start);
  ASSERT_LT(start, end);
  const std::string change = page.substr(start, end - start);
  TemporaryFolder folder;
  std::istringstream lines(change);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("--- a/")) continue;
    const std::string file = line.substr(6);
    std::filesystem::create_directories((folder / file).parent_path());
    std::filesystem::copy_file(source / file, folder / file);
  }
  const Outcome outcome =
      run({.words = {"/usr/bin/git", "apply", folder.write("change.diff", change)}, .folder = folder.path()});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

}  // namespace
}  // namespace fovea::docs_test
