// Text files line by line, plain or packed (gzip, xz, zstd), from a path or from a pipe. Only byte 0x0A ends a line:
// anything cleverer (U+2028, 0x85, a lone CR) makes the two sides of a corpus drift apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace fovea {

class ByteInput;

class LineReader {
 public:
  // "-" is standard input. A file that begins like a packed one is unpacked, whatever its name. A line of more bytes
  // than `max_bytes` is an error, so that a file without newlines cannot take all memory.
  explicit LineReader(const std::string& path, std::size_t max_bytes = std::size_t{16} << 20);
  ~LineReader();

  // The next line without its newline, without one CR before that, and without a BOM at the start of the file. False at
  // the end. Returns as soon as the line is there: a pipe is never waited on for more than that.
  bool next(std::string& line);

  // Whether the next line can be had without waiting for whoever writes it.
  bool ready();

  // How errors name the file, safe to print.
  const std::string& name() const { return name_; }
  // Of the line last returned, from 1; 0 before the first.
  std::int64_t line_number() const { return line_number_; }

 private:
  std::string name_;
  std::size_t max_bytes_;
  std::int64_t line_number_ = 0;
  std::unique_ptr<ByteInput> input_;
};

}  // namespace fovea
