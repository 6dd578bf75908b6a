#include "runs/tensorboard.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>

#include "tasks/metrics/metric_values.h"

namespace fovea {

namespace {

// CRC-32C, the checksum of records.
constexpr std::array<std::uint32_t, 256> crc_table = [] {
  std::array<std::uint32_t, 256> table = {};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ (value & 1 ? 0x82F63B78U : 0);
    table[byte] = value;
  }
  return table;
}();

std::uint32_t crc32c(std::string_view bytes) {
  std::uint32_t value = 0xFFFFFFFFU;
  for (const char byte : bytes) value = (value >> 8) ^ crc_table[(value ^ static_cast<std::uint8_t>(byte)) & 0xFF];
  return ~value;
}

template <class Number>
void append_little_endian(std::string& out, Number number) {
  for (std::size_t i = 0; i < sizeof number; ++i) out.push_back(static_cast<char>(number >> (8 * i)));
}

// A record: length, data, and of each a checksum, turned and shifted so that it is never that of itself.
std::string record(std::string_view data) {
  const auto masked = [](std::string_view bytes) { return std::rotr(crc32c(bytes), 15) + 0xA282EAD8U; };
  std::string out;
  append_little_endian(out, static_cast<std::uint64_t>(data.size()));
  append_little_endian(out, masked(out));
  out += data;
  append_little_endian(out, masked(data));
  return out;
}

// A message as protocol buffers write it: fields by number, in their order.
class Message {
 public:
  void add(int field, double value) {
    tag(field, 1);
    append_little_endian(bytes_, std::bit_cast<std::uint64_t>(value));
  }
  void add(int field, float value) {
    tag(field, 5);
    append_little_endian(bytes_, std::bit_cast<std::uint32_t>(value));
  }
  void add(int field, std::int64_t value) {
    tag(field, 0);
    varint(static_cast<std::uint64_t>(value));
  }
  void add(int field, std::string_view value) {
    tag(field, 2);
    varint(value.size());
    bytes_ += value;
  }
  void add(int field, const Message& value) { add(field, std::string_view(value.bytes_)); }

  const std::string& bytes() const { return bytes_; }

 private:
  void tag(int field, unsigned kind) { varint(static_cast<std::uint64_t>(field) << 3 | kind); }
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_.push_back(static_cast<char>(value | 0x80));
    bytes_.push_back(static_cast<char>(value));
  }

  std::string bytes_;
};

// The figures of one update.
struct Point {
  std::int64_t update = 0;
  double seconds = 0;
  std::vector<std::pair<std::string, double>> figures;
};

Point point_of(const UpdateReport& u) {
  Point point = {u.update, u.seconds, {}};
  point.figures = {{"loss/training", u.training_loss},
                   {"training/learning_rate", u.learning_rate},
                   {"training/gradient_norm", u.gradient_norm},
                   {"training/tokens_per_second", u.tokens_per_second}};
  for (const auto& [name, value] : u.terms) point.figures.emplace_back("objective/" + name, value);
  return point;
}

Point point_of(const ValidationReport& v) {
  Point point = {v.update, v.seconds, {{"loss/held_out", v.held_out_loss}}};
  for (const auto& [name, value] : v.metrics) point.figures.emplace_back("held_out/" + std::string(name), value);
  return point;
}

Message event_of(const Point& point) {
  Message summary;
  for (const auto& [name, number] : point.figures) {
    Message value;
    value.add(1, std::string_view(name));
    value.add(2, static_cast<float>(number));
    summary.add(1, value);
  }
  Message event;
  event.add(1, point.seconds);
  event.add(2, point.update);
  event.add(5, summary);
  return event;
}

}  // namespace

std::string tensorboard_events(const JournalEvents& events) {
  std::vector<Point> points;
  for (const UpdateReport& update : events.updates) points.push_back(point_of(update));
  for (const ValidationReport& validation : events.validations) points.push_back(point_of(validation));
  std::ranges::stable_sort(points, {}, &Point::update);
  Message first;
  first.add(3, tensorboard_version);
  std::string out = record(first.bytes());
  for (const Point& point : points) out += record(event_of(point).bytes());
  return out;
}

}  // namespace fovea
