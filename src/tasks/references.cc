#include "tasks/references.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "tasks/metrics/edits.h"

namespace fovea {

std::vector<Referenced> group_references(std::span<const Example> examples, const Tokenizer& target_tokenizer,
                                         bool each_line) {
  std::vector<Referenced> all;
  std::unordered_map<std::string, std::size_t> places;
  for (const Example& example : examples) {
    std::string asked = example.source + '\n' + example.features;
    for (const std::string& other : example.others) asked += '\n' + other;
    if (each_line) asked = std::to_string(all.size());
    const auto [found, added] = places.emplace(std::move(asked), all.size());
    if (added) all.push_back({example.source, example.features, {}, example.line, 0, example.others, example.file});
    Referenced& one = all[found->second];
    ++one.lines;
    std::vector<std::string> tokens;
    for (const Token& token : target_tokenizer.cut(example.target)) tokens.emplace_back(token.text);
    std::string target = target_tokenizer.join(tokens);
    if (std::ranges::find(one.references, target) == one.references.end()) one.references.push_back(std::move(target));
  }
  return all;
}

const std::string& nearest_reference(std::span<const std::string> references, std::string_view answer) {
  if (const auto equal = std::ranges::find(references, answer); equal != references.end()) return *equal;
  return *std::ranges::min_element(references, {}, [&](const std::string& reference) {
    return references.size() == 1 ? 0 : edit_distance(reference, answer);
  });
}

std::vector<std::size_t> choose_samples(std::span<const Referenced> all, std::size_t count) {
  std::vector<std::size_t> by_length(all.size());
  std::iota(by_length.begin(), by_length.end(), 0);
  std::ranges::stable_sort(by_length, {}, [&](std::size_t i) { return count_characters(all[i].source); });
  count = std::min(count, all.size());
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < count; ++i) chosen.push_back(by_length[(2 * i + 1) * all.size() / (2 * count)]);
  return chosen;
}

}  // namespace fovea
