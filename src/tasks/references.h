// Lines that ask the same thing, with the same source and features: each is asked once, and any of their targets is
// right.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/pairs.h"
#include "data/tokenizer.h"

namespace fovea {

struct Referenced {
  std::string source;
  std::string features;
  std::vector<std::string> references;   // its targets as a model can write them, each once, in the order of the lines
  std::int64_t line = 0;                 // its first
  std::int64_t lines = 0;                // how many it has
  std::vector<std::string> others = {};  // further sources
  std::string file = {};                 // its first line stands in; empty: in none

  std::string folder() const { return std::string(folder_of(file)); }
  std::string place() const { return place_of(file, line); }
};

// In the order of their first lines; or each line for itself.
std::vector<Referenced> group_references(std::span<const Example> examples, const Tokenizer& target_tokenizer,
                                         bool each_line = false);

// The one with the fewest edits to the answer, the first of several.
const std::string& nearest_reference(std::span<const std::string> references, std::string_view answer);

// Places of so many, or of all if there are fewer, with sources of all lengths: in the middle of equal parts once they
// are sorted by length.
std::vector<std::size_t> choose_samples(std::span<const Referenced> all, std::size_t count);

}  // namespace fovea
