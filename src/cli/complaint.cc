#include "cli/complaint.h"

#include <fmt/core.h>

#include <exception>
#include <new>

#include "base/error.h"
#include "base/utf8.h"

namespace fovea {

int complain() {
  try {
    throw;
  } catch (const Error& e) {
    fmt::print(stderr, "error: {}\n", printable(e.what()));
    return static_cast<int>(e.kind());
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "error: not enough memory; try a smaller --batch or --set training.batch=1000t\n");
  } catch (const std::exception& e) {
    fmt::print(stderr, "error: {}\n", printable(e.what()));
  }
  return static_cast<int>(ErrorKind::failure);
}

}  // namespace fovea
