#include "cli/answered_lines.h"

#include "base/streams.h"
#include "cli/flags.h"
#include "cli/out.h"

namespace fovea {

namespace {

// Lines are answered in groups: large ones from a file, whatever is there from a pipe, so that a person or program that
// sends one line gets its answer at once.
constexpr std::size_t max_lines = 4096;
// So much is enough to keep all threads busy.
constexpr std::size_t max_explained_squares = std::size_t(1) << 16;
constexpr std::size_t max_line_bytes = std::size_t(1) << 30;

}  // namespace

AnsweredLines::AnsweredLines(const std::string& file, bool explains, std::function<std::string(const Prediction&)> line)
    : reader_(file, max_line_bytes), explains_(explains), line_(std::move(line)) {}

std::vector<std::string> AnsweredLines::read() {
  std::vector<std::string> lines;
  std::string line;
  std::size_t squares = 0;
  while (reader_.next(line)) {
    squares += line.size() * line.size();
    lines.push_back(std::move(line));
    if (lines.size() >= max_lines || !reader_.ready()) break;
    if (explains_ && squares >= max_explained_squares) break;
  }
  return lines;
}

void AnsweredLines::write(std::span<const Written> lines) {
  for (const Written& line : lines) {
    report_.add(line);
    write_out(line.text);
  }
  flush_out();
}

void AnsweredLines::warn(const Columns& columns, std::int64_t max_length, bool scored) const {
  for (const std::string& text : report_.warnings(reader_.name(), columns, max_length, scored)) {
    say("warning: " + with_flags(text) + "\n");
  }
}

}  // namespace fovea
