#include "data/lines.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "base/as_size.h"
#include "base/error.h"
#include "packed.h"
#include "temporary_file.h"

namespace fovea::lines_test {
namespace {

using namespace std::string_literals;
using Lines = std::vector<std::string>;

struct Packer {
  const char* name;
  std::string (*pack)(std::string_view);
  std::size_t magic;  // bytes
  std::size_t flags;  // bytes behind them that say how it is packed
};
const Packer packers[] = {{"gzip", gzip, 3, 7}, {"xz", xz, 6, 0}, {"zstd", zstd, 4, 0}};

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
  const Lines lines = read_all(plain.path());
  for (const Packer& packer : packers) {
    const TemporaryFile packed(packer.pack(content));
    EXPECT_EQ(read_all(packed.path()), lines) << packer.name;
  }
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
  for (const Packer& packer : packers) {
    const TemporaryFile bomb(packer.pack(std::string(2 << 20, 'x')));
    EXPECT_NE(error_of(bomb.path(), 1 << 20).find(":1: "), std::string::npos) << packer.name;
  }
}

TEST(Lines, ConcatenatedPackedFiles) {
  for (const Packer& packer : packers) {
    const TemporaryFile file(packer.pack("a\nb") + packer.pack("") + packer.pack("c\nd\n"));
    EXPECT_EQ(read_all(file.path()), (Lines{"a", "bc", "d"})) << packer.name;
  }
  const TemporaryFile padded(xz("a\n") + "\0\0\0\0"s + xz("b\n"));
  EXPECT_EQ(read_all(padded.path()), (Lines{"a", "b"}));
}

// Every cut and every changed byte is an error or, where it carries no data, harmless.
TEST(Lines, DamagedPackedFilesAreAnError) {
  std::string text;
  for (int i = 0; i < 50; ++i) text += "line " + std::to_string(i * i) + "\n";
  for (const Packer& packer : packers) {
    const std::string packed = packer.pack(text), name = packer.name;
    const TemporaryFile whole(packed);
    const Lines lines = read_all(whole.path());
    for (std::size_t length = packer.magic; length < packed.size(); ++length) {
      const TemporaryFile cut(packed.substr(0, length));
      ASSERT_NE(error_of(cut.path()).find(cut.path() + ": the " + name + " file is cut short"), std::string::npos)
          << name << length;
    }
    std::size_t harmless = 0;
    for (std::size_t i = packer.magic + (packer.flags > 0 ? 1 : 0); i < packed.size(); ++i) {
      std::string changed = packed;
      changed[i] = static_cast<char>(changed[i] ^ 0x55);
      const TemporaryFile file(changed);
      const std::string error = error_of(file.path());
      if (error == "no error") {
        ++harmless;
        EXPECT_EQ(read_all(file.path()), lines) << name << i;
      } else {
        EXPECT_NE(error.find(file.path() + ": the " + name + " file "), std::string::npos) << error;
      }
    }
    EXPECT_LE(harmless, packer.flags) << name;
    const TemporaryFile garbage(packed + "garbage that goes on");
    EXPECT_NE(error_of(garbage.path()).find("damaged"), std::string::npos) << name;
  }
}

// A file of a few bytes may ask for gigabytes.
TEST(Lines, MemoryToUnpackIsBounded) {
  // A frame without a size, with a window of 1 GiB, of one block that is not packed.
  const TemporaryFile wide("\x28\xB5\x2F\xFD\0\xA0\x21\0\0a\nb\n"s);
  EXPECT_NE(error_of(wide.path()).find("the zstd file takes more than 128 MiB of memory to unpack"), std::string::npos);
  std::string greedy = xz("a\nb\n");
  greedy[16] = '\x27';  // the size of the dictionary, 3 GiB, and the header's checksum that goes with it
  const std::uint32_t sum = lzma_crc32(reinterpret_cast<const std::uint8_t*>(greedy.data()) + 12, 8, 0);
  for (int i = 0; i < 4; ++i) greedy[20 + as_size(i)] = static_cast<char>(sum >> (8 * i));
  const TemporaryFile file(greedy);
  EXPECT_NE(error_of(file.path()).find("the xz file takes more than 256 MiB of memory to unpack"), std::string::npos)
      << error_of(file.path());
}

TEST(Lines, WhatCannotBeReadIsNamed) {
  EXPECT_NE(error_of("/no/such/file").find("/no/such/file: cannot open: No such file"), std::string::npos);
  EXPECT_NE(error_of(::testing::TempDir()).find("cannot read: Is a directory"), std::string::npos);
  EXPECT_EQ(error_of("/no/such\nfile").find('\n'), std::string::npos);
}

// Two bytes do not make a packed file.
TEST(Lines, WhatHasNoMagicBytesIsText) {
  for (const std::string text :
       {"\x1F\x8B", "\x1F\x8B\n", "\x1F\x8B hello\nb\n", "\x1F\x8B\x07\n", "\x1F\x8B\x08\x80hello\nb\n",
        "\xFD"
        "7zX\n",
        "(", "(\xB5/ hello\n"}) {
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

TEST(Lines, MagicBytesMayArriveInTwoParts) {
  for (const Packer& packer : packers) {
    const Pipe pipe;
    const std::string packed = packer.pack("a\nb\n");
    pipe.send(packed.substr(0, 1));
    std::thread later([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      pipe.send(packed.substr(1));
      pipe.end();
    });
    const Lines lines = read_all("-");
    later.join();
    EXPECT_EQ(lines, (Lines{"a", "b"})) << packer.name;
  }
}

}  // namespace
}  // namespace fovea::lines_test
