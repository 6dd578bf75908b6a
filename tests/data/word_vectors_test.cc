#include "data/word_vectors.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "temporary_file.h"

namespace fovea::word_vectors_test {
namespace {

using Vectors = std::map<int, std::vector<float>>;

Vectors read(const std::string& content, int dimension = 2) {
  const TemporaryFile file(content);
  SymbolCounts counts;
  for (const char* symbol : {"a", "b", "c d"}) counts.add(symbol);
  return read_word_vectors(file.path(), Vocabulary(counts), dimension, "encoder.embedding");
}

std::string error_of(const std::string& content, ErrorKind kind = ErrorKind::data) {
  try {
    read(content);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    const std::string text = error.what();
    EXPECT_EQ(text.find('\n'), std::string::npos);
    return text.substr(text.find(':'));
  }
  return "no error";
}

TEST(WordVectors, OfKnownSymbolsAreRead) {
  const Vectors expected = {{4, {0.5F, -1}}, {5, {1e-3F, 2}}};
  EXPECT_EQ(read("a 0.5 -1\nz 1 2\nb 1e-3 2\n"), expected);
  EXPECT_EQ(read("3 2\na 0.5 -1 \nz x y\n\nb\t1e-3\t2\na 7 7\n"), expected) << "as word2vec writes it, the first a";
  EXPECT_EQ(read("a 1 2\nc d 3 4\n"), (Vectors{{4, {1, 2}}, {6, {3, 4}}})) << "with a space inside";
  EXPECT_EQ(read("<unk> 1 2\n</s> 1 2"), Vectors()) << "special ones are not text";
}

TEST(WordVectors, WhatIsNoneIsRefused) {
  EXPECT_EQ(error_of(""), ": there is no vector in it");
  EXPECT_EQ(error_of("3 2\n"), ": there is no vector in it");
  EXPECT_EQ(error_of("a 1 nan\n"), ":1:1: \"nan\" is no number that a vector can have");
  EXPECT_EQ(error_of("a 1 1e39\n"), ":1:1: \"1e39\" is no number that a vector can have");
  EXPECT_EQ(error_of("a 1 1e999\n"), ":1:1: \"1e999\" is no number that a vector can have");
  EXPECT_EQ(error_of("a 1 2\nb 1 \xFF\x1B\n"),
            ":2:1: \"\xEF\xBF\xBD\xE2\x90\x9B\" is no number that a vector can have");
  EXPECT_EQ(error_of("a\n"), ":1:1: a symbol and 2 numbers are needed, found \"a\"");
  EXPECT_EQ(error_of("a 1 2\n3 4\n"), ":2:1: a symbol and 2 numbers are needed, found \"3 4\"");
}

TEST(WordVectors, OfAnotherDimensionAreRefused) {
  const char* three = ": vectors of 3 numbers, but encoder.embedding is 2; set it to 3, or take other vectors";
  EXPECT_EQ(error_of("a 1 2 3\n", ErrorKind::usage), three);
  EXPECT_EQ(error_of("9 3\na 1 2 3\n", ErrorKind::usage), three);
}

}  // namespace
}  // namespace fovea::word_vectors_test
