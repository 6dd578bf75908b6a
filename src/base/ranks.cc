#include "base/ranks.h"

#include <dlfcn.h>
#include <sched.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "base/error.h"
#include "base/threads.h"

namespace fovea {

namespace {

class Alone : public Ranks {
 public:
  Alone() : Ranks(0, 1) {}
};

// As mpirun tells its processes; 0 where it did not start this one.
int told_by_mpirun(const char* name) {
  const char* const text = std::getenv(name);
  int value = 0;
  if (text) std::from_chars(text, text + std::strlen(text), value);
  return value;
}

void use_all_cores() {
  cpu_set_t all;
  std::memset(&all, 0xff, sizeof all);
  sched_setaffinity(0, sizeof all, &all);  // the kernel leaves out those that are not for this process
}

// Global, since Open MPI's own modules look their symbols up in it; never closed, since MPI leaves threads behind.
std::unique_ptr<Ranks> load_mpi_ranks(const std::string& module) {
  void* const handle = dlopen(module.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (!handle) throw Error(ErrorKind::failure, fmt::format("cannot load {}: {}", module, dlerror()));
  const auto* const version = static_cast<const char*>(dlsym(handle, "fovea_mpi_version"));
  const auto join = reinterpret_cast<Ranks* (*)()>(dlsym(handle, "fovea_join_mpi_ranks"));
  if (!version || !join || std::string_view(version) != FOVEA_VERSION) {
    throw Error(ErrorKind::failure,
                fmt::format("{} is not of this fovea ({}); install or build both together", module, FOVEA_VERSION));
  }
  return std::unique_ptr<Ranks>(join());
}

}  // namespace

Ranks& Ranks::alone() {
  static Alone one;
  return one;
}

void Ranks::broadcast(std::span<std::byte> bytes) {
  std::vector<Sending> out;
  for (int other = 1; other < count_ && first(); ++other) out.push_back({other, bytes});
  std::vector<Receiving> in;
  if (!first()) in.push_back({0, bytes});
  exchange(out, in);
}

void Ranks::broadcast(std::string& text) {
  std::uint64_t size = text.size();
  broadcast(std::as_writable_bytes(std::span(&size, 1)));
  text.resize(size);
  broadcast(std::as_writable_bytes(std::span(text)));
}

std::string find_mpi_module() {
  std::error_code none;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", none).parent_path();
  for (const char* folder : {".", FOVEA_MODULES}) {
    const std::filesystem::path module = program / folder / "fovea_mpi.so";
    if (std::filesystem::is_regular_file(module, none)) return module.lexically_normal();
  }
  return "";
}

std::unique_ptr<Ranks> join_ranks() {
  const int count = told_by_mpirun("OMPI_COMM_WORLD_SIZE");
  if (count > 0) {
    const std::string module = find_mpi_module();
    if (!module.empty()) return load_mpi_ranks(module);
  }
  if (count > 1) {
    throw usage_error(
        "started as one of {} by mpirun, but this fovea came without MPI (fovea_mpi.so); install the package "
        "fovea-mpi, or "
        "libopenmpi-dev and build again, or start it without mpirun",
        count);
  }
  return std::make_unique<Alone>();
}

// mpirun binds a process to a core or a few. That is left alone where the threads asked for fit in.
int threads_of_rank(int asked) {
  const int neighbours = told_by_mpirun("OMPI_COMM_WORLD_LOCAL_SIZE");
  if (neighbours > 0 && (asked == 0 || asked > Workers::default_count())) use_all_cores();
  return asked > 0 ? asked : std::max(1, Workers::default_count() / std::max(1, neighbours));
}

}  // namespace fovea
