// Worker threads that share out numbered tasks.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace fovea {

class Workers {
 public:
  // The caller's thread is one of them.
  explicit Workers(int threads);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  int count() const { return static_cast<int>(threads_.size()) + 1; }

  // work(task, worker) for every task in [0, tasks), each once, in any order; returns when all are done. Of exceptions
  // the one of the lowest task is thrown on.
  void run(int tasks, const std::function<void(int task, int worker)>& work);

  static int default_count();  // as many as the machine has cores for this process

 private:
  void loop(int worker);
  void take(int worker);

  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable begin_;
  std::condition_variable end_;
  std::uint64_t round_ = 0;
  int running_ = 0;
  bool stop_ = false;
  const std::function<void(int, int)>* work_ = nullptr;
  int tasks_ = 0;
  std::atomic<int> next_ = 0;
  std::exception_ptr failure_;
  int failed_task_ = 0;
};

}  // namespace fovea
