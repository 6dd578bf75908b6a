#include "base/watchdog.h"

#include <gtest/gtest.h>

#include <atomic>

#include "base/as_size.h"
#include "support/thread_ranks.h"

namespace fovea::watchdog_test {
namespace {

using namespace std::chrono_literals;

std::string told_of(int rank) {
  return fmt::format("rank {} has given no sign of life for 0.3 s: stopped, or its machine cannot be reached", rank);
}

TEST(Watchdog, NamesTheRankThatIsMissing) {
  for (const int stopped : {0, 2}) {
    std::array<std::string, 3> told;
    run_ranks(3, [&](Ranks& ranks) {
      if (ranks.rank() == stopped) return;
      const Watchdog watchdog(ranks, 300ms, [&](const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::failure);
        told[as_size(ranks.rank())] = error.what();
      });
      std::this_thread::sleep_for(600ms);
    });
    for (int rank = 0; rank < 3; ++rank) {
      EXPECT_EQ(told[as_size(rank)].starts_with(told_of(stopped)), rank != stopped) << told[as_size(rank)];
    }
  }
}

TEST(Watchdog, WorkIsNoSilenceAndNoRankIsLeftBehind) {
  std::atomic<int> told = 0, done = 0;
  run_ranks(3, [&](Ranks& ranks) {
    {
      const Watchdog watchdog(ranks, 200ms, [&](const Error&) { ++told; });
      if (ranks.rank() == 1) std::this_thread::sleep_for(700ms);
      ++done;
    }
    EXPECT_EQ(done, 3) << "rank " << ranks.rank() << " did not wait for the others to come so far";
  });
  EXPECT_EQ(told, 0);
}

TEST(Watchdog, NobodyIsMissedAloneOrWithoutPatience) {
  const Watchdog alone(Ranks::alone(), 1ms, [](const Error&) { FAIL(); });
  run_ranks(2, [&](Ranks& ranks) {
    if (ranks.first()) return;
    const Watchdog never(ranks, 0s, [](const Error&) { FAIL(); });
    std::this_thread::sleep_for(50ms);
  });
}

}  // namespace
}  // namespace fovea::watchdog_test
