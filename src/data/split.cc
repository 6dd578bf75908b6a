#include "data/split.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "base/as_size.h"
#include "base/error.h"
#include "base/random.h"

namespace fovea {

namespace {

// FNV-1a, then mixed, since neighbouring texts differ in few of its bits. Never change: it decides every split.
std::uint64_t hash(std::string_view text) {
  std::uint64_t h = 0xCBF29CE484222325ull;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
  return mix(h, text.size());
}

// What a line is about: all lines with the same belong together.
const std::string& about(const Example& example) { return example.source.empty() ? example.target : example.source; }

// All lines of one source text, or of one target where there are only targets.
struct Group {
  std::uint64_t hash = 0;
  std::string_view source;
  std::size_t lines = 0;
};

// In the order in which they are taken.
std::vector<Group> group_by_source(std::span<const Example> examples) {
  std::unordered_map<std::string_view, std::size_t> lines;
  for (const Example& example : examples) ++lines[about(example)];
  std::vector<Group> groups;
  groups.reserve(lines.size());
  for (const auto& [source, count] : lines) groups.push_back({hash(source), source, count});
  std::sort(groups.begin(), groups.end(),
            [](const Group& a, const Group& b) { return std::tie(a.hash, a.source) < std::tie(b.hash, b.source); });
  return groups;
}

// A group that would overfill the quota is passed over; if that leaves nothing, the smallest group is taken.
std::unordered_set<std::string_view> choose(const std::vector<Group>& groups, std::size_t quota) {
  std::unordered_set<std::string_view> chosen;
  std::size_t lines = 0;
  for (const Group& group : groups) {
    if (lines + group.lines > quota || chosen.size() + 1 == groups.size()) continue;
    chosen.insert(group.source);
    lines += group.lines;
  }
  if (chosen.empty() && groups.size() > 1) {
    chosen.insert(std::min_element(groups.begin(), groups.end(), [](const Group& a, const Group& b) {
                    return a.lines < b.lines;
                  })->source);
  }
  return chosen;
}

}  // namespace

Split split(std::span<const Example> examples, const SplitOptions& options) {
  if (!(options.share >= 0 && options.share < 1)) {
    throw usage_error("the held-out share must be at least 0 and below 1, not {}", options.share);
  }
  const auto share = as_size(std::llround(options.share * static_cast<double>(examples.size())));
  std::unordered_set<std::string_view> chosen;
  if (options.share > 0) chosen = choose(group_by_source(examples), std::min(share, options.max_lines));

  Split result;
  for (std::size_t i = 0; i < examples.size(); ++i) {
    (chosen.contains(about(examples[i])) ? result.held_out : result.training).push_back(i);
  }
  return result;
}

}  // namespace fovea
