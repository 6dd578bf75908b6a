#include "cli/complaint.h"

#include <fmt/core.h>

#include <exception>
#include <new>

#include "base/error.h"
#include "base/streams.h"
#include "base/threads.h"
#include "base/utf8.h"
#include "cli/flags.h"

namespace fovea {

int complain() {
  try {
    throw;
  } catch (const Error& e) {
    say(fmt::format("error: {}\n", printable(with_flags(e.what()))));
    return static_cast<int>(e.kind());
  } catch (const std::bad_alloc&) {
    say("error: not enough memory; try fewer --threads, or a smaller --batch or --set training.batch=1000t\n");
  } catch (const std::exception& e) {
    say(fmt::format("error: {}\n", printable(e.what())));
  }
  return static_cast<int>(ErrorKind::failure);
}

void complain_of_threads(int asked, int had) {
  if (const std::string text = Workers::shortage(asked, had); !text.empty()) say("warning: " + text + "\n");
}

}  // namespace fovea
