// The shell scripts have nothing that shellcheck, where it is installed, complains of; and the script that makes small
// faults makes them, and only where they belong.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "support/process.h"
#include "support/source_files.h"
#include "support/temporary_folder.h"

namespace fovea::scripts_test {
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
  for (const char* folder : {"", ".ci", "scripts", "bench", "python", "recipes", "web", "tests/cli"}) {
    find_scripts(source / folder, words);
  }
  ASSERT_GE(words.size(), 9u);
  const Outcome outcome = run({.words = words, .folder = source});
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
}

Outcome mutate(const std::vector<std::string>& words, const fs::path& folder) {
  std::vector<std::string> all = {"/usr/bin/env", "python3", fs::path(FOVEA_SOURCE_DIR) / "scripts/mutate"};
  all.insert(all.end(), words.begin(), words.end());
  return run({.words = all, .folder = folder});
}

bool has_python() { return run({.words = {"/usr/bin/env", "python3", "--version"}}).code == 0; }

TEST(Mutate, FindsTheSmallWaysToBreakAFile) {
  if (!has_python()) GTEST_SKIP() << "python3 is not installed";
  TemporaryFolder folder;
  folder.write("tiny.cc",
               "// a + b\n"
               "int f(int a, int b) {\n"
               "  if (a < b) return g(a, b);\n"
               "  const char* text = \"a + b\";\n"
               "  if (!text) throw error(\"{} - {}\", a, b - 1);\n"
               "  total = tanh(a) * 3 - b;\n"
               "  return min(a, b);\n"
               "}\n");
  const Outcome found = mutate({"--list", "tiny.cc"}, folder.path());
  ASSERT_EQ(found.code, 0) << found.err;
  for (const char* change :
       {"if (a <= b) return g(a, b);", "if (a < b) return g(b, a);", "if (!(a < b)) return g(a, b);", ";",
        "total = tanh(a) * 4 - b;", "total = tanh(a) * 3 + b;", "total = tanh(a) * 3;", "total = tanh(a) / 3 - b;",
        "total = sigmoid(a) * 3 - b;", "total = (a) * 3 - b;", "return max(a, b);"}) {
    EXPECT_TRUE(says(found.out, std::string("    + ") + change + "\n"));
  }
  EXPECT_TRUE(says(found.out, "tiny.cc:6\n    - total = tanh(a) * 3 - b;\n"));
  for (const char* kept : {"// a", "\"a - b\"", "b - 0", "b + 1", "int f(int b"}) {
    EXPECT_EQ(found.out.find(kept), std::string::npos) << kept;
  }
}

TEST(Mutate, WhatIsCalledEquivalentIsStillThere) {
  if (!has_python()) GTEST_SKIP() << "python3 is not installed";
  const Outcome here = mutate({"--check-equivalents"}, FOVEA_SOURCE_DIR);
  EXPECT_EQ(here.code, 0) << here.out << here.err;
  TemporaryFolder folder;
  fs::create_directories(folder / "scripts");
  folder.write("tiny.cc", "  total = a - b;\n");
  const std::string same = "tiny.cc\n    - total = a - b;\n    + total = a + b;\n", reason = "# a + b is as good\n";
  const auto checked = [&](const std::string& text) {
    folder.write("scripts/equivalents", text);
    return mutate({"--check-equivalents", "--root", folder.path()}, folder.path());
  };
  EXPECT_EQ(checked(reason + same).code, 0);
  const std::string gone = "gone.cc\n    - a - b;\n    + a + b;\n";
  EXPECT_EQ(checked(reason + same + gone).out, "scripts/equivalents: not there any more:\n" + gone);
  EXPECT_EQ(checked(gone).code, 1);
  EXPECT_TRUE(says(checked("tiny.cc\ntiny.cc\ntiny.cc\n").err, "scripts/equivalents: wanted a file"));
}

// One function is tested and one is not.
TEST(Mutate, SlowTellsWhatTestsNotice) {
  if (!has_python() || access("/usr/bin/git", X_OK) != 0) GTEST_SKIP() << "python3 or git is not installed";
  TemporaryFolder folder;
  for (const char* part : {"src/decoding", "tests/decoding"}) fs::create_directories(folder / part);
  folder.write("CMakeLists.txt",
               "cmake_minimum_required(VERSION 3.25)\nproject(tiny CXX)\nset(CMAKE_CXX_STANDARD 20)\n"
               "find_package(GTest REQUIRED)\nadd_library(fovea_library STATIC src/decoding/tiny.cc)\n"
               "set_target_properties(fovea_library PROPERTIES OUTPUT_NAME fovea)\n"
               "target_include_directories(fovea_library PUBLIC src)\n"
               "add_executable(fovea_test tests/decoding/tiny_test.cc)\n"
               "target_link_libraries(fovea_test fovea_library GTest::gtest_main)\n");
  const std::string source = "int tested(int a) {\n  return a * 7;\n}\nint untested(int a) {\n  return a - 5;\n}\n";
  folder.write("src/decoding/tiny.cc", source);
  folder.write("tests/decoding/tiny_test.cc",
               "#include <gtest/gtest.h>\nint tested(int a);\nTEST(Tiny, Product) { EXPECT_EQ(tested(6), 42); }\n");
  folder.write(".gitignore", "/build-mutate/\n");
  fs::create_directories(folder / "scripts");
  folder.write("scripts/equivalents", "# let us say\nsrc/decoding/tiny.cc\n    - return a - 5;\n    + return a - 4;\n");
  ASSERT_EQ(run({.words = {"/usr/bin/git", "init", "-q"}, .folder = folder.path()}).code, 0);
  const auto tried = [&] {
    return mutate({"99", "--jobs", "2", "--root", folder.path(), "--seed", "4"}, folder.path());
  };
  const Outcome found = tried();
  ASSERT_EQ(found.code, 0) << found.err;
  EXPECT_TRUE(says(found.out, "killed by Tiny.Product"));
  EXPECT_TRUE(says(found.out, "decoding             8           1       4         3    57.1%\n"));
  EXPECT_TRUE(says(found.out, "\nequivalent:\nsrc/decoding/tiny.cc:5\n    - return a - 5;\n    + return a - 4;\n"));
  const std::string survivors = found.out.substr(found.out.find("survivors:"));
  EXPECT_EQ(survivors.find("return a - 4;"), std::string::npos);
  EXPECT_TRUE(says(survivors, "src/decoding/tiny.cc:5\n    - return a - 5;\n    + return a + 5;\n"));
  EXPECT_EQ(survivors.find("tiny.cc:2"), std::string::npos);
  EXPECT_EQ(read_text(folder / "src/decoding/tiny.cc"), source);
  for (const auto& entry : fs::directory_iterator(folder / "build-mutate")) {  // nothing of a mutant is left
    EXPECT_TRUE(entry.path().filename() == "tree" || entry.path().filename() == "release") << entry.path();
  }
  const auto without_times = [](std::string text) {
    for (std::size_t at; (at = text.find(" s) ")) != text.npos;) {
      const std::size_t start = text.rfind('(', at);
      text.erase(start, at + 3 - start);
    }
    return text;
  };
  EXPECT_EQ(without_times(tried().out), without_times(found.out));
}

}  // namespace
}  // namespace fovea::scripts_test
