// Levenshtein 1966: the fewest insertions, deletions and replacements that lead from one sequence to another.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace fovea {

std::int64_t edit_distance(std::span<const std::string_view> a, std::span<const std::string_view> b);

// One step on the way from what was given to what was wanted.
struct Edit {
  std::string_view wanted;  // empty: the given one is too many
  std::string_view given;   // empty: the wanted one is missing

  bool same() const { return wanted == given; }
};

// As few edits as will do, with what stays the same between them. Two that are longer than can be held against each
// other are all wanted, then all given.
std::vector<Edit> edit_path(std::span<const std::string_view> wanted, std::span<const std::string_view> given);

// Of characters.
std::int64_t edit_distance(std::string_view a, std::string_view b);

}  // namespace fovea
