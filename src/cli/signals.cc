#include "cli/signals.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"

namespace fovea {

namespace {

std::atomic<int> stopping = 0;
std::atomic<bool> saved = false;
std::atomic<pid_t> child = 0;

extern "C" void on_stop_signal(int signal) {
  const int before = errno;
  const pid_t to = child.load();
  if (stopping.exchange(signal) != 0) {
    if (to > 0) kill(to, SIGKILL);
    if (saved) _exit(128 + signal);
    constexpr std::string_view line =
        "error: ended by a second signal before all was saved; what was saved before stays\n";
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
    _exit(static_cast<int>(ErrorKind::failure));
  }
  if (to > 0) kill(to, signal);
  errno = before;
}

// From a terminal a signal comes twice, once by way of the parent, so a second one means nothing.
extern "C" void on_stop_signal_in_child(int signal) { stopping = signal; }

constexpr int stop_signals[] = {SIGINT, SIGTERM, SIGHUP};

void set_handlers(void (*handler)(int)) {
  for (const int signal : stop_signals) {
    struct sigaction now = {};
    sigaction(signal, nullptr, &now);
    if (signal != SIGHUP || now.sa_handler != SIG_IGN) std::signal(signal, handler);
  }
}

// Holds them back for as long as it lives.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigset_t all;
    sigemptyset(&all);
    for (const int signal : stop_signals) sigaddset(&all, signal);
    sigprocmask(SIG_BLOCK, &all, &before_);
  }
  ~SignalsHeld() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

 private:
  sigset_t before_;
};

// Returns only in the parent.
pid_t start_child(const std::function<void()>& work) {
  const pid_t parent = getpid();
  pid_t id = 0;
  {
    const SignalsHeld held;  // until it is known where they belong
    id = fork();
    if (id == 0) {
      set_handlers(on_stop_signal_in_child);
      prctl(PR_SET_PDEATHSIG, SIGTERM);
      if (getppid() != parent) stopping = SIGTERM;
    } else if (id > 0) {
      child = id;
    }
  }
  if (id == 0) {
    try {
      work();
    } catch (...) {
      _exit(1);
    }
    _exit(0);
  }
  if (id < 0) throw Error(ErrorKind::failure, fmt::format("cannot start a process: {}", std::strerror(errno)));
  return id;
}

}  // namespace

const std::atomic<int>& stop_signal() { return stopping; }

void all_is_saved() { saved = true; }

void catch_stop_signals() { set_handlers(on_stop_signal); }

ChildEnd run_in_child(const std::function<void()>& work) {
  const pid_t id = start_child(work);
  int status = 0;
  rusage usage = {};
  while (wait4(id, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  child = 0;
  return {WIFSIGNALED(status) ? WTERMSIG(status) : 0, static_cast<double>(usage.ru_maxrss) / 1024};  // is in KiB
}

}  // namespace fovea
