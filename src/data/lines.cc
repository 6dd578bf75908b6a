#include "data/lines.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <span>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/streams.h"
#include "base/utf8.h"

namespace fovea {

namespace {

constexpr std::size_t buffer_size = 64 * 1024;
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

// RFC 1952: two magic bytes, the only method there is, and then flags of which three must not be set.
constexpr std::string_view gzip_header = "\x1F\x8B\x08";
constexpr unsigned char reserved_flags = 0xE0;

// Whether it does as far as it goes.
bool begins_gzip(std::string_view bytes) {
  const std::size_t size = gzip_header.size();
  if (bytes.empty() || bytes.substr(0, size) != gzip_header.substr(0, bytes.size())) return false;
  return bytes.size() <= size || (static_cast<unsigned char>(bytes[size]) & reserved_flags) == 0;
}

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
    if (unpacking_) inflateEnd(&stream_);
    if (owned_) close(descriptor_);
  }
  ByteInput(const ByteInput&) = delete;
  ByteInput& operator=(const ByteInput&) = delete;

  // The bytes that are there and not yet taken, at least one unless the file has ended.
  std::string_view peek() {
    if (taken_ == bytes_.size()) {
      taken_ = 0;
      bytes_ = unpacking_ ? unpack() : read_more(0);
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
    return {raw_.data(), kept + static_cast<std::size_t>(count)};
  }

  // Looks for a gzip header; each of its bytes is waited for only when those before it match.
  void begin() {
    looked_ = true;
    while (begins_gzip(bytes_) && bytes_.size() < gzip_header.size() + 1) {
      const std::size_t before = bytes_.size();
      bytes_ = read_more(before);
      if (bytes_.size() == before) break;
    }
    if (!begins_gzip(bytes_) || bytes_.size() < gzip_header.size()) return;
    check(inflateInit2(&stream_, 16 + MAX_WBITS) == Z_OK, "zlib: cannot start: out of memory?");
    unpacking_ = true;
    unpacked_.resize(buffer_size);
    set_packed(bytes_);
    bytes_ = unpack();
  }

  void set_packed(std::string_view packed) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream_.avail_in = static_cast<uInt>(packed.size());
  }

  std::string_view unpack() {
    stream_.next_out = reinterpret_cast<Bytef*>(unpacked_.data());
    stream_.avail_out = static_cast<uInt>(unpacked_.size());
    while (stream_.avail_out == unpacked_.size()) {
      if (stream_.avail_in == 0) {
        set_packed(read_more(0));
        if (stream_.avail_in == 0) {
          if (!between_members_) throw data_error("{}: the gzip file is cut short; copy or make it again", name_);
          return {};
        }
      }
      if (between_members_) inflateReset(&stream_);  // gzip files may be concatenated
      const int status = inflate(&stream_, Z_NO_FLUSH);
      if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
        throw data_error("{}: the gzip file is damaged ({}); copy or make it again", name_,
                         stream_.msg != nullptr ? stream_.msg : "unexpected data");
      }
      between_members_ = status == Z_STREAM_END;
    }
    return {unpacked_.data(), unpacked_.size() - stream_.avail_out};
  }

  std::string name_;
  bool owned_;
  int descriptor_ = STDIN_FILENO;
  bool looked_ = false;
  bool unpacking_ = false;
  bool between_members_ = false;
  z_stream stream_{};
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
