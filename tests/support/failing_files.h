// A disk in memory that can fail at any operation and lose its power at any operation. What was not synced may then be
// kept, dropped or garbled, each piece on its own, and directory entries that were not synced may vanish: the rules of
// SQLite's crash tests.
#pragma once

#include <algorithm>
#include <cerrno>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/as_size.h"
#include "base/error.h"
#include "base/files.h"

namespace fovea {

// Thrown in the middle of an operation; no Error, so that nothing handles it by mistake.
struct PowerLoss {};

class FailingFiles : public Files {
 public:
  using Path = std::filesystem::path;

  // Operations are counted from 0 since the last call of one of these.
  void fail_at(int operation, int code, bool for_ever, bool removing_fails = true) {
    reset_faults();
    fault_ = {operation, code, for_ever, removing_fails};
  }
  void lose_power_at(int operation) {
    reset_faults();
    power_loss_at_ = operation;
  }
  void reset_faults() {
    fault_ = {};
    power_loss_at_ = -1;
    operations_ = 0;
    fault_happened_ = false;
  }
  int operations() const { return operations_; }
  bool fault_happened() const { return fault_happened_; }

  // The disk as it is found after the power came back.
  void restart(std::mt19937& random) {
    for (const auto& changes : pending_) {
      if (random() % 2 == 0) continue;
      for (const Change& change : changes) apply(change, durable_);
    }
    pending_.clear();
    for (auto& [path, file] : durable_) file->settle(random);
    current_ = durable_;
    open_.clear();
    reset_faults();
  }

  std::vector<std::string> paths() const {
    std::vector<std::string> out;
    for (const auto& [path, file] : current_) out.push_back(path);
    return out;
  }

  std::string read(const Path& path, std::uint64_t max_bytes = max_file_bytes) override {
    const auto found = current_.find(path.native());
    check(found != current_.end(), "cannot read {}: no such file", path.native());
    check(found->second->bytes.size() <= max_bytes, "cannot read {}: too large", path.native());
    return found->second->bytes;
  }
  void append(const Path& path, std::string_view text) override {
    auto& file = current_[path.native()];
    if (!file) {
      file = std::make_shared<Inode>();
      pending_.push_back({{path.native(), file}});
    }
    file->write(text);
  }
  bool exists(const Path& path) override { return current_.contains(path.native()); }
  void make_directories(const Path&) override {}

 protected:
  Place find_place(const Path& path) override { return {path, std::nullopt}; }

  int open_new(const Path& path, std::optional<unsigned>) override {
    if (const int code = begin()) return code;
    if (current_.contains(path.native())) return -EEXIST;
    const auto file = std::make_shared<Inode>();
    change({{path.native(), file}});
    open_.push_back(file);
    return static_cast<int>(open_.size()) - 1;
  }

  int keep_lock(int) override { return -1; }

  // Writes at most piece_bytes bytes and is interrupted now and then, as a disk may.
  std::ptrdiff_t write(int file, std::string_view bytes) override {
    if (operations_ % 5 == 4 && !std::exchange(interrupted_, true)) return -EINTR;
    interrupted_ = false;
    if (const int code = begin()) return code;
    const std::string_view piece = bytes.substr(0, piece_bytes);
    opened(file).write(piece);
    return static_cast<std::ptrdiff_t>(piece.size());
  }

  int sync(int file) override {
    if (const int code = begin()) return code;
    opened(file).sync();
    return 0;
  }

  int close(int file) override {
    const int code = begin();
    opened(file);
    open_[as_size(file)].reset();
    return code;
  }

  int rename(const Path& from, const Path& to) override {
    if (const int code = begin()) return code;
    const auto found = current_.find(from.native());
    if (found == current_.end()) return -ENOENT;
    change({{to.native(), found->second}, {from.native(), nullptr}});
    return 0;
  }

  int sync_directory(const Path&) override {
    if (const int code = begin()) return code;
    durable_ = current_;
    pending_.clear();
    return 0;
  }

  int remove(const Path& path) override {
    if (fault_.removing_fails) {
      if (const int code = begin()) return code;
    }
    if (!current_.contains(path.native())) return -ENOENT;
    change({{path.native(), nullptr}});
    return 0;
  }

  std::vector<std::string> list(const Path& directory) override {
    std::vector<std::string> names;
    for (const auto& [path, file] : current_) {
      if (Path(path).parent_path() == directory) names.push_back(Path(path).filename().native());
    }
    return names;
  }

  void remove_abandoned(const Path& path) override { remove(path); }

 private:
  static constexpr std::size_t piece_bytes = 700;

  struct Inode {
    std::string bytes;
    std::string synced;
    std::vector<std::pair<std::size_t, std::size_t>> unsynced;  // [begin, end) of each write

    void write(std::string_view piece) {
      unsynced.emplace_back(bytes.size(), bytes.size() + piece.size());
      bytes += piece;
    }
    void sync() {
      synced = bytes;
      unsynced.clear();
    }
    void settle(std::mt19937& random) {
      std::string found = synced;
      for (const auto& [begin, end] : unsynced) {
        const auto status = random() % 3;
        if (status == 0) continue;
        if (found.size() < end) found.resize(end, '\0');
        for (std::size_t i = begin; i < end; ++i) found[i] = status == 1 ? bytes[i] : static_cast<char>(random());
      }
      bytes = found;
      sync();
    }
  };
  using Tree = std::map<std::string, std::shared_ptr<Inode>>;
  using Change = std::pair<std::string, std::shared_ptr<Inode>>;  // a null file removes the name

  struct Fault {
    int operation = -1;
    int code = 0;
    bool for_ever = false;
    bool removing_fails = true;
  };

  static void apply(const Change& change, Tree& tree) {
    if (change.second) {
      tree[change.first] = change.second;
    } else {
      tree.erase(change.first);
    }
  }

  // The changes of one call happen together or not at all.
  void change(const std::vector<Change>& changes) {
    for (const Change& one : changes) apply(one, current_);
    pending_.push_back(changes);
  }

  Inode& opened(int file) {
    const auto index = as_size(file);
    check(index < open_.size() && open_[index], "the file {} is not open", file);
    return *open_[index];
  }

  // 0, or the error the operation shall give.
  int begin() {
    const int operation = operations_++;
    if (operation == power_loss_at_) throw PowerLoss{};
    const bool fails =
        fault_.operation >= 0 && (operation == fault_.operation || (fault_.for_ever && operation > fault_.operation));
    fault_happened_ = fault_happened_ || fails;
    return fails ? -fault_.code : 0;
  }

  Tree current_;  // what a living process sees
  Tree durable_;  // the directory entries that are sure to survive
  std::vector<std::vector<Change>> pending_;
  std::vector<std::shared_ptr<Inode>> open_;
  Fault fault_;
  int power_loss_at_ = -1;
  int operations_ = 0;
  bool fault_happened_ = false;
  bool interrupted_ = false;
};

}  // namespace fovea
