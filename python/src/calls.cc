#include "calls.h"

#include <chrono>
#include <csignal>
#include <set>

#include "texts.h"

namespace fovea::python {

namespace {

struct Calls {
  std::mutex mutex;
  std::condition_variable ended;
  std::set<Call*> under_way;
  std::thread::id ending;  // the thread that ends the interpreter, once it does
  bool closed = false;

  bool left_behind() const { return closed && std::this_thread::get_id() != ending; }
};

// Never destroyed: threads may outlive the statics of a process that ends. Made anew in a forked child, whose copy of
// the mutex another thread may have held.
Calls* calls = new Calls;

// What a daemon thread would do in an interpreter that ends, if only to print that it was stopped, may bring the
// process down: it rests instead, until there is none.
[[noreturn]] void rest() {
  const nb::gil_scoped_release released;
  while (true) pause();
}

}  // namespace

Call::Call() {
  std::unique_lock lock(calls->mutex);
  if (calls->left_behind()) {
    lock.unlock();
    rest();
  }
  if (calls->closed) throw Error(ErrorKind::failure, "the interpreter is ending; nothing new is begun");
  calls->under_way.insert(this);
}

Call::~Call() {
  std::unique_lock lock(calls->mutex);
  calls->under_way.erase(this);
  calls->ended.notify_all();
  if (calls->left_behind()) {
    lock.unlock();
    rest();
  }
}

int Call::under_way() {
  const std::lock_guard lock(calls->mutex);
  return static_cast<int>(calls->under_way.size());
}

void Call::end_all() {
  const nb::gil_scoped_release released;  // those that end want it
  std::unique_lock lock(calls->mutex);
  calls->closed = true;
  calls->ending = std::this_thread::get_id();
  for (Call* call : calls->under_way) call->stop = SIGTERM;
  calls->ended.wait(lock, [] { return calls->under_way.empty(); });
}

void Call::forget_all() { calls = new Calls; }

void Mailbox::put(std::string kind, std::string text) {
  const std::lock_guard lock(mutex_);
  letters_.emplace_back(std::move(kind), std::move(text));
}

void Mailbox::empty(const nb::object& take) {
  std::vector<std::pair<std::string, std::string>> all;
  {
    const std::lock_guard lock(mutex_);
    all.swap(letters_);
  }
  for (const auto& [kind, text] : all) take(to_python(kind), to_python(text));
}

void run_apart(Call& call, const std::function<void()>& work, Mailbox* letters, const nb::object& take) {
  constexpr auto patience = std::chrono::milliseconds(50);
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  std::exception_ptr failure;  // of the work
  std::exception_ptr heard;    // of Python, which is thrown once the work has ended
  std::thread worker([&] {
    try {
      work();
    } catch (...) {
      failure = std::current_exception();
    }
    const std::lock_guard lock(mutex);
    done = true;
    changed.notify_all();
  });
  const auto listen = [&] {
    try {
      if (letters) letters->empty(take);
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
    } catch (...) {
      if (!heard) heard = std::current_exception();  // a second signal means nothing: all is being saved
      call.stop = SIGINT;
    }
  };
  {
    const nb::gil_scoped_release released;
    std::unique_lock lock(mutex);
    while (!done) {
      if (changed.wait_for(lock, patience, [&] { return done; })) break;
      lock.unlock();
      {
        const nb::gil_scoped_acquire acquired;
        listen();
      }
      lock.lock();
    }
    lock.unlock();
    worker.join();
  }
  listen();
  if (heard) std::rethrow_exception(heard);
  if (failure) std::rethrow_exception(failure);
}

}  // namespace fovea::python
