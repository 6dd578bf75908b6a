#include "base/threads.h"

#include <sched.h>

#include <algorithm>

namespace fovea {

int Workers::default_count() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return std::max(1, CPU_COUNT(&allowed));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

Workers::Workers(int threads) {
  for (int worker = 1; worker < threads; ++worker) threads_.emplace_back([this, worker] { loop(worker); });
}

Workers::~Workers() {
  {
    const std::scoped_lock lock(mutex_);
    stop_ = true;
  }
  begin_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Workers::take(int worker) {
  for (int task = next_++; task < tasks_; task = next_++) {
    try {
      (*work_)(task, worker);
    } catch (...) {
      const std::scoped_lock lock(mutex_);
      if (!failure_ || task < failed_task_) {
        failure_ = std::current_exception();
        failed_task_ = task;
      }
    }
  }
}

void Workers::loop(int worker) {
  std::uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  while (true) {
    begin_.wait(lock, [&] { return stop_ || round_ != seen; });
    if (stop_) return;
    seen = round_;
    lock.unlock();
    take(worker);
    lock.lock();
    if (--running_ == 0) end_.notify_one();
  }
}

void Workers::run(int tasks, const std::function<void(int, int)>& work) {
  {
    const std::scoped_lock lock(mutex_);
    work_ = &work;
    tasks_ = tasks;
    next_ = 0;
    failure_ = nullptr;
    running_ = static_cast<int>(threads_.size());
    ++round_;
  }
  begin_.notify_all();
  take(0);
  std::unique_lock lock(mutex_);
  end_.wait(lock, [&] { return running_ == 0; });
  if (failure_) std::rethrow_exception(failure_);
}

}  // namespace fovea
