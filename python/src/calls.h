// Calls into the library while other threads of Python run: without its lock, heard when a signal comes, ended before
// the interpreter does, and refused in a process that was forked after what they need was made.
#pragma once

#include <nanobind/nanobind.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "fovea.h"

namespace fovea::python {

namespace nb = nanobind;

// A call under way, made and destroyed with the lock of Python held. Once `stop` is not 0 it should come to its end.
class Call {
 public:
  // Throws an Error in the thread that ends the interpreter; other threads come back from neither of the two then.
  Call();
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  std::atomic<int> stop = 0;

  static int under_way();
  // From here on there are no new ones; returns when those under way have ended. With the lock of Python held.
  static void end_all();
  // To be called first thing in a forked child: the calls of its parent's threads are not its own.
  static void forget_all();
};

// Text on its way from the thread that works to the one that may speak to Python.
class Mailbox {
 public:
  void put(std::string kind, std::string text);
  // Gives what has come to take(kind, text); with the lock of Python held.
  void empty(const nb::object& take);

 private:
  std::mutex mutex_;
  std::vector<std::pair<std::string, std::string>> letters_;
};

// Runs the work in a thread of its own, without the lock of Python, while this one hears signals and hands on letters.
// After a signal, or an exception of whoever takes letters, the call is told to stop, and once it has, the exception
// goes on.
void run_apart(Call& call, const std::function<void()>& work, Mailbox* letters = nullptr, const nb::object& take = {});

// The same in this thread, for work too short for a signal to come in between.
template <class Work>
auto run_here(Work work) {
  Call call;
  const nb::gil_scoped_release released;
  return work();
}

// A value that belongs to the process that made it: a forked child has no worker threads, and may neither use nor
// destroy it.
template <class T>
class OfThisProcess {
 public:
  explicit OfThisProcess(std::unique_ptr<T> value) : value_(std::move(value)) {}
  OfThisProcess(OfThisProcess&&) = default;
  ~OfThisProcess() {
    if (!here()) {
      [[maybe_unused]] T* left = value_.release();
    }
  }

  T& operator*() const {
    if (!here()) {
      throw usage_error(
          "this model was opened before the process was forked, and its threads stayed behind; open it again with "
          "fovea.load in the child, or start children with the method spawn");
    }
    return *value_;
  }

 private:
  bool here() const { return process_ == getpid(); }

  std::unique_ptr<T> value_;
  pid_t process_ = getpid();
};

}  // namespace fovea::python
