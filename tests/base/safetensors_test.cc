#include "base/safetensors.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "base/error.h"

namespace fovea::safetensors_test {
namespace {

using namespace std::string_literals;

TensorFile sample() {
  TensorFile file;
  file.metadata = {{"config", R"({"task":"transduce"})"}, {"source.vocabulary", "[\"a\",\"\xC3\xA9\",\"\\n\"]"}};
  file.arrays.push_back({"encoder.weight", {16, 32}, {}});
  file.arrays.push_back({"decoder.bias", {7}, {}});
  file.arrays.push_back({"scale", {}, {0.5f}});
  file.arrays.push_back({"nothing", {3, 0, 2}, {}});
  std::mt19937 random(1);
  for (const std::size_t i : {0, 1}) {
    file.arrays[i].values.resize(i == 0 ? 512 : 7);
    for (float& value : file.arrays[i].values) value = static_cast<float>(random()) / 1e9f - 2.0f;
  }
  return file;
}

// The message of the refusal; "" if the file was taken. Anything but one line of kind model fails the test.
std::string refusal(std::string_view bytes) {
  try {
    decode_safetensors(bytes, "m.safetensors");
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_EQ(error.kind(), ErrorKind::model) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    EXPECT_TRUE(message.starts_with("m.safetensors: ")) << message;
    EXPECT_LT(message.size(), 400u) << message;
    return message;
  }
  return "";
}

TEST(Safetensors, WhatIsWrittenIsRead) {
  TensorFile file = sample();
  const TensorFile read = decode_safetensors(encode_safetensors(file), "m");
  std::sort(file.arrays.begin(), file.arrays.end(), [](auto& a, auto& b) { return a.name < b.name; });
  EXPECT_EQ(read, file);
}

TEST(Safetensors, AFileMayBeEmpty) { EXPECT_EQ(decode_safetensors(encode_safetensors({}), "m"), TensorFile{}); }

TEST(Safetensors, EveryBitOfANumberIsKept) {
  TensorFile file;
  file.arrays.push_back({"x", {6}, {-0.0f, 1e-45f, std::numeric_limits<float>::max(), 1.0f / 3, -1e-38f, 0}});
  const TensorFile read = decode_safetensors(encode_safetensors(file), "m");
  EXPECT_EQ(std::memcmp(read.arrays[0].values.data(), file.arrays[0].values.data(), 24), 0);
}

TEST(Safetensors, AnyTextSurvivesAsNameAndMetadata) {
  TensorFile file;
  file.metadata = {{"", ""}, {"\"\\\n\x01\x7F", "\0\xF0\x9F\x98\x80\xE2\x80\xA8"s}, {"__metadata__", "{}"}};
  file.arrays = {{std::string(256, 'n'), {}, {1}}, {"\"},\n\xC3\xA9", {1}, {2}}};
  const TensorFile read = decode_safetensors(encode_safetensors(file), "m");
  EXPECT_EQ(read.metadata, file.metadata);
  EXPECT_EQ(read.arrays[0], file.arrays[1]);
  EXPECT_EQ(read.arrays[1], file.arrays[0]);
}

TEST(Safetensors, TheSameContentGivesTheSameBytes) {
  TensorFile file = sample();
  const std::string bytes = encode_safetensors(file);
  std::reverse(file.arrays.begin(), file.arrays.end());
  EXPECT_EQ(encode_safetensors(file), bytes);
  EXPECT_EQ(encode_safetensors(decode_safetensors(bytes, "m")), bytes);
}

// Files already written must stay readable: this is version 2, to the byte.
TEST(Safetensors, TheLayoutIsTheOneDescribed) {
  TensorFile file;
  file.metadata = {{"config", "{}"}};
  file.arrays = {{"b", {1}, {1.0f}}, {"a", {2, 1}, {2.0f, -1.0f}}};
  const std::string header =
      R"({"__metadata__":{"checksum":"f2718402f7cef3d83b51d598e3af6cba","fovea":"2","config":"{}"},)"
      R"("a":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]},)"
      R"("b":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}})";
  const std::string expected =
      "\xF8\0\0\0\0\0\0\0"s + header + std::string(0xF8 - header.size(), ' ') + "\0\0\0\x40\0\0\x80\xBF\0\0\x80\x3F"s;
  EXPECT_EQ(encode_safetensors(file), expected);
}

TEST(Safetensors, TheDataIsAligned) {
  for (std::size_t length = 0; length < 70; ++length) {
    TensorFile file;
    file.metadata = {{"x", std::string(length, 'x')}};
    file.arrays = {{"a", {1}, {1.0f}}};
    EXPECT_EQ(encode_safetensors(file).size() % 64, 4u);
  }
}

// ---- damage ----

TEST(Damage, EveryChangedByteIsRefused) {
  const std::string good = encode_safetensors(sample());
  ASSERT_GT(good.size(), 2000u);
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (const int mask : {1, 0x20, 0x80, 0xFF}) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ mask);
      ASSERT_NE(refusal(bad), "") << "byte " << i << " mask " << mask;
    }
  }
}

TEST(Damage, EveryTruncationAndEveryTailIsRefused) {
  const std::string good = encode_safetensors(sample());
  for (std::size_t length = 0; length < good.size(); ++length) {
    ASSERT_NE(refusal(std::string_view(good).substr(0, length)), "") << length;
  }
  for (std::size_t more = 1; more <= 16; ++more) {
    ASSERT_NE(refusal(good + std::string(more, '\0')), "");
    ASSERT_NE(refusal(good + std::string(more, ' ')), "");
  }
}

TEST(Damage, SwappedBlocksAreRefused) {
  const std::string good = encode_safetensors(sample());
  for (std::size_t a = 0; a + 512 <= good.size(); a += 512) {
    for (std::size_t b = a + 512; b + 512 <= good.size(); b += 512) {
      std::string bad = good;
      std::swap_ranges(bad.begin() + static_cast<long>(a), bad.begin() + static_cast<long>(a + 512),
                       bad.begin() + static_cast<long>(b));
      ASSERT_NE(refusal(bad), "") << a << " " << b;
    }
  }
}

TEST(Damage, AFileOfAnotherMakerIsNamedAsSuch) {
  const std::string header = R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}      )";
  const std::string file = std::string(1, static_cast<char>(header.size())) + std::string(7, '\0') + header + "abcd";
  EXPECT_NE(refusal(file).find("not a model made by Fovea"), std::string::npos) << refusal(file);
  EXPECT_NE(refusal("PK\x03\x04 some archive, not a model").find("not a model"), std::string::npos);
}

// ---- structure, with a checksum that is right ----

const std::string header_opening = R"({"__metadata__":{"checksum":"00000000000000000000000000000000")";

// A sealed file whose header is this text, padded, before this data.
std::string sealed(std::string header, const std::string& data) {
  header.resize((header.size() + 8 + 63) / 64 * 64 - 8, ' ');
  std::string bytes(8, '\0');
  const std::uint64_t length = header.size();
  std::memcpy(bytes.data(), &length, 8);
  return seal(bytes + header + data);
}

// The usual header with these entries for arrays.
std::string with_arrays(const std::string& entries, const std::string& data) {
  return sealed(header_opening + R"(,"fovea":"2"})" + (entries.empty() ? "" : ",") + entries + "}", data);
}

std::string entry(const std::string& name, const std::string& shape, const std::string& offsets) {
  return fmt::format(R"("{}":{{"dtype":"F32","shape":{},"data_offsets":{}}})", name, shape, offsets);
}

const std::string some_number = "\0\0\x80\x3F"s;

TEST(Structure, WhatIsRightIsTaken) {
  EXPECT_EQ(refusal(with_arrays("", "")), "");
  EXPECT_EQ(refusal(with_arrays(entry("a", "[1]", "[0,4]"), some_number)), "");
  EXPECT_EQ(refusal(with_arrays(entry("a", "[]", "[0,4]"), some_number)), "");
  EXPECT_EQ(refusal(with_arrays(entry("a", "[0]", "[0,0]"), "")), "");
  EXPECT_EQ(refusal(with_arrays(entry("a", "[1,1,1,1]", "[0,4]") + "," + entry("b", "[0,9]", "[4,4]"), some_number)),
            "");
  EXPECT_EQ(refusal(with_arrays(R"( "a" : {"shape":[1], "data_offsets":[0,4], "dtype":"F32"})", some_number)), "");
}

TEST(Structure, ANewerFormatIsNamed) {
  const std::string file = sealed(header_opening + R"(,"fovea":"3","new":{"things":[]}},"x":[[]]})", "");
  EXPECT_EQ(
      refusal(file),
      "m.safetensors: made by a newer Fovea (file format 3, this one reads 2); use that one, or train the model again");
}

TEST(Structure, AnEarlierFormatIsNamed) {
  EXPECT_EQ(refusal(sealed(header_opening + R"(,"fovea":"1"}})", "")),
            "m.safetensors: made by an earlier Fovea (file format 1, this one reads 2); use that one, or train the "
            "model again");
}

struct Case {
  std::string bytes;
  std::string expected;  // part of the message
};

void expect_refusals(const std::vector<Case>& cases) {
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::string message = refusal(cases[i].bytes);
    EXPECT_NE(message.find(cases[i].expected), std::string::npos)
        << "case " << i << ": expected \"" << cases[i].expected << "\", found \"" << message << "\"";
  }
}

TEST(Structure, RangesThatDoNotFitAreRefused) {
  const std::string two = some_number + some_number;
  const std::string a = entry("a", "[1]", "[0,4]") + ",";
  expect_refusals({
      {with_arrays(a + entry("b", "[1]", "[0,4]"), some_number), "begins at byte 0 of the data, expected 4"},
      {with_arrays(entry("a", "[2]", "[0,8]") + "," + entry("b", "[1]", "[4,8]"), two), "begins at byte 4"},
      {with_arrays(a + entry("b", "[1]", "[8,12]"), two + some_number), "begins at byte 8"},
      {with_arrays(entry("a", "[1]", "[4,8]"), two), "begins at byte 4"},
      {with_arrays(a + entry("b", "[1]", "[4,0]"), two), "ends at byte 0"},
      {with_arrays(entry("a", "[1]", "[4,0]"), some_number), "begins at byte 4"},
      {with_arrays(entry("a", "[1]", "[0,4]"), ""), "ends at byte 4 of the data, which has 0"},
      {with_arrays(entry("a", "[2]", "[0,8]"), some_number), "ends at byte 8"},
      {with_arrays(entry("a", "[1]", "[0,18446744073709551612]"), some_number), "ends at byte 18446744073709551612"},
      {with_arrays(entry("a", "[1]", "[0,4]"), two), "cover 4 of 8 bytes"},
      {with_arrays("", some_number), "cover 0 of 4 bytes"},
      {with_arrays(entry("a", "[1]", "[0,4]"), some_number + "x"), "cover 4 of 5 bytes"},
      {with_arrays(entry("a", "[0]", "[0,0]"), some_number), "cover 0 of 4 bytes"},
      {with_arrays(entry("a", "[1]", "[0,3]"), "abc"), "its shape needs 4 bytes, it has 3"},
  });
}

TEST(Structure, ShapesThatDoNotFitAreRefused) {
  const auto shape = [](const std::string& sizes) { return with_arrays(entry("a", sizes, "[0,4]"), some_number); };
  expect_refusals({
      {shape("[2]"), "needs 8 bytes, it has 4"},
      {shape("[0]"), "needs 0 bytes, it has 4"},
      {shape("[4294967296]"), "a dimension of 4294967296 is too large"},
      {shape("[9223372036854775807]"), "too large"},
      {shape("[18446744073709551615]"), "too large"},
      {shape("[18446744073709551616]"), "not whole or too large"},
      {shape("[2147483648,2147483648]"), "its shape is too large"},
      {shape("[65536,65536,65536,65536]"), "its shape is too large"},    // 2^64, which wraps to 0
      {shape("[2147483648,2147483648,4,1]"), "its shape is too large"},  // 2^64
      {shape("[0,2147483648,2147483648]"), "its shape is too large"},    // empty, but absurd
      {shape("[1,1,1,1,1]"), "more than 4 dimensions"},
      {shape("[-1]"), "a negative number"},
      {shape("[-0]"), "a negative number"},
      {shape("[1.0]"), "not whole"},
      {shape("[1e0]"), "not whole"},
      {shape(R"(["1"])"), "a text at shape"},
      {shape("[[1]]"), "a list at shape"},
      {shape("[{}]"), "an object at shape"},
      {shape("[null]"), "null at shape"},
      {shape("[true]"), "true or false at shape"},
      {shape("1"), "a number at shape"},
      {shape("{}"), "an object at shape"},
      {shape("null"), "null at shape"},
      {shape(R"("x")"), "a text at shape"},
      {shape("[1,]"), "not JSON"},
      {shape("[01]"), "not JSON"},
      {shape("[+1]"), "not JSON"},
      {shape("[NaN]"), "not JSON"},
  });
}

TEST(Structure, FieldsThatDoNotBelongAreRefused) {
  const auto array = [](const std::string& fields) { return with_arrays(R"("a":{)" + fields + "}", some_number); };
  const std::string dtype = R"("dtype":"F32")";
  const std::string rest = R"("shape":[1],"data_offsets":[0,4])";
  ASSERT_EQ(refusal(array(dtype + "," + rest)), "");
  expect_refusals({
      {array(rest), "is missing"},
      {array(dtype + R"(,"shape":[1])"), "is missing"},
      {array(dtype + R"(,"data_offsets":[0,4])"), "is missing"},
      {array(""), "is missing"},
      {array(dtype + "," + rest + R"(,"more":1)"), "unknown field more"},
      {array(dtype + "," + dtype + "," + rest), "the field dtype occurs twice"},
      {array(dtype + "," + rest + R"(,"shape":[1])"), "the field shape occurs twice"},
      {array(R"("dtype":"F64",)" + rest), "numbers of type F64"},
      {array(R"("dtype":"I32",)" + rest), "numbers of type I32"},
      {array(R"("dtype":"f32",)" + rest), "numbers of type f32"},
      {array(R"("dtype":"",)" + rest), "numbers of type ,"},
      {array(R"("dtype":32,)" + rest), "a number at dtype"},
      {array(R"("dtype":["F32"],)" + rest), "a list at dtype"},
      {array(R"("dtype":null,)" + rest), "null at dtype"},
      {array(R"("dtype":"\u001b[2J\n",)" + rest), "numbers of type \xE2\x90\x9B[2J\xE2\x90\x8A"},
      {array(dtype + R"(,"shape":[1],"data_offsets":[0])"), "two numbers"},
      {array(dtype + R"(,"shape":[1],"data_offsets":[])"), "two numbers"},
      {array(dtype + R"(,"shape":[1],"data_offsets":[0,4,8])"), "more than two"},
      {array(dtype + R"(,"shape":[1],"data_offsets":[-4,0])"), "a negative number"},
      {array(dtype + R"(,"shape":[1],"data_offsets":[0.0,4.0])"), "not whole"},
      {array(dtype + R"(,"shape":[1],"data_offsets":"0,4")"), "a text at data_offsets"},
      {array(dtype + R"(,"shape":[1],"data_offsets":{"0":4})"), "an object at data_offsets"},
      {with_arrays(R"("a":[])", ""), "a list at a"},
      {with_arrays(R"("a":1)", ""), "a number at a"},
      {with_arrays(R"("a":"x")", ""), "a text at a"},
      {with_arrays(R"("a":null)", ""), "null at a"},
  });
}

TEST(Structure, NamesThatDoNotFitAreRefused) {
  const std::string a = entry("a", "[0]", "[0,0]");
  const std::string b = entry("b", "[0]", "[0,0]");
  std::string most = a;
  for (int i = 1; i < 65'536; ++i) most += "," + entry(fmt::format("b{:05}", i), "[0]", "[0,0]");
  expect_refusals({
      {with_arrays(a + "," + a, ""), "array a occurs twice"},
      {with_arrays(a + "," + entry("\\u0061", "[0]", "[0,0]"), ""), "array a occurs twice"},
      {with_arrays(b + "," + a, ""), "out of order"},
      {with_arrays(entry("", "[0]", "[0,0]"), ""), "a name of 0 bytes"},
      {with_arrays(entry(std::string(257, 'n'), "[0]", "[0,0]"), ""), "a name of 257 bytes"},
      {with_arrays(entry("\xC3", "[0]", "[0,0]"), ""), "not JSON"},
      {with_arrays(entry("\\ud800", "[0]", "[0,0]"), ""), "not JSON"},
      {with_arrays(most + "," + entry("c", "[0]", "[0,0]"), ""), "more than 65536 arrays"},
  });
  EXPECT_EQ(refusal(with_arrays(entry(std::string(256, 'n'), "[0]", "[0,0]"), "")), "");
  EXPECT_EQ(refusal(with_arrays(most, "")), "");
}

TEST(Structure, MetadataThatDoesNotFitIsRefused) {
  const auto metadata = [](const std::string& more) { return sealed(header_opening + more + "}}", ""); };
  ASSERT_EQ(refusal(metadata(R"(,"fovea":"2")")), "");
  expect_refusals({
      {metadata(""), "does not give the format version"},
      {metadata(R"(,"fovea":"0")"), "is not a number"},
      {metadata(R"(,"fovea":"")"), "is not a number"},
      {metadata(R"(,"fovea":"1x")"), "is not a number"},
      {metadata(R"(,"fovea":"-1")"), "is not a number"},
      {metadata(R"(,"fovea":1)"), "a number at fovea"},
      {metadata(R"(,"fovea":"3")"), "newer Fovea"},
      {metadata(R"(,"fovea":"2","fovea":"2")"), "the metadata key fovea occurs twice"},
      {metadata(R"(,"fovea":"2","checksum":"x")"), "the metadata key checksum occurs twice"},
      {metadata(R"(,"fovea":"2","x":{})"), "an object at x"},
      {metadata(R"(,"fovea":"2","x":[])"), "a list at x"},
      {metadata(R"(,"fovea":"2","x":null)"), "null at x"},
      {metadata(R"(,"fovea":"2","x":1.5)"), "not whole"},
      {metadata(R"(,"fovea":"2"},"__metadata__":{)"), "__metadata__ occurs twice"},
  });
}

TEST(Structure, TextsThatAreNotTheHeaderAreRefused) {
  const std::string good = header_opening + R"(,"fovea":"2"}})";
  const std::string unaligned = seal("\x50\0\0\0\0\0\0\0"s + good + std::string(0x50 - good.size(), ' '));
  std::string huge = sealed(good, "");
  huge.replace(0, 8, 8, '\xFF');
  const std::string large = sealed(good + std::string(17 << 20, ' '), "");
  expect_refusals({
      {unaligned, "multiple of 64"},
      {seal(huge), "does not fit"},
      {large, "does not fit"},
      {sealed(" " + good, ""), "no Fovea checksum"},
      {sealed("[" + good + "]", ""), "no Fovea checksum"},
      {sealed("\xEF\xBB\xBF" + good, ""), "no Fovea checksum"},
      {sealed(header_opening.substr(0, header_opening.size() - 3), ""), "not JSON"},
      {sealed(header_opening, ""), "not JSON"},
      {sealed(good.substr(0, good.size() - 1), ""), "not JSON"},
      {sealed(good + "}", ""), "not JSON"},
      {sealed(good + "{}", ""), "not JSON"},
      {sealed(good + " x", ""), "not JSON"},
      {sealed(good + "\0hidden"s, ""), "control characters"},
      {sealed(good + "\n", ""), "control characters"},
      {sealed(good + "//", ""), "not JSON"},
      {seal(std::string(100, '\0')), "no Fovea checksum"},
      {std::string(8, '\0'), "no Fovea checksum"},
      {"", "too few"},
  });
}

TEST(Structure, DeepNestingDoesNotExhaustTheStack) {
  const std::size_t depth = 1'000'000;
  const std::string lists(depth, '[');
  std::string objects;
  for (std::size_t i = 0; i < depth; ++i) objects += R"({"a":)";
  expect_refusals({
      {with_arrays(R"("a":)" + lists, ""), "a list at a"},
      {with_arrays(R"("a":)" + objects, ""), "unknown field a"},
      {with_arrays(R"("a":{"shape":)" + lists, ""), "a list at shape"},
      {sealed(header_opening + R"(,"x":)" + objects, ""), "an object at x"},
  });
}

TEST(Structure, NumbersThatAreNotFiniteAreRefused) {
  for (const float bad : {NAN, -NAN, INFINITY, -INFINITY}) {
    std::string data = some_number + some_number;
    std::memcpy(data.data() + 4, &bad, 4);
    const std::string file = with_arrays(entry("a", "[1]", "[0,4]") + "," + entry("b", "[1]", "[4,8]"), data);
    EXPECT_EQ(refusal(file), "m.safetensors: array b contains NaN or infinity");
  }
}

// Random edits that keep the checksum right: taken or refused, but never worse; what is taken can be written again.
TEST(Structure, RandomEditsAreTakenOrRefused) {
  std::mt19937 random(5);
  TensorFile small = sample();
  small.arrays[0] = {"encoder.weight", {2, 3}, {1, 2, 3, 4, 5, 6}};
  const std::string good = encode_safetensors(small);
  const std::string alphabet = "{}[]\",:0123456789-.eE\\u ";
  int refused = 0;
  for (int run = 0; run < 20'000; ++run) {
    std::string bytes = good;
    for (auto edits = 1 + random() % 3; edits > 0; --edits) {
      bytes[8 + random() % (bytes.size() - 8)] = alphabet[random() % alphabet.size()];
    }
    bytes = seal(bytes);
    if (refusal(bytes) != "") {
      ++refused;
      continue;
    }
    const TensorFile taken = decode_safetensors(bytes, "m");
    ASSERT_EQ(decode_safetensors(encode_safetensors(taken), "m"), taken);
  }
  EXPECT_GT(refused, 10'000);
  EXPECT_LT(refused, 20'000);
}

// ---- what is not written ----

TEST(Encoding, WhatWouldBeRefusedIsNotWritten) {
  const auto refuses = [](const TensorFile& file, std::string_view expected) {
    try {
      encode_safetensors(file);
    } catch (const Error& error) {
      return std::string(error.what()).find(expected) != std::string::npos;
    }
    return false;
  };
  EXPECT_TRUE(refuses({{}, {{"a", {1}, {NAN}}}}, "array a contains NaN or infinity"));
  EXPECT_TRUE(refuses({{}, {{"a", {1}, {INFINITY}}}}, "array a contains NaN or infinity"));
  EXPECT_TRUE(refuses({{}, {{"a", {2, 2}, {1, 2, 3}}}}, "array a of shape [2, 2] has 3 values"));
  EXPECT_TRUE(refuses({{}, {{"a", {-1}, {}}}}, "array a of shape [-1]"));
  EXPECT_TRUE(refuses({{}, {{"a", {1, 1, 1, 1, 1}, {1}}}}, "5 dimensions"));
  EXPECT_TRUE(refuses({{}, {{"a", {1}, {1}}, {"a", {1}, {1}}}}, "two arrays are called a"));
  EXPECT_TRUE(refuses({{}, {{"", {1}, {1}}}}, "cannot be the name"));
  EXPECT_TRUE(refuses({{}, {{std::string(257, 'x'), {1}, {1}}}}, "cannot be the name"));
  EXPECT_TRUE(refuses({{}, {{"__metadata__", {1}, {1}}}}, "cannot be the name"));
  EXPECT_TRUE(refuses({{}, {{"\xFF", {1}, {1}}}}, "not UTF-8"));
  EXPECT_TRUE(refuses({{{"x", "\xFF"}}, {}}, "not UTF-8"));
  EXPECT_TRUE(refuses({{{"checksum", ""}}, {}}, "belongs to the format"));
  EXPECT_TRUE(refuses({{{"fovea", "2"}}, {}}, "belongs to the format"));
  EXPECT_TRUE(refuses({{{"x", std::string(17 << 20, 'x')}}, {}}, "more than the format allows"));
  EXPECT_TRUE(refuses({{}, std::vector<NamedArray>(65'537)}, "65537 arrays"));
}

}  // namespace
}  // namespace fovea::safetensors_test
