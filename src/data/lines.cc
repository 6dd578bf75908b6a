#include "data/lines.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <span>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/as_size.h"
#include "base/error.h"
#include "base/streams.h"
#include "base/utf8.h"
#include "data/unpackers/unpacker.h"

namespace fovea {

namespace {

constexpr std::size_t buffer_size = 64 * 1024;
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

std::string message_of(int code) { return std::generic_category().message(code); }

}  // namespace

// The unpacked bytes of a file, a buffer at a time.
class ByteInput {
 public:
  ByteInput(const std::string& path, const std::string& name) : name_(name), owned_(path != "-") {
    if (!owned_) return;
    descriptor_ = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ < 0) throw data_error("{}: cannot open: {}", name_, message_of(errno));
  }
  ~ByteInput() {
    if (owned_) close(descriptor_);
  }
  ByteInput(const ByteInput&) = delete;
  ByteInput& operator=(const ByteInput&) = delete;

  // The bytes that are there and not yet taken, at least one unless the file has ended.
  std::string_view peek() {
    if (taken_ == bytes_.size()) {
      taken_ = 0;
      bytes_ = unpacker_ ? unpack() : read_more(0);
      if (!looked_) begin();
    }
    return bytes_.substr(taken_);
  }
  void take(std::size_t count) { taken_ += count; }

  // A file on disk never keeps anyone waiting; of a pipe only what has arrived is sure.
  bool has_line() const {
    struct stat status;
    if (fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode)) return true;
    return bytes_.find('\n', taken_) != std::string_view::npos;
  }

 private:
  // What the file has to give now, put into raw_ after the `kept` bytes that are already there; empty at the end.
  std::string_view read_more(std::size_t kept) {
    const std::ptrdiff_t count = read_some(descriptor_, std::span(raw_).subspan(kept));
    if (count < 0) throw data_error("{}: cannot read: {}", name_, message_of(static_cast<int>(-count)));
    return {raw_.data(), kept + as_size(count)};
  }

  // Looks how the file begins; each further byte is waited for only when those before it are a packing's.
  void begin() {
    looked_ = true;
    const Packing* packing = nullptr;
    while ((packing = find_packing(bytes_)) && bytes_.size() <= packing->magic.size()) {
      const std::size_t before = bytes_.size();
      bytes_ = read_more(before);
      if (bytes_.size() == before) break;
    }
    if (!packing || bytes_.size() < packing->magic.size()) return;
    unpacker_ = packing->make(name_);
    unpacked_.resize(buffer_size);
    packed_ = bytes_;
    bytes_ = unpack();
  }

  // The next bytes; none at the end. What the unpacker may still hold comes before more is waited for.
  std::string_view unpack() {
    for (;;) {
      if (packed_.empty() && !full_ && !ended_) {
        packed_ = read_more(0);
        ended_ = packed_.empty();
      }
      const std::size_t count = unpacker_->unpack(packed_, unpacked_, ended_);
      full_ = count == unpacked_.size();
      if (count > 0 || (ended_ && packed_.empty())) return {unpacked_.data(), count};
    }
  }

  std::string name_;
  bool owned_;
  int descriptor_ = STDIN_FILENO;
  bool looked_ = false;
  std::unique_ptr<Unpacker> unpacker_;  // of a packed file
  std::string_view packed_;             // into raw_: not unpacked yet
  bool full_ = false;                   // the unpacker had more to give than there was room for
  bool ended_ = false;                  // the packed file
  std::vector<char> raw_ = std::vector<char>(buffer_size);
  std::vector<char> unpacked_;
  std::string_view bytes_;  // into raw_ or unpacked_
  std::size_t taken_ = 0;
};

LineReader::LineReader(const std::string& path, std::size_t max_bytes)
    : name_(path == "-" ? "standard input" : printable(path)),
      max_bytes_(max_bytes),
      input_(std::make_unique<ByteInput>(path, name_)) {}

LineReader::~LineReader() = default;

bool LineReader::ready() { return input_->has_line(); }

bool LineReader::next(std::string& line) {
  line.clear();
  bool ended = false;  // by a newline
  while (!ended) {
    const std::string_view bytes = input_->peek();
    if (bytes.empty()) break;
    const std::size_t length = std::min(bytes.find('\n'), bytes.size());
    ended = length < bytes.size();
    if (length > max_bytes_ - line.size()) {
      throw data_error("{}:{}: a line of more than {} bytes; is this a text file?", name_, line_number_ + 1,
                       max_bytes_);
    }
    line.append(bytes.substr(0, length));
    input_->take(length + (ended ? 1 : 0));
  }
  if (line_number_ == 0 && line.starts_with(byte_order_mark)) line.erase(0, byte_order_mark.size());
  if (!ended && line.empty()) return false;
  if (line.ends_with('\r')) line.pop_back();
  ++line_number_;
  return true;
}

}  // namespace fovea
