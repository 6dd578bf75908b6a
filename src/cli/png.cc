#include "cli/png.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "base/files.h"
#include "base/utf8.h"

extern char** environ;

namespace fovea {

namespace {

// Beside the picture, and gone with the guard.
class TemporaryFile {
 public:
  TemporaryFile(const std::filesystem::path& beside, const char* ending)
      : path_(beside.string() + "." + std::to_string(getpid()) + ending) {}
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

int run_converter(const std::filesystem::path& from, const std::filesystem::path& to) {
  std::string words[] = {"rsvg-convert", "--unlimited", "-z", "2", "-b", "white", "-o", to.string(), from.string()};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t id = 0;
  if (const int problem = posix_spawnp(&id, "rsvg-convert", nullptr, nullptr, arguments.data(), environ)) {
    throw Error(ErrorKind::failure, problem == ENOENT
                                        ? "PNG pictures are made by rsvg-convert, which is not here; install the "
                                          "package librsvg2-bin, or write SVG"
                                        : fmt::format("cannot start rsvg-convert: {}", std::strerror(problem)));
  }
  int status = 0;
  while (waitpid(id, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

}  // namespace

void write_png(const std::filesystem::path& path, const std::string& svg) {
  Files files;
  const TemporaryFile from(path, ".svg"), to(path, ".png");
  files.write_atomically(from.path(), svg);
  if (run_converter(from.path(), to.path()) != 0 || !files.exists(to.path())) {
    throw Error(ErrorKind::failure, fmt::format("rsvg-convert could not draw {}", printable(path.string())));
  }
  files.write_atomically(path, files.read(to.path()));
}

}  // namespace fovea
