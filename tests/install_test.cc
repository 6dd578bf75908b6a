// What `cmake --install` puts into place is whole: it runs from there, and others find it.
#include <gtest/gtest.h>

#include <filesystem>

#include "support/process.h"
#include "support/temporary_folder.h"
#include "training/tiny_run.h"

namespace fovea::install_test {
namespace {

TEST(Install, PutsEverythingIntoPlace) {
  TemporaryFolder folder;
  const std::filesystem::path build = std::filesystem::path(FOVEA_BINARY).parent_path(), there = folder / "there";
  const Outcome installed = run({{"/usr/bin/env", "cmake", "--install", build, "--prefix", there}});
  ASSERT_EQ(installed.code, 0) << installed.err;
  for (const char* file :
       {"bin/fovea", "share/man/man1/fovea.1", "share/bash-completion/completions/fovea",
        "share/zsh/vendor-completions/_fovea", "share/fish/vendor_completions.d/fovea.fish",
        "share/doc/fovea/copyright", "lib/libfovea.a", "include/fovea/fovea.h", "include/fovea/inference/predictor.h",
        "lib/cmake/fovea/fovea-config.cmake", "lib/pkgconfig/fovea.pc"}) {
    std::error_code none;
    EXPECT_GT(std::filesystem::file_size(there / file, none), 0u) << file;
    EXPECT_FALSE(none) << file;
  }

  // It says the same of itself, MPI included: it finds its module from where it now is.
  const Outcome here = run(fovea({"--version"})), moved = run({{there / "bin/fovea", "--version"}});
  EXPECT_EQ(moved.code, 0) << moved.err;
  EXPECT_EQ(moved.out, here.out);

  // Only the module needs MPI.
  const Outcome libraries = run({{"/usr/bin/env", "ldd", there / "bin/fovea"}});
  EXPECT_EQ(libraries.code, 0) << libraries.err;
  EXPECT_EQ(libraries.out.find("mpi"), std::string::npos) << libraries.out;

  const Outcome flags = run({.words = {"/usr/bin/env", "pkg-config", "--cflags", "--libs", "fovea"},
                             .environment = {"PKG_CONFIG_PATH=" + (there / "lib/pkgconfig").string()}});
  EXPECT_EQ(flags.code, 0) << flags.err;
  EXPECT_TRUE(says(flags.out, "-lfovea"));
}

// The programs of examples/ know nothing but what is installed.
TEST(Install, SlowExamplesAreBuiltAgainstItAndRun) {
  TemporaryFolder folder;
  const std::filesystem::path source = FOVEA_SOURCE_DIR, build = std::filesystem::path(FOVEA_BINARY).parent_path(),
                              there = folder / "there", examples = folder / "examples";
  const auto done = [](const Outcome& outcome) { ASSERT_EQ(outcome.code, 0) << outcome.out << outcome.err; };
  done(run({{"/usr/bin/env", "cmake", "--install", build, "--prefix", there}}));
  done(run(
      {{"/usr/bin/env", "cmake", "-S", source / "examples", "-B", examples, "-DCMAKE_PREFIX_PATH=" + there.string()}}));
  done(run({.words = {"/usr/bin/env", "cmake", "--build", examples}, .seconds = 600}));
  const Outcome answered = run({{examples / "answer", source / "tests/fixtures/format2.safetensors"}}, "1 May 2000\n");
  EXPECT_EQ(answered.out, "2000-05-01\n") << answered.err;

  const std::string data = folder.write("data.tsv", to_tsv(tiny_examples(1, 200))),
                    test = folder.write("test.tsv", to_tsv(tiny_examples(2, 50)));
  const Outcome trained = run({{examples / "train", data, test, folder / "run"}}, "abc\nxyz\n");
  EXPECT_EQ(trained.code, 0) << trained.err;
  EXPECT_EQ(std::ranges::count(trained.out, '\n'), 2) << trained.out;
  EXPECT_TRUE(says(trained.err, "100 updates\nexact "));
  EXPECT_TRUE(says(trained.err, "\nlines 50\n"));
  const Outcome refused = run({{examples / "train", folder / "none.tsv", test, folder / "other"}}, "");
  EXPECT_EQ(refused.code, 1);
  EXPECT_TRUE(says(refused.err, "none.tsv"));
}

}  // namespace
}  // namespace fovea::install_test
