#include "cli/signals.h"

#include <cerrno>
#include <string_view>
#include <unistd.h>

#include "base/error.h"
#include "base/stop_signals.h"

namespace fovea {

namespace {

std::atomic<int> stopping = 0;
std::atomic<bool> saved = false;

extern "C" void on_stop_signal(int signal) {
  const int before = errno;
  if (stopping.exchange(signal) != 0) {
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
