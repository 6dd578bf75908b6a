#include "base/streams.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>

#include "base/as_size.h"

namespace fovea {
namespace {

// Whether the call that just failed is worth another try; returns when it is time for that.
bool try_again(int file, short event) {
  if (errno == EINTR) return true;
  if (errno != EAGAIN) return false;
  pollfd one = {file, event, 0};
  return ::poll(&one, 1, -1) >= 0 || errno == EINTR;
}

}  // namespace

void open_standard_streams() {
  for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(file, F_GETFD) >= 0) continue;
    // The lowest free number is this one. Open for the wrong direction, so that no result is lost without a word.
    if (::open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) return;
  }
}

std::ptrdiff_t read_some(int file, std::span<char> bytes) {
  for (;;) {
    const ssize_t count = ::read(file, bytes.data(), bytes.size());
    if (count >= 0) return count;
    if (!try_again(file, POLLIN)) return -errno;
  }
}

int write_fully(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file, bytes.data(), bytes.size());
    if (count >= 0) {
      bytes.remove_prefix(as_size(count));
    } else if (!try_again(file, POLLOUT)) {
      return -errno;
    }
  }
  return 0;
}

void say(std::string_view text) { write_fully(STDERR_FILENO, text); }

}  // namespace fovea
