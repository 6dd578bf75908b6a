#include "base/nearest.h"

#include <algorithm>
#include <cstddef>

namespace fovea {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

// Damerau's distance in its restricted form (optimal string alignment): no part is edited twice.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({change, last[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearest(std::string_view wanted, const std::vector<std::string>& known) {
  constexpr std::size_t most = 3;
  std::string best;
  std::size_t best_distance = most + 1;
  for (const std::string& name : known) {
    const auto [shorter, longer] = std::minmax({wanted.size(), name.size()});
    // Lengths alone rule most names out, however long the wanted text is.
    const std::size_t allowed = std::clamp<std::size_t>(longer / 3, 1, most);
    if (shorter == 0 || longer - shorter > allowed) continue;
    const std::size_t found = distance(lower(wanted), lower(name));
    if (found <= allowed && found < best_distance) {
      best = name;
      best_distance = found;
    }
  }
  return best;
}

}  // namespace fovea
