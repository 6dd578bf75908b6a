// Standard output, with every failure to write noticed: a result that did not arrive is not a success.
#pragma once

#include <cstdio>
#include <string_view>

#include "base/error.h"

namespace fovea {

inline void flush_out() {
  // A large text is written past the buffer: if that fails, there is nothing left to flush.
  const bool flushed = std::fflush(stdout) == 0;
  if (!flushed || std::ferror(stdout)) {
    throw Error(ErrorKind::failure, "standard output was closed before all was written");
  }
}

inline void write_out(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) flush_out();
}

}  // namespace fovea
