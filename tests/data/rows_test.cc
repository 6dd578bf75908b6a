#include "data/rows.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "base/error.h"
#include "data/temporary_file.h"

namespace fovea::rows_test {
namespace {

std::string refusal(const auto& read) {
  try {
    read();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::data);
    return e.what();
  }
  return "";
}

// As numpy.save writes it.
std::string npy(std::string_view type, std::string_view shape, std::string_view numbers, int version = 1) {
  std::string header =
      "{'descr': '" + std::string(type) + "', 'fortran_order': False, 'shape': " + std::string(shape) + ", }";
  header += std::string(63 - (header.size() + 10) % 64, ' ') + "\n";
  std::string file = "\x93NUMPY";
  file += static_cast<char>(version);
  file += '\0';
  file += static_cast<char>(header.size() & 255);
  file += static_cast<char>(header.size() >> 8);
  if (version > 1) file += std::string(2, '\0');
  return file + header + std::string(numbers);
}

template <class Number>
std::string bytes_of(const std::vector<Number>& numbers) {
  std::string bytes(numbers.size() * sizeof(Number), '\0');
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

TEST(Rows, AreReadFromText) {
  const Rows rows = parse_rows("1 -2.5; +3e1,4 ;\n5 6\n");
  EXPECT_EQ(rows.width, 2);
  EXPECT_EQ(rows.values, (std::vector<float>{1, -2.5, 30, 4, 5, 6}));
  EXPECT_EQ(rows.count(), 3);
  EXPECT_EQ(parse_rows(" ; ").count(), 0);
}

TEST(Rows, TextThatIsNoneIsRefused) {
  EXPECT_EQ(refusal([] { parse_rows("1 2; 3"); }), "row 2 has 1 numbers, the first has 2");
  EXPECT_EQ(refusal([] { parse_rows("1 two"); }), "\"two\" where a number is wanted");
  EXPECT_EQ(refusal([] { parse_rows("1 inf"); }), "number 2 is not finite");
  for (const char* bad : {"1.5.3", "1-2", "+-5", "+", "-", "1e", "0x1", "--1"}) {
    EXPECT_NE(refusal([&] { parse_rows(bad); }), "") << bad;
  }
  const std::vector<char> plus = {'1', ' ', '+'};  // nothing to be read behind it
  EXPECT_EQ(refusal([&] { parse_rows({plus.data(), plus.size()}); }), "\"+\" where a number is wanted");
  EXPECT_EQ(refusal([] { parse_rows("1e300"); }), "number 1 is not finite");
}

TEST(Rows, AreReadFromNumPyFiles) {
  const Rows floats = parse_npy(npy("<f4", "(2, 3)", bytes_of<float>({1, 2, 3, 4, 5, 6})));
  EXPECT_EQ(floats.width, 3);
  EXPECT_EQ(floats.values, (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(parse_npy(npy("<f8", "(2,)", bytes_of<double>({0.5, -1}), 2)).values, (std::vector<float>{0.5, -1}));
  EXPECT_EQ(parse_npy(npy("|u1", "(1, 2)", bytes_of<std::uint8_t>({200, 3}))).values, (std::vector<float>{200, 3}));
  EXPECT_EQ(parse_npy(npy("<i2", "(1, 2)", bytes_of<std::int16_t>({-7, 3}))).values, (std::vector<float>{-7, 3}));
  EXPECT_EQ(parse_npy(npy("<u4", "(2,)", bytes_of<std::uint32_t>({4'000'000'000, 3}))).values,
            (std::vector<float>{4e9F, 3}));
  EXPECT_EQ(parse_npy(npy("<i8", "(2,)", bytes_of<std::int64_t>({-7, 3}))).values, (std::vector<float>{-7, 3}));
  EXPECT_EQ(parse_npy(npy("<u8", "(1,)", bytes_of<std::uint64_t>({std::uint64_t(1) << 63}))).values,
            (std::vector<float>{0x1p63F}));
}

TEST(Rows, DamagedNumPyFilesAreRefused) {
  const std::string good = npy("<f4", "(2, 3)", bytes_of<float>({1, 2, 3, 4, 5, 6}));
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_NE(refusal([&] { parse_npy(good.substr(0, size)); }), "") << size;
  }
  EXPECT_NE(refusal([] { parse_npy(npy("<c8", "(1,)", "12345678")); }), "");
  EXPECT_NE(refusal([] { parse_npy(npy("<f4", "(1, 1, 1)", "1234")); }), "");
  EXPECT_NE(refusal([] { parse_npy(npy("<f4", "(99999999999999999999, 4)", "1234")); }), "");
  EXPECT_NE(refusal([] { parse_npy(npy("<f4", "(4194304, 4194304)", "1234")); }), "");
  EXPECT_NE(refusal([] { parse_npy(npy("<f4", "(0, 0)", "")); }), "");
  EXPECT_EQ(refusal([] { parse_npy(npy("<f4", "(0, 3)", "")); }), "a .npy array without a row");
  std::string fortran = good;
  fortran.replace(fortran.find("False"), 5, "True ");
  EXPECT_NE(refusal([&] { parse_npy(fortran); }), "");
}

TEST(Rows, AreFoundInTheFileThatACellNames) {
  const TemporaryFile text("1 2\n3 4\n");
  const std::filesystem::path path = text.path();
  EXPECT_EQ(read_rows(path.filename().string(), path.parent_path().string()).count(), 2);
  EXPECT_EQ(read_rows("1 2;3 4", "").count(), 2);
  EXPECT_EQ(refusal([] { read_rows("1 2 3; 4 5 x", ""); }), "\"x\" where a number is wanted");
  EXPECT_NE(refusal([] { read_rows("no_such_file.npy", "/nowhere"); }).find("source.folder"), std::string::npos);
}

TEST(Rows, WhereFilesAreForbiddenNoneIsOpened) {
  const NamedFiles forbidden = {.folder = {}, .open = OpenFiles::none};
  for (const std::string rows : {"1", "0.5 -1e3; 2,3", "+.5"})
    EXPECT_NO_THROW(read_rows({rows, forbidden}, "")) << rows;
  for (const std::string file : {"a.npy", "/etc/passwd", "1/2", "..\\x", "0x1", "nan", "1\n2"}) {
    const std::string said = refusal([&] { read_rows({file, forbidden}, ""); });
    EXPECT_NE(said.find("not opened here"), said.npos) << file << ": " << said;
  }
}

}  // namespace
}  // namespace fovea::rows_test
