#include "cli/signals.h"

#include <cerrno>
#include <cstdint>
#include <ctime>
#include <string_view>
#include <unistd.h>

#include "base/error.h"
#include "base/stop_signals.h"

namespace fovea {

namespace {

std::atomic<int> stopping = 0;
std::atomic<bool> saved = false;

std::atomic<std::int64_t> first_at = 0;

std::int64_t milliseconds() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t(now.tv_sec) * 1000 + now.tv_nsec / 1'000'000;
}

// One who signals a process and then its group, as timeout(1) does, asks once.
bool is_echo(int signal, int earlier) { return signal == earlier && milliseconds() - first_at < 500; }

extern "C" void on_stop_signal(int signal) {
  const int before = errno;
  int earlier = 0;
  if (stopping.compare_exchange_strong(earlier, signal)) {
    first_at = milliseconds();
  } else if (!is_echo(signal, earlier)) {
    if (saved) _exit(128 + signal);
    constexpr std::string_view line =
        "error: ended by a second signal before all was saved; what was saved before stays\n";
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
    _exit(static_cast<int>(ErrorKind::failure));
  }
  errno = before;
}

}  // namespace

const std::atomic<int>& stop_signal() { return stopping; }

void all_is_saved() { saved = true; }

void catch_stop_signals() { handle_stop_signals(on_stop_signal); }

}  // namespace fovea
