#include "base/threads.h"

#include <fmt/core.h>
#include <sched.h>

#include <algorithm>

namespace fovea {

namespace {

constexpr std::uint64_t one_round = std::uint64_t(1) << 32;

int untaken(std::uint64_t round) { return static_cast<int>(round % one_round); }

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

// Awake for some tens of microseconds, then asleep.
template <class T>
void await_change(const std::atomic<T>& value, T seen) {
  constexpr int glances = 2000;
  for (int i = 0; i < glances; ++i) {
    if (value != seen) return;
    relax();
  }
  value.wait(seen);
}

}  // namespace

int Workers::default_count() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return std::max(1, CPU_COUNT(&allowed));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

std::string Workers::shortage(int asked, int had) {
  if (had >= asked) return "";
  return fmt::format("only {} of {} threads could be used (ulimit -u and -v limit them); the result is the same", had,
                     asked);
}

Workers::Workers(int threads) {
  while (!start(threads)) {
    // Half of those that could be had: the last of them took the memory that the work needs.
    threads = std::max(1, count() / 2);
    end();
  }
}

Workers::~Workers() { end(); }

bool Workers::start(int threads) {
  stop_ = false;
  try {
    for (int worker = 1; worker < threads; ++worker) threads_.emplace_back([this, worker] { loop(worker); });
  } catch (const std::exception&) {
    return false;
  }
  return true;
}

void Workers::end() {
  stop_ = true;
  round_ += one_round;
  round_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

bool Workers::take(int worker) {
  std::uint64_t round = round_.load(std::memory_order_acquire);
  do {
    if (untaken(round) == 0) return false;
  } while (!round_.compare_exchange_weak(round, round - 1, std::memory_order_acquire));
  // Until this task is finished the round goes on, and its work_ and tasks_ stay.
  const int task = tasks_ - untaken(round);
  try {
    (*work_)(task, worker);
  } catch (...) {
    const std::scoped_lock lock(failing_);
    if (!failure_ || task < failed_task_) {
      failure_ = std::current_exception();
      failed_task_ = task;
    }
  }
  if (--unfinished_ == 0) unfinished_.notify_one();
  return true;
}

void Workers::loop(int worker) {
  for (;;) {
    // The round first: end() says stop_ before it changes round_, so one who saw no stop waits for a change to come.
    const std::uint64_t round = round_;
    if (stop_) return;
    if (untaken(round) == 0) {
      await_change(round_, round);
    } else {
      take(worker);
    }
  }
}

void Workers::run(int tasks, const std::function<void(int, int)>& work) {
  work_ = &work;
  tasks_ = tasks;
  failure_ = nullptr;
  unfinished_ = tasks;
  round_ = (round_ / one_round + 1) * one_round + static_cast<std::uint64_t>(tasks);
  round_.notify_all();
  while (take(0)) {
  }
  for (int left = unfinished_; left > 0; left = unfinished_) await_change(unfinished_, left);
  if (failure_) std::rethrow_exception(failure_);
}

}  // namespace fovea
