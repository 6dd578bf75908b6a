// Worker threads that share out numbered tasks. Between rounds they stay awake for some microseconds, so that tasks may
// be as short as those.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace fovea {

class Workers {
 public:
  // The caller's thread is one of them. There are fewer if the system does not give so many.
  explicit Workers(int threads);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  int count() const { return static_cast<int>(threads_.size()) + 1; }

  // work(task, worker) for every task in [0, tasks), each once, in any order; returns when all are done. Of exceptions
  // the one of the lowest task is thrown on.
  void run(int tasks, const std::function<void(int task, int worker)>& work);

  static int default_count();  // as many as the machine has cores for this process
  // What to tell someone who asked for more than there are; empty if there are all.
  static std::string shortage(int asked, int had);

 private:
  bool start(int threads);  // false if they cannot all be had
  void end();
  void loop(int worker);
  bool take(int worker);  // one task, unless none is left

  // What run() waits for are tasks, not threads: one that sleeps too long is not waited for, and finds nothing left.
  std::atomic<std::uint64_t> round_ = 0;  // its number in the upper half, and how many of its tasks nobody has taken
  std::atomic<int> unfinished_ = 0;       // tasks of the round
  const std::function<void(int, int)>* work_ = nullptr;
  int tasks_ = 0;
  std::mutex failing_;
  std::exception_ptr failure_;
  int failed_task_ = 0;
  std::atomic<bool> stop_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace fovea
