#include "cli/out.h"

#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/streams.h"

namespace fovea {
namespace {

constexpr std::size_t enough = 1 << 16;

std::string& kept() {
  static std::string text;
  return text;
}

}  // namespace

void flush_out() {
  const int code = -write_fully(STDOUT_FILENO, std::exchange(kept(), {}));
  if (code == 0) return;
  if (code == EPIPE || code == EBADF) {
    throw Error(ErrorKind::failure, "standard output was closed before all was written");
  }
  throw Error(ErrorKind::failure,
              fmt::format("cannot write to standard output: {}", std::generic_category().message(code)));
}

void write_out(std::string_view text) {
  kept() += text;
  if (kept().size() >= enough) flush_out();
}

}  // namespace fovea
