#include "runs/child_process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "support/temporary_folder.h"

namespace fovea::child_process_test {
namespace {

// Until it is told to stop.
void wait_for(const std::atomic<int>& stop) {
  while (stop == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

TEST(ChildProcess, DoesTheWorkElsewhere) {
  TemporaryFolder folder;
  int here = 0;
  const ChildEnd end = run_in_child(
      [&](const std::atomic<int>& stop) {
        here = 1;
        folder.write("done", stop == 0 ? "done" : "stopped");
      },
      nullptr);
  EXPECT_EQ(end.signal, 0);
  EXPECT_GT(end.peak_mib, 1);
  EXPECT_EQ(here, 0);
  EXPECT_EQ(read_bytes(folder / "done"), "done");
}

TEST(ChildProcess, SaysWhatEndedIt) {
  EXPECT_EQ(run_in_child([](const std::atomic<int>&) { raise(SIGKILL); }, nullptr).signal, SIGKILL);
  EXPECT_EQ(run_in_child([](const std::atomic<int>&) { throw 1; }, nullptr).signal, 0);
}

TEST(ChildProcess, AFlagAndSignalsStopIt) {
  std::atomic<int> stop = 1;
  EXPECT_EQ(run_in_child(wait_for, &stop).signal, 0);
  stop = 0;
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    stop = SIGINT;
  });
  EXPECT_EQ(run_in_child(wait_for, &stop).signal, 0);
  later.join();
  const auto by_signal = [](const std::atomic<int>& told) {
    raise(SIGTERM);
    wait_for(told);
  };
  EXPECT_EQ(run_in_child(by_signal, nullptr).signal, 0);
}

}  // namespace
}  // namespace fovea::child_process_test
