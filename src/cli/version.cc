#include "cli/version.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "base/ranks.h"
#include "base/real.h"
#include "kernels/instruction_set.h"

namespace fovea {

namespace {

#ifdef __clang__
constexpr const char* compiler = "clang " __clang_version__;
#else
constexpr const char* compiler = "g++ " __VERSION__;
#endif

}  // namespace

std::string version_text() {
  return fmt::format(
      "fovea {}\n"
      "instruction set: {}\n"
      "instruction sets built in that run here: {}\n"
      "numbers: {}\n"
      "MPI: {}\n"
      "compiler: {}",
      FOVEA_VERSION, kernels::instruction_set(), fmt::join(kernels::instruction_sets(), ", "),
      sizeof(Real) == sizeof(float) ? "float" : "double", find_mpi_module().empty() ? "no" : "yes", compiler);
}

}  // namespace fovea
