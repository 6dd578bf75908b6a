// The shell scripts have nothing that shellcheck, where it is installed, complains of.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "support/process.h"
#include "support/source_files.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

// Those of the folder itself, not of the folders in it.
void find_scripts(const fs::path& folder, std::vector<std::string>& scripts) {
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    const std::string text = read_text(entry.path());
    if (text.starts_with("#!/usr/bin/env bash\n") || text.starts_with("#!/bin/sh\n") ||
        text.starts_with("#!/bin/bash\n") || entry.path().extension() == ".sh") {
      scripts.push_back(entry.path());
    }
  }
}

TEST(Scripts, AreSound) {
  if (access("/usr/bin/shellcheck", X_OK) != 0) GTEST_SKIP() << "shellcheck is not installed";
  const fs::path source = FOVEA_SOURCE_DIR;
  std::vector<std::string> words = {"/usr/bin/shellcheck", "--external-sources"};
  for (const char* folder : {"", ".ci", "scripts", "bench", "tests/cli"}) find_scripts(source / folder, words);
  ASSERT_GE(words.size(), 9u);
  const Outcome outcome = run({.words = words, .folder = source});
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
}

}  // namespace
}  // namespace fovea
