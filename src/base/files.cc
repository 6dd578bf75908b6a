#include "base/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <system_error>

#include "base/as_size.h"
#include "base/error.h"
#include "base/utf8.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

constexpr mode_t any_mode = 0666;  // the umask takes its share

std::string cause(int code) { return std::generic_category().message(code); }

Error file_error(std::string_view verb, const fs::path& path, std::string_view operation, int code) {
  return {ErrorKind::failure,
          fmt::format("cannot {} {}: {}: {}", verb, printable(path.native()), operation, cause(code))};
}

// Repeats a system call that a signal interrupted; -errno if it fails.
template <class Call>
auto repeat(Call call) -> decltype(call()) {
  for (;;) {
    const auto result = call();
    if (result >= 0) return result;
    if (errno != EINTR) return -errno;
  }
}

class Descriptor {
 public:
  explicit Descriptor(int file) : file_(file) {}
  ~Descriptor() {
    if (file_ >= 0) ::close(file_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return file_; }

 private:
  int file_;
};

Descriptor open_file(const fs::path& path, int flags) {
  return Descriptor(repeat([&] { return ::open(path.c_str(), flags | O_CLOEXEC, any_mode); }));
}

fs::path directory_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

std::string temporary_prefix(const fs::path& target) { return "." + target.filename().native() + "."; }
constexpr std::string_view temporary_suffix = ".tmp";

bool is_temporary_of(const fs::path& target, std::string_view name) {
  const std::string prefix = temporary_prefix(target);
  if (name.size() <= prefix.size() + temporary_suffix.size()) return false;
  if (!name.starts_with(prefix) || !name.ends_with(temporary_suffix)) return false;
  name.remove_prefix(prefix.size());
  name.remove_suffix(temporary_suffix.size());
  return name.find_first_not_of("0123456789-") == name.npos;
}

// 0, or -errno. `write_some` may write less than it was given.
template <class Write>
int write_all(std::string_view bytes, Write write_some) {
  while (!bytes.empty()) {
    const std::ptrdiff_t written = write_some(bytes);
    if (written == -EINTR) continue;
    if (written < 0) return static_cast<int>(written);
    if (written == 0) return -EIO;
    bytes.remove_prefix(as_size(written));
  }
  return 0;
}

std::ptrdiff_t write_once(int file, std::string_view bytes) {
  const ssize_t written = ::write(file, bytes.data(), bytes.size());
  return written < 0 ? -errno : written;
}

}  // namespace

ByteSource ByteSource::of(std::string_view bytes) {
  return {bytes.size(), [rest = bytes](std::span<char> to) mutable {
            check(to.size() <= rest.size(), "{} bytes wanted of {}", to.size(), rest.size());
            std::ranges::copy(rest.substr(0, to.size()), to.begin());
            rest.remove_prefix(to.size());
          }};
}

void Files::write_atomically(const fs::path& path, std::string_view bytes) {
  const Place place = find_place(path);
  sweep(place.path);
  const Temporary temporary = open_temporary(place);
  const Descriptor lock(keep_lock(temporary.file));
  Failure failure = fill(temporary.file, bytes);
  if (failure.code == 0) failure = {"rename", rename(temporary.path, place.path)};
  if (failure.code != 0) {
    remove(temporary.path);
    throw file_error("write", path, failure.operation, -failure.code);
  }
  if (const int code = sync_directory(directory_of(place.path)); code != 0) {
    throw file_error("write", path, "sync of its directory (the new file is there but may not outlive a power loss)",
                     -code);
  }
}

void Files::move(const fs::path& from, const fs::path& to) {
  if (const int code = rename(from, to); code != 0) throw file_error("write", to, "rename", -code);
  if (const int code = sync_directory(directory_of(to)); code != 0) throw file_error("write", to, "sync", -code);
}

void Files::remove_file(const fs::path& path) {
  const int code = remove(path);
  if (code != 0 && code != -ENOENT) throw file_error("remove", path, "unlink", -code);
}

void Files::sweep(const fs::path& target) {
  const fs::path directory = directory_of(target);
  for (const std::string& name : list(directory)) {
    if (is_temporary_of(target, name)) remove_abandoned(directory / name);
  }
}

Files::Temporary Files::open_temporary(const Place& place) {
  constexpr int max_attempts = 100;
  for (int attempt = 0;; ++attempt) {
    fs::path path = directory_of(place.path) /
                    fmt::format("{}{}-{}{}", temporary_prefix(place.path), ::getpid(), attempt, temporary_suffix);
    const int file = open_new(path, place.mode);
    if (file >= 0) return {file, std::move(path)};
    if (file != -EEXIST || attempt == max_attempts) throw file_error("write", place.path, "new temporary file", -file);
  }
}

// A failed sync is final: the kernel may drop the pages and call the next sync a success.
Files::Failure Files::fill(int file, std::string_view bytes) {
  Failure failure = {"write", write_all(bytes, [&](std::string_view rest) { return write(file, rest); })};
  if (failure.code == 0) failure = {"sync", sync(file)};
  const int closed = close(file);
  if (failure.code == 0) failure = {"close", closed};
  return failure;
}

std::string Files::read(const fs::path& path, std::uint64_t max_bytes) {
  const auto too_large = [&] {
    return Error(ErrorKind::failure, fmt::format("cannot read {}: it is larger than the limit of {} bytes",
                                                 printable(path.native()), max_bytes));
  };
  const Descriptor file = open_file(path, O_RDONLY);
  if (file.get() < 0) throw file_error("read", path, "open", -file.get());
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) throw file_error("read", path, "stat", errno);
  const auto expected = static_cast<std::uint64_t>(status.st_size);  // 0 for a pipe
  if (S_ISREG(status.st_mode) && expected > max_bytes) throw too_large();

  constexpr std::size_t chunk_bytes = 1 << 16;
  std::string bytes;
  bytes.resize(S_ISREG(status.st_mode) ? expected + 1 : chunk_bytes);  // one more, to meet the end without growing
  std::size_t size = 0;
  for (;;) {
    if (size == bytes.size()) bytes.resize(size + std::max(size / 2, chunk_bytes));
    const ssize_t got = repeat([&] { return ::read(file.get(), bytes.data() + size, bytes.size() - size); });
    if (got < 0) throw file_error("read", path, "read", static_cast<int>(-got));
    if (got == 0) break;
    size += as_size(got);
    if (size > max_bytes) throw too_large();
  }
  bytes.resize(size);
  return bytes;
}

ByteSource Files::open(const fs::path& path) {
  // O_NONBLOCK, or a pipe would be waited for until someone writes to it.
  const auto file = std::shared_ptr<const Descriptor>(new Descriptor(open_file(path, O_RDONLY | O_NONBLOCK)));
  if (file->get() < 0) throw file_error("read", path, "open", -file->get());
  struct stat status{};
  if (::fstat(file->get(), &status) != 0) throw file_error("read", path, "stat", errno);
  const auto unfit = [path](const char* what) {
    return Error(ErrorKind::failure, fmt::format("cannot read {}: {}", printable(path.native()), what));
  };
  if (!S_ISREG(status.st_mode)) {
    throw unfit(S_ISDIR(status.st_mode) ? "it is a directory" : "it is a device or a pipe; a file is needed");
  }
  return {static_cast<std::uint64_t>(status.st_size), [file, path, unfit](std::span<char> to) {
            while (!to.empty()) {
              const ssize_t got = repeat([&] { return ::read(file->get(), to.data(), to.size()); });
              if (got < 0) throw file_error("read", path, "read", static_cast<int>(-got));
              if (got == 0) throw unfit("it became shorter while it was read");
              to = to.subspan(as_size(got));
            }
          }};
}

void Files::append(const fs::path& path, std::string_view text) {
  const Descriptor file = open_file(path, O_WRONLY | O_APPEND | O_CREAT);
  if (file.get() < 0) throw file_error("append to", path, "open", -file.get());
  const int code = write_all(text, [&](std::string_view rest) { return write_once(file.get(), rest); });
  if (code != 0) throw file_error("append to", path, "write", -code);
}

bool Files::exists(const fs::path& path) {
  std::error_code code;
  const bool found = fs::exists(path, code);
  if (code) throw file_error("look at", path, "stat", code.value());
  return found;
}

void Files::make_directories(const fs::path& path) {
  std::error_code ignored;
  fs::path made;
  for (const fs::path& part : path) {
    const fs::path parent = made.empty() ? fs::path(".") : made;
    made /= part;
    if (::mkdir(made.c_str(), 0777) == 0) {
      if (const int code = sync_directory(parent); code != 0) throw file_error("make", made, "sync", -code);
    } else if (const int code = errno; !fs::is_directory(made, ignored)) {
      throw file_error("make", made, "mkdir", code);
    }
  }
}

Files::Place Files::find_place(const fs::path& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) {
    if (errno != ENOENT) throw file_error("write", path, "stat", errno);
    return {path, std::nullopt};
  }
  if (!S_ISREG(status.st_mode)) {
    throw file_error("write", path, "not a regular file", S_ISDIR(status.st_mode) ? EISDIR : EINVAL);
  }
  std::error_code code;
  Place place{fs::is_symlink(path, code) ? fs::canonical(path, code) : path, status.st_mode & 07777};
  if (code) throw file_error("write", path, "follow the link", code.value());
  return place;
}

int Files::open_new(const fs::path& path, std::optional<unsigned> mode) {
  constexpr int open_flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  const int file = repeat([&] { return ::open(path.c_str(), open_flags, mode ? mode_t{0600} : any_mode); });
  if (file < 0) return file;
  // Tells remove_abandoned that the writer lives. Without locks on this file system leftovers merely stay.
  repeat([&] { return ::flock(file, LOCK_EX); });
  struct stat status{};
  if (::fstat(file, &status) == 0 && status.st_nlink == 0) {  // another process was there between the two
    ::close(file);
    return -EEXIST;
  }
  if (mode && ::fchmod(file, *mode) != 0) {
    const int code = -errno;
    ::close(file);
    ::unlink(path.c_str());
    return code;
  }
  return file;
}

int Files::keep_lock(int file) { return ::fcntl(file, F_DUPFD_CLOEXEC, 0); }

std::ptrdiff_t Files::write(int file, std::string_view bytes) { return write_once(file, bytes); }

int Files::sync(int file) {
  return repeat([&] { return ::fsync(file); });
}

int Files::close(int file) {
  // On Linux the file is closed even if a signal came, so there is nothing to repeat.
  return ::close(file) == 0 || errno == EINTR ? 0 : -errno;
}

int Files::rename(const fs::path& from, const fs::path& to) {
  return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : -errno;
}

int Files::sync_directory(const fs::path& directory) {
  const Descriptor file = open_file(directory, O_RDONLY | O_DIRECTORY);
  if (file.get() < 0) return file.get();
  const int code = sync(file.get());
  return code == -EINVAL ? 0 : code;  // some file systems cannot sync a directory and need not
}

int Files::remove(const fs::path& path) { return ::unlink(path.c_str()) == 0 ? 0 : -errno; }

std::vector<std::string> Files::list(const fs::path& directory) {
  std::vector<std::string> names;
  std::error_code code;
  for (fs::directory_iterator entry(directory, code), end; !code && entry != end; entry.increment(code)) {
    names.push_back(entry->path().filename().native());
  }
  return names;
}

void Files::remove_abandoned(const fs::path& path) {
  const Descriptor file = open_file(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (file.get() < 0 || ::flock(file.get(), LOCK_EX | LOCK_NB) != 0) return;
  // By now its writer may have renamed it, and the name may be another file's. Under the lock it stays what it is.
  struct stat opened{}, found{};
  if (::fstat(file.get(), &opened) != 0 || ::lstat(path.c_str(), &found) != 0) return;
  if (opened.st_dev == found.st_dev && opened.st_ino == found.st_ino) remove(path);
}

DirectoryLock::DirectoryLock(const fs::path& directory) : file_(-1) {
  const fs::path path = directory / lock_file_name;
  file_ = repeat([&] { return ::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, any_mode); });
  if (file_ < 0) throw file_error("lock", directory, fmt::format("open {}", lock_file_name), -file_);
  if (const int code = repeat([&] { return ::flock(file_, LOCK_EX | LOCK_NB); }); code != 0) {
    ::close(file_);
    if (code != -EWOULDBLOCK) throw file_error("lock", directory, "flock", -code);
    throw Error(ErrorKind::failure, fmt::format("{} is in use by another process; wait for it, or choose another "
                                                "output directory",
                                                printable(directory.native())));
  }
}

// The file stays: removing it would let two processes hold locks on two files of that name.
DirectoryLock::~DirectoryLock() { ::close(file_); }

}  // namespace fovea
