// Levenshtein 1966: the fewest insertions, deletions and replacements that lead from one sequence to another.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace fovea {

std::int64_t edit_distance(std::span<const std::string_view> a, std::span<const std::string_view> b);

// Of characters.
std::int64_t edit_distance(std::string_view a, std::string_view b);

}  // namespace fovea
