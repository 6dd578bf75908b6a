// The only door to the disk for things that must not be lost: at every instant a file written here is either the old
// one or the new one, complete, whatever fails. All of it can be replaced in tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fovea {

constexpr std::uint64_t max_file_bytes = std::uint64_t{8} << 30;

// Bytes that are read once, from the first to the last.
struct ByteSource {
  std::uint64_t size = 0;
  std::function<void(std::span<char>)> read;  // the next bytes, as many as are asked for

  static ByteSource of(std::string_view bytes);  // which must outlive it
};

// Every failure is an Error that names the path, the operation and the cause.
class Files {
 public:
  virtual ~Files() = default;

  // A temporary file beside `path` is written, synced and renamed over it, then the directory is synced. Keeps the mode
  // of the file it replaces and follows a symbolic link. On error the old file stays and no temporary file remains.
  // What a killed process left behind is swept away by the next write to the same path.
  void write_atomically(const std::filesystem::path& path, std::string_view bytes);

  virtual std::string read(const std::filesystem::path& path, std::uint64_t max_bytes = max_file_bytes);
  // For what is too large to be held twice: a regular file, piece by piece.
  virtual ByteSource open(const std::filesystem::path& path);
  // For logs: no sync, a power loss may cost the last lines.
  virtual void append(const std::filesystem::path& path, std::string_view text);
  virtual bool exists(const std::filesystem::path& path);
  // With the missing parents; each new directory is synced into its parent.
  virtual void make_directories(const std::filesystem::path& path);
  // In one step: the file that was at `to` is gone.
  void move(const std::filesystem::path& from, const std::filesystem::path& to);
  // What is not there is no error. Not synced: a power loss may bring the file back.
  void remove_file(const std::filesystem::path& path);
  // Names in a directory; none if it cannot be read.
  std::vector<std::string> names_in(const std::filesystem::path& directory) { return list(directory); }

 protected:
  // Where a write to a path lands: links followed, and the mode of the file that is there, if one is.
  struct Place {
    std::filesystem::path path;
    std::optional<unsigned> mode;
  };
  virtual Place find_place(const std::filesystem::path& path);

  // The steps of write_atomically. Like the system calls they wrap, but they give -errno, never set errno.
  virtual int open_new(const std::filesystem::path& path, std::optional<unsigned> mode);
  // A second descriptor: the file stays locked beyond close, until it has been renamed.
  virtual int keep_lock(int file);
  virtual std::ptrdiff_t write(int file, std::string_view bytes);
  virtual int sync(int file);
  virtual int close(int file);
  virtual int rename(const std::filesystem::path& from, const std::filesystem::path& to);
  virtual int sync_directory(const std::filesystem::path& directory);
  virtual int remove(const std::filesystem::path& path);
  // Names in a directory; none if it cannot be read.
  virtual std::vector<std::string> list(const std::filesystem::path& directory);
  // Removes a temporary file unless a living process is still writing it.
  virtual void remove_abandoned(const std::filesystem::path& path);

 private:
  struct Temporary {
    int file;
    std::filesystem::path path;
  };
  struct Failure {
    const char* operation;
    int code;
  };
  void sweep(const std::filesystem::path& target);
  Temporary open_temporary(const Place& place);
  Failure fill(int file, std::string_view bytes);
};

inline constexpr const char* lock_file_name = ".lock";

// Held for as long as a process works on an output directory; a second holder is refused. The kernel lets go of it when
// the process ends, however it ends.
class DirectoryLock {
 public:
  explicit DirectoryLock(const std::filesystem::path& directory);
  ~DirectoryLock();
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;

 private:
  int file_;
};

}  // namespace fovea
