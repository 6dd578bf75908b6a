// Packed files made plain as they are read, each packing known by how its files begin. One is a file here that defines
// an entry, and a line in packings.def.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/registry.h"

namespace fovea {

// Of one file. Files of a kind may be concatenated.
class Unpacker {
 public:
  // `file` and `packing` are what errors say.
  Unpacker(std::string file, std::string_view packing) : file_(std::move(file)), packing_(packing) {}
  virtual ~Unpacker() = default;
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;

  // Takes bytes from the beginning of `packed` and puts what they hold into `room`: returns how many that are. None
  // when it needs more, or, if no more bytes follow these (`last`), at the end. Throws a data_error if the file is
  // damaged or ends too early.
  virtual std::size_t unpack(std::string_view& packed, std::span<char> room, bool last) = 0;

 protected:
  [[noreturn]] void damaged(std::string_view how) const;
  [[noreturn]] void cut_short() const;
  [[noreturn]] void too_large(std::size_t max_bytes) const;  // what it takes to unpack it

 private:
  std::string file_;
  std::string_view packing_;
};

struct Packing {
  std::string_view name;
  std::string_view magic;                    // how its files begin, and then,
  bool (*goes_on)(unsigned char) = nullptr;  // unless there is none, with a byte like that
  std::unique_ptr<Unpacker> (*make)(const std::string& file) = nullptr;
};

const Registry<Packing>& packings();

// The one whose files begin like these bytes, as far as those go; null: none does. It is sure once there is a byte more
// than the magic ones.
const Packing* find_packing(std::string_view bytes);

}  // namespace fovea
