#include "runs/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/error.h"
#include "base/stop_signals.h"

namespace fovea {

namespace {

std::atomic<int> child_stopping = 0;  // in the child

// From a terminal a signal comes twice, once by way of the parent, so a second one means nothing.
extern "C" void on_stop_signal_in_child(int signal) {
  const int before = errno;
  child_stopping = signal;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  errno = before;
}

// Holds them back for as long as it lives.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigset_t all;
    sigemptyset(&all);
    for (const int signal : stop_signals) sigaddset(&all, signal);
    pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~SignalsHeld() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

 private:
  sigset_t before_;
};

// What ends with the child: its other side is the child's alone.
class EndOfChild {
 public:
  EndOfChild() {
    if (pipe2(sides_, O_CLOEXEC) != 0) fail("pipe");
  }
  ~EndOfChild() {
    close(sides_[0]);
    close_other();
  }
  EndOfChild(const EndOfChild&) = delete;
  EndOfChild& operator=(const EndOfChild&) = delete;

  void close_other() {
    if (sides_[1] >= 0) close(sides_[1]);
    sides_[1] = -1;
  }
  // Whether it has ended; returns early at a signal, and after a while in any case.
  bool wait() const {
    constexpr int longest = 50;  // milliseconds
    pollfd side = {sides_[0], POLLIN, 0};
    return poll(&side, 1, longest) > 0;
  }

  [[noreturn]] static void fail(const char* what) {
    throw Error(ErrorKind::failure, fmt::format("cannot start a process: {}: {}", what, std::strerror(errno)));
  }

 private:
  int sides_[2] = {-1, -1};
};

using Work = std::function<void(const std::atomic<int>& stop)>;

// Returns only in the parent.
pid_t start_child(const Work& work) {
  const pid_t parent = getpid();
  pid_t id = 0;
  {
    const SignalsHeld held;  // until it is known where they belong
    id = fork();
    if (id == 0) {
      child_stopping = 0;
      handle_stop_signals(on_stop_signal_in_child);
      prctl(PR_SET_PDEATHSIG, SIGTERM);
      if (getppid() != parent) child_stopping = SIGTERM;
    }
  }
  if (id < 0) EndOfChild::fail("fork");
  if (id > 0) return id;
  try {
    work(child_stopping);
  } catch (...) {
    _exit(1);
  }
  _exit(0);
}

}  // namespace

ChildEnd run_in_child(const Work& work, const std::atomic<int>* stop_signal) {
  EndOfChild end;
  const pid_t id = start_child(work);
  end.close_other();
  int status = 0;
  rusage usage = {};
  bool told = false;
  for (bool ended = false;;) {
    const pid_t waited = wait4(id, &status, ended ? 0 : WNOHANG, &usage);
    if (waited == id || (waited < 0 && errno != EINTR)) break;
    if (!told && stop_signal && *stop_signal != 0) told = kill(id, SIGTERM) == 0;
    ended = end.wait();
  }
  return {WIFSIGNALED(status) ? WTERMSIG(status) : 0, static_cast<double>(usage.ru_maxrss) / 1024};  // is in KiB
}

}  // namespace fovea
