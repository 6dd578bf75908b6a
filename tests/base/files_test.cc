#include "base/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <fstream>
#include <functional>
#include <thread>

#include "base/as_size.h"
#include "base/error.h"
#include "support/failing_files.h"

namespace fovea::files_test {
namespace {

namespace fs = std::filesystem;

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

std::string version(int number) { return std::string(as_size(2000 + 37 * number), static_cast<char>('a' + number)); }

// ---- power loss ----

const fs::path target_name = "/runs/model.safetensors";

// Saves versions 1, 2, ... on top of version 0, loses power at a random operation, and looks what is left. Gives false
// if that is neither the last version that was acknowledged nor the one being written.
template <class Disk>
bool survives_power_loss(std::mt19937& random) {
  Disk disk;
  disk.write_atomically(target_name, version(0));
  int acknowledged = 0;
  disk.lose_power_at(static_cast<int>(random() % 40));
  try {
    for (int next = 1; next <= 4; ++next) {
      disk.write_atomically(target_name, version(next));
      acknowledged = next;
    }
  } catch (const PowerLoss&) {
  }
  disk.restart(random);
  if (!disk.exists(target_name)) return false;
  const std::string found = disk.read(target_name);
  if (found != version(acknowledged) && found != version(acknowledged + 1)) return false;

  disk.write_atomically(target_name, version(9));  // goes on, and sweeps away what the crash left
  return disk.read(target_name) == version(9) && disk.paths().size() == 1;
}

template <class Disk>
int losses(int runs) {
  std::mt19937 random(7);
  int lost = 0;
  for (int run = 0; run < runs; ++run) lost += !survives_power_loss<Disk>(random);
  return lost;
}

class ForgetsToSyncTheFile : public FailingFiles {
  int sync(int) override { return 0; }
};
class ForgetsToSyncTheDirectory : public FailingFiles {
  int sync_directory(const Path&) override { return 0; }
};

TEST(PowerLoss, LeavesTheOldOrTheNewFileComplete) { EXPECT_EQ(losses<FailingFiles>(10'000), 0); }
TEST(PowerLoss, IsNoticedIfTheFileIsNotSynced) { EXPECT_GT(losses<ForgetsToSyncTheFile>(500), 50); }
TEST(PowerLoss, IsNoticedIfTheDirectoryIsNotSynced) { EXPECT_GT(losses<ForgetsToSyncTheDirectory>(500), 50); }

// ---- faults ----

int operations_of_one_write() {
  FailingFiles disk;
  disk.write_atomically(target_name, version(0));
  disk.reset_faults();
  disk.write_atomically(target_name, version(1));
  return disk.operations();
}

TEST(Faults, AnyOperationMayFailOnceOrForEver) {
  const int operations = operations_of_one_write();
  ASSERT_GE(operations, 8);  // open, three writes, sync, close, rename, sync of the directory
  for (const int code : {ENOSPC, EIO, EDQUOT}) {
    for (const bool for_ever : {false, true}) {
      for (int k = 0; k < operations; ++k) {
        SCOPED_TRACE(fmt::format("operation {} code {} for ever {}", k, code, for_ever));
        FailingFiles disk;
        disk.write_atomically(target_name, version(0));
        disk.fail_at(k, code, for_ever, /*removing_fails=*/false);
        const std::string message = message_of([&] { disk.write_atomically(target_name, version(1)); });
        EXPECT_TRUE(disk.fault_happened());
        EXPECT_NE(message.find(target_name.native()), std::string::npos) << message;
        EXPECT_NE(message.find(strerror(code)), std::string::npos) << message;
        const bool renamed = k == operations - 1;  // the sync of the directory is the last
        EXPECT_EQ(disk.read(target_name), version(renamed ? 1 : 0));
        EXPECT_EQ(disk.paths().size(), 1u);

        disk.reset_faults();
        disk.write_atomically(target_name, version(2));
        EXPECT_EQ(disk.read(target_name), version(2));
      }
    }
  }
}

TEST(Faults, ATemporaryFileThatCannotBeRemovedIsSweptAwayLater) {
  for (int k = 1; k < operations_of_one_write() - 1; ++k) {
    FailingFiles disk;
    disk.write_atomically(target_name, version(0));
    disk.fail_at(k, EIO, /*for_ever=*/true);
    EXPECT_THROW(disk.write_atomically(target_name, version(1)), Error);
    EXPECT_EQ(disk.read(target_name), version(0));
    EXPECT_EQ(disk.paths().size(), 2u);
    disk.reset_faults();
    disk.write_atomically(target_name, version(2));
    EXPECT_EQ(disk.paths(), std::vector<std::string>{target_name.native()});
  }
}

TEST(Faults, ACrashAfterAFailureLosesNothing) {
  std::mt19937 random(3);
  for (int run = 0; run < 1000; ++run) {
    FailingFiles disk;
    disk.write_atomically(target_name, version(0));
    disk.fail_at(static_cast<int>(random() % 8), EIO, random() % 2 == 0);
    EXPECT_THROW(disk.write_atomically(target_name, version(1)), Error);
    disk.lose_power_at(static_cast<int>(random() % 10));
    try {
      disk.write_atomically(target_name, version(2));
    } catch (const PowerLoss&) {
    }
    disk.restart(random);
    const std::string found = disk.read(target_name);
    ASSERT_TRUE(found == version(0) || found == version(1) || found == version(2)) << run;
  }
}

// ---- the real disk ----

class RealFiles : public testing::Test {
 protected:
  RealFiles() {
    std::string pattern = (fs::temp_directory_path() / "fovea-files-XXXXXX").native();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~RealFiles() override {
    ::umask(umask_);
    fs::remove_all(folder_);
  }

  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto& entry : fs::directory_iterator(folder_)) out.push_back(entry.path().filename().native());
    std::sort(out.begin(), out.end());
    return out;
  }
  static unsigned mode_of(const fs::path& path) { return static_cast<unsigned>(fs::status(path).permissions()); }

  fs::path folder_;
  Files files_;
  mode_t umask_ = ::umask(022);
};

TEST_F(RealFiles, WritesAndReadsAnyBytes) {
  for (const std::string& name : {std::string("a"), std::string("with space"), std::string("\xC3\xA9\n\x01")}) {
    const fs::path path = folder_ / name;
    EXPECT_FALSE(files_.exists(path));
    for (const std::string& bytes : {std::string(), std::string("\0\n\xFF", 3), std::string(3'000'000, 'x')}) {
      files_.write_atomically(path, bytes);
      EXPECT_TRUE(files_.read(path) == bytes);
    }
    EXPECT_TRUE(files_.exists(path));
  }
  EXPECT_EQ(names().size(), 3u);
}

TEST_F(RealFiles, WritesToAPathWithoutADirectory) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_);
  files_.write_atomically("plain", "1");
  files_.make_directories("x/y");
  fs::current_path(before);
  EXPECT_EQ(files_.read(folder_ / "plain"), "1");
  EXPECT_TRUE(fs::is_directory(folder_ / "x" / "y"));
}

TEST_F(RealFiles, TheModeIsKeptOrLeftToTheUmask) {
  for (const auto& [mask, mode] : {std::pair{0u, 0666u}, {027u, 0640u}, {077u, 0600u}}) {
    ::umask(mask);
    const fs::path path = folder_ / std::to_string(mask);
    files_.write_atomically(path, "1");
    EXPECT_EQ(mode_of(path), mode);
    fs::permissions(path, fs::perms{0664});
    files_.write_atomically(path, "2");
    EXPECT_EQ(mode_of(path), 0664u);
  }
}

TEST_F(RealFiles, ALinkIsFollowedAndStays) {
  fs::create_directory(folder_ / "elsewhere");
  files_.write_atomically(folder_ / "elsewhere" / "file", "1");
  fs::create_symlink("elsewhere/file", folder_ / "link");
  files_.write_atomically(folder_ / "link", "2");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(files_.read(folder_ / "elsewhere" / "file"), "2");
}

TEST_F(RealFiles, WhatIsNoFileIsNotReplaced) {
  fs::create_directory(folder_ / "directory");
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  for (const char* name : {"directory", "pipe"}) {
    const std::string message = message_of([&] { files_.write_atomically(folder_ / name, "1"); });
    EXPECT_NE(message.find("not a regular file"), std::string::npos) << message;
  }
  EXPECT_EQ(names(), (std::vector<std::string>{"directory", "pipe"}));
}

TEST_F(RealFiles, ErrorsAreOneLineWithPathOperationAndCause) {
  EXPECT_EQ(message_of([&] { files_.read("/nowhere/a\nb"); }),
            "cannot read /nowhere/a\xE2\x90\x8A"
            "b: open: No such file or directory");
  EXPECT_EQ(message_of([&] { files_.write_atomically("/nowhere/file", "1"); }),
            "cannot write /nowhere/file: new temporary file: No such file or directory");
  EXPECT_EQ(message_of([&] { files_.append("/nowhere/log", "1"); }),
            "cannot append to /nowhere/log: open: No such file or directory");
  EXPECT_EQ(message_of([&] { files_.make_directories("/dev/null/x"); }), "cannot make /dev/null: mkdir: File exists");
  EXPECT_EQ(message_of([&] { files_.read("/"); }), "cannot read /: read: Is a directory");
}

TEST_F(RealFiles, ReadsNoMoreThanAllowed) {
  files_.write_atomically(folder_ / "file", "12345");
  EXPECT_EQ(files_.read(folder_ / "file", 5), "12345");
  EXPECT_NE(message_of([&] { files_.read(folder_ / "file", 4); }).find("limit of 4 bytes"), std::string::npos);
  EXPECT_NE(message_of([&] { files_.read("/dev/zero", 100'000); }).find("limit"), std::string::npos);
}

TEST_F(RealFiles, OpensAFileToBeReadPieceByPiece) {
  const fs::path path = folder_ / "file";
  files_.write_atomically(path, "abcdefg");
  const ByteSource source = files_.open(path);
  EXPECT_EQ(source.size, 7u);
  std::string piece(3, ' ');
  source.read(piece);
  EXPECT_EQ(piece, "abc");
  source.read(piece);
  EXPECT_EQ(piece, "def");
  EXPECT_NE(message_of([&] { source.read(piece); }).find("became shorter"), std::string::npos);
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  for (const fs::path& other : {folder_, folder_ / "pipe", fs::path("/dev/zero"), folder_ / "none"}) {
    const std::string message = message_of([&] { files_.open(other); });
    EXPECT_TRUE(message.starts_with("cannot read " + other.string())) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos);
  }
}

TEST_F(RealFiles, AppendsToALog) {
  files_.append(folder_ / "log", "one\n");
  files_.append(folder_ / "log", "two\n");
  EXPECT_EQ(files_.read(folder_ / "log"), "one\ntwo\n");
  EXPECT_NE(message_of([&] { files_.append("/dev/full", "x"); }).find("No space left"), std::string::npos);
}

TEST_F(RealFiles, AFullDiskLeavesTheOldFile) {
  const fs::path path = folder_ / "file";
  files_.write_atomically(path, "old");
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{1000, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string message = message_of([&] { files_.write_atomically(path, std::string(5000, 'x')); });
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, handler);
  EXPECT_NE(message.find("write: File too large"), std::string::npos) << message;
  EXPECT_EQ(files_.read(path), "old");
  EXPECT_EQ(names(), std::vector<std::string>{"file"});
}

TEST_F(RealFiles, LeftoversOfTheSameTargetAreSweptAway) {
  for (const char* name : {".file.12345-0.tmp", ".other.12345-0.tmp", ".file.notes.tmp", ".file.tmp"}) {
    std::ofstream(folder_ / name) << "half";
  }
  files_.write_atomically(folder_ / "file", "1");
  EXPECT_EQ(names(), (std::vector<std::string>{".file.notes.tmp", ".file.tmp", ".other.12345-0.tmp", "file"}));
}

TEST_F(RealFiles, WhatALivingWriterStillWritesIsLeftAlone) {
  const fs::path busy = folder_ / ".file.12345-0.tmp";
  const int file = ::open(busy.c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_EQ(::flock(file, LOCK_EX), 0);
  files_.write_atomically(folder_ / "file", "1");
  EXPECT_TRUE(fs::exists(busy));
  ::close(file);
  files_.write_atomically(folder_ / "file", "2");
  EXPECT_FALSE(fs::exists(busy));
}

// Kills a process that writes without pause, then looks what is there.
TEST_F(RealFiles, AKilledWriterLeavesACompleteFile) {
  const fs::path path = folder_ / "file";
  files_.write_atomically(path, std::string(200'000, 'a'));
  for (int round = 0; round < 10; ++round) {
    const pid_t child = ::fork();
    if (child == 0) {
      const auto write_for_ever = [&]() noexcept {  // an exception must not lead the child into the other tests
        for (int i = 0;; ++i) files_.write_atomically(path, std::string(200'000, static_cast<char>('a' + i % 26)));
      };
      write_for_ever();
    }
    ::usleep(static_cast<useconds_t>(3'000 + 1'700 * round));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "the writer ended by itself";
    const std::string found = files_.read(path);
    ASSERT_TRUE(found == std::string(200'000, found.at(0)));
  }
  files_.write_atomically(path, "end");
  EXPECT_EQ(names(), std::vector<std::string>{"file"});
}

TEST_F(RealFiles, WritersDoNotDisturbEachOther) {
  const auto write_often = [&](char letter) {
    for (int i = 0; i < 50; ++i) files_.write_atomically(folder_ / std::string(1, letter), std::string(999, letter));
  };
  std::thread other([&] { write_often('b'); });
  write_often('a');
  other.join();
  EXPECT_EQ(files_.read(folder_ / "a"), std::string(999, 'a'));
  EXPECT_EQ(files_.read(folder_ / "b"), std::string(999, 'b'));
  EXPECT_EQ(names(), (std::vector<std::string>{"a", "b"}));
}

// Each sweeps away what dead writers left, and must not take the others for dead.
TEST_F(RealFiles, ManyWritersOfOneFileAllSucceed) {
  const fs::path path = folder_ / "file";
  std::atomic<int> failures = 0;
  std::vector<std::thread> writers;
  for (char letter = 'a'; letter < 'e'; ++letter) {
    writers.emplace_back([&, letter] {
      for (int i = 0; i < 100; ++i) {
        failures += message_of([&] { files_.write_atomically(path, std::string(999, letter)); }) != "no error";
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(failures, 0);
  const std::string found = files_.read(path);
  EXPECT_EQ(found, std::string(999, found.at(0)));
  EXPECT_EQ(names(), std::vector<std::string>{"file"});
}

TEST_F(RealFiles, OneDirectoryHasOneHolder) {
  {
    const DirectoryLock first(folder_);
    const std::string message = message_of([&] { DirectoryLock second(folder_); });
    EXPECT_NE(message.find(folder_.native() + " is in use by another process"), std::string::npos) << message;
  }
  EXPECT_NO_THROW(DirectoryLock{folder_});
  EXPECT_EQ(message_of([] { DirectoryLock lock("/nowhere"); }),
            "cannot lock /nowhere: open .lock: No such file or directory");
}

TEST_F(RealFiles, AKilledHolderLetsGo) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto hold = [&]() noexcept {
      const DirectoryLock lock(folder_);
      if (::write(ready[1], "x", 1) == 1) ::pause();
      ::_exit(1);
    };
    hold();
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  EXPECT_THROW(DirectoryLock{folder_}, Error);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_NO_THROW(DirectoryLock{folder_});
  ::close(ready[0]);
  ::close(ready[1]);
}

}  // namespace
}  // namespace fovea::files_test
