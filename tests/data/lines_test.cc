#include "data/lines.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "temporary_file.h"

namespace fovea {
namespace {

using namespace std::string_literals;
using Lines = std::vector<std::string>;

Lines read_all(const std::string& path, std::size_t max_bytes = std::size_t{16} << 20) {
  LineReader reader(path, max_bytes);
  Lines lines;
  std::string line;
  while (reader.next(line)) {
    lines.push_back(line);
    EXPECT_EQ(reader.line_number(), static_cast<std::int64_t>(lines.size()));
  }
  EXPECT_FALSE(reader.next(line));  // the end stays the end
  return lines;
}

Lines lines_of(const std::string& content) {
  const TemporaryFile plain(content);
  const TemporaryFile packed(gzip(content));
  const Lines lines = read_all(plain.path());
  EXPECT_EQ(read_all(packed.path()), lines);
  return lines;
}

std::string error_of(const std::string& path, std::size_t max_bytes = std::size_t{16} << 20) {
  try {
    read_all(path, max_bytes);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data);
    return error.what();
  }
  return "no error";
}

TEST(Lines, OnlyNewlineEndsALine) {
  EXPECT_EQ(lines_of("a\nb\n"), (Lines{"a", "b"}));
  EXPECT_EQ(lines_of("a\xE2\x80\xA8z\nb\xC2\x85z\nc\rz\nd\vz\fz\n"),
            (Lines{"a\xE2\x80\xA8z", "b\xC2\x85z", "c\rz", "d\vz\fz"}));
}

TEST(Lines, FinalLineNeedsNoNewline) {
  EXPECT_EQ(lines_of("a\nb"), (Lines{"a", "b"}));
  EXPECT_EQ(lines_of("a\n\n"), (Lines{"a", ""}));
  EXPECT_EQ(lines_of("\n"), (Lines{""}));
  EXPECT_EQ(lines_of(""), Lines{});
}

TEST(Lines, OneCarriageReturnIsRemoved) { EXPECT_EQ(lines_of("a\r\nb\r\r\n\r\nc\r"), (Lines{"a", "b\r", "", "c"})); }

TEST(Lines, ByteOrderMarkIsRemovedAtTheStartOnly) {
  EXPECT_EQ(lines_of("\xEF\xBB\xBF"s + "a\n\xEF\xBB\xBF" + "b\n"), (Lines{"a", "\xEF\xBB\xBF"s + "b"}));
  EXPECT_EQ(lines_of("\xEF\xBB\xBF"s + "\na\n"), (Lines{"", "a"}));
  EXPECT_EQ(lines_of("\xEF\xBB\xBF"), Lines{});
}

TEST(Lines, AnyByteIsKept) {
  std::string bytes;
  for (int b = 0; b < 256; ++b) {
    if (b != '\n') bytes += static_cast<char>(b);
  }
  EXPECT_EQ(lines_of(bytes + "\n" + bytes + "\n"), (Lines{bytes, bytes}));
  EXPECT_EQ(lines_of("\x1F"), (Lines{"\x1F"}));  // half of the gzip magic
}

TEST(Lines, LongLinesAndBufferBorders) {
  for (const std::size_t length : {std::size_t{65534}, std::size_t{65535}, std::size_t{65536}, std::size_t{1} << 20}) {
    std::string longest(length, 'x');
    longest[length / 2] = 'y';
    const Lines lines = lines_of(longest + "\r\nshort\n" + longest);
    EXPECT_TRUE(lines == (Lines{longest, "short", longest})) << length;
  }
}

TEST(Lines, LineOverTheLimitIsNamed) {
  const TemporaryFile file("12345\n123456\n");
  EXPECT_EQ(read_all(file.path(), 6).size(), 2u);
  EXPECT_NE(error_of(file.path(), 5).find(file.path() + ":2: a line of more than 5 bytes"), std::string::npos);
  const TemporaryFile bomb(gzip(std::string(2 << 20, 'x')));
  EXPECT_NE(error_of(bomb.path(), 1 << 20).find(":1: "), std::string::npos);
}

TEST(Lines, ConcatenatedGzipFiles) {
  const TemporaryFile file(gzip("a\nb") + gzip("") + gzip("c\nd\n"));
  EXPECT_EQ(read_all(file.path()), (Lines{"a", "bc", "d"}));
}

// Every cut and every changed byte is an error or, in the header fields that carry no data, harmless.
TEST(Lines, DamagedGzipIsAnError) {
  std::string text;
  for (int i = 0; i < 50; ++i) text += "line " + std::to_string(i * i) + "\n";
  const std::string packed = gzip(text);
  const TemporaryFile whole(packed);
  const Lines lines = read_all(whole.path());
  constexpr std::size_t magic = 3, flags_end = 4, header = 10;
  for (std::size_t length = magic; length < packed.size(); ++length) {
    const TemporaryFile cut(packed.substr(0, length));
    ASSERT_NE(error_of(cut.path()).find(cut.path() + ": the gzip file is cut short"), std::string::npos) << length;
  }
  for (std::size_t i = flags_end; i < packed.size(); ++i) {
    std::string changed = packed;
    changed[i] = static_cast<char>(changed[i] ^ 0x55);
    const TemporaryFile file(changed);
    if (i < header) {
      try {
        EXPECT_EQ(read_all(file.path()), lines);
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::data);
      }
    } else {
      ASSERT_NE(error_of(file.path()).find(file.path() + ": the gzip file is "), std::string::npos) << i;
    }
  }
  const TemporaryFile garbage(packed + "garbage");
  EXPECT_NE(error_of(garbage.path()).find("damaged"), std::string::npos);
}

TEST(Lines, WhatCannotBeReadIsNamed) {
  EXPECT_NE(error_of("/no/such/file").find("/no/such/file: cannot open: No such file"), std::string::npos);
  EXPECT_NE(error_of(::testing::TempDir()).find("cannot read: Is a directory"), std::string::npos);
  EXPECT_EQ(error_of("/no/such\nfile").find('\n'), std::string::npos);
}

// Two bytes do not make a gzip file.
TEST(Lines, WhatHasNoGzipHeaderIsText) {
  for (const std::string text :
       {"\x1F\x8B", "\x1F\x8B\n", "\x1F\x8B hello\nb\n", "\x1F\x8B\x07\n", "\x1F\x8B\x08\x80hello\nb\n"}) {
    const TemporaryFile file(text);
    std::string read;
    for (const std::string& line : read_all(file.path())) read += line + "\n";
    EXPECT_EQ(read, text.ends_with("\n") ? text : text + "\n");
  }
}

// Standard input as a pipe that the test writes to.
class Pipe {
 public:
  Pipe() : saved_(dup(STDIN_FILENO)) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    EXPECT_GE(dup2(ends[0], STDIN_FILENO), 0);
    close(ends[0]);
    writing_ = ends[1];
    alarm(20);  // waiting for more than a line would otherwise last for ever
  }
  ~Pipe() {
    alarm(0);
    if (saved_ < 0) return;
    dup2(saved_, STDIN_FILENO);
    close(saved_);
  }
  void send(const std::string& text) const {
    EXPECT_EQ(write(writing_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void end() const { close(writing_); }

 private:
  int saved_;
  int writing_ = -1;
};

// A line must come out while the writer still holds the pipe open.
TEST(Lines, StandardInputIsReadAsItArrives) {
  const Pipe pipe;
  LineReader reader("-");
  std::string line;
  for (const std::string text : {"x", "\x1F", "two words", ""}) {
    pipe.send(text + "\n");
    ASSERT_TRUE(reader.next(line));
    EXPECT_EQ(line, text);
  }
  EXPECT_EQ(reader.name(), "standard input");
  pipe.end();
  EXPECT_FALSE(reader.next(line));
}

TEST(Lines, GzipMagicMayArriveInTwoParts) {
  const Pipe pipe;
  const std::string packed = gzip("a\nb\n");
  pipe.send(packed.substr(0, 1));
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    pipe.send(packed.substr(1));
    pipe.end();
  });
  const Lines lines = read_all("-");
  later.join();
  EXPECT_EQ(lines, (Lines{"a", "b"}));
}

}  // namespace
}  // namespace fovea
