#include "base/threads.h"

#include <gtest/gtest.h>

#include <latch>
#include <numeric>
#include <stdexcept>

#include "base/as_size.h"

namespace fovea::threads_test {
namespace {

TEST(Workers, DoEachTaskOnceWhateverTheirNumber) {
  for (const int threads : {1, 2, 5}) {
    Workers workers(threads);
    EXPECT_EQ(workers.count(), threads);
    for (const int tasks : {0, 1, 2, 7, 100}) {
      std::vector<std::atomic<int>> done(as_size(tasks));
      workers.run(tasks, [&](int task, int worker) {
        EXPECT_TRUE(worker >= 0 && worker < threads) << worker;
        ++done[as_size(task)];
      });
      for (const std::atomic<int>& times : done) EXPECT_EQ(times, 1) << threads << " threads, " << tasks << " tasks";
    }
  }
}

TEST(Workers, ManyShortRoundsAreAllDoneWhenTheyReturn) {
  Workers workers(3);
  std::vector<int> values(4);
  for (int round = 1; round <= 20000; ++round) {
    workers.run(4, [&](int task, int) { values[as_size(task)] += task; });
    ASSERT_EQ(std::accumulate(values.begin(), values.end(), 0), 6 * round);
  }
}

// A worker that is between looking for an end and falling asleep must hear of it.
TEST(Workers, EndWheneverTheyAreToldTo) {
  for (int round = 0; round < 4000; ++round) {
    Workers workers(3);
    std::atomic<int> done = 0;
    workers.run(3, [&](int, int) { ++done; });
    ASSERT_EQ(done, 3);
  }
}

TEST(Workers, WorkAtTheSameTime) {
  Workers workers(3);
  for (int round = 0; round < 3; ++round) {
    std::latch all_there(3);
    workers.run(3, [&](int, int) { all_there.arrive_and_wait(); });
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // they fall asleep, and wake again
  }
}

TEST(Workers, AWorkerHasOneTaskAtATime) {
  Workers workers(3);
  std::vector<std::atomic<int>> busy(3);
  workers.run(200, [&](int, int worker) {
    EXPECT_EQ(busy[as_size(worker)]++, 0);
    std::this_thread::yield();
    --busy[as_size(worker)];
  });
}

TEST(Workers, ThrowTheFailureOfTheLowestTaskWhenAllAreDone) {
  Workers workers(2);
  std::atomic<int> done = 0;
  const auto fail = [&](int task, int) {
    ++done;
    if (task == 3 || task == 7) throw std::runtime_error("task " + std::to_string(task));
  };
  for (int round = 1; round <= 3; ++round) {
    try {
      workers.run(10, fail);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const std::runtime_error& e) {
      EXPECT_STREQ(e.what(), "task 3");
    }
    EXPECT_EQ(done, 10 * round);
  }
  workers.run(3, [&](int, int) { ++done; });  // a failure is forgotten
  EXPECT_EQ(done, 33);
}

}  // namespace
}  // namespace fovea::threads_test
