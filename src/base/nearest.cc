#include "base/nearest.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>

#include "base/utf8.h"

namespace fovea {
namespace {

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
  constexpr std::size_t most = 3, enough_to_begin_with = 3;
  std::string best;
  std::size_t best_distance = most + 1;
  for (const std::string& name : known) {
    const auto [shorter, longer] = std::minmax({wanted.size(), name.size()});
    // Lengths alone rule most names out, however long the wanted text is.
    const std::size_t allowed = std::clamp<std::size_t>(longer / 3, 1, most);
    if (shorter == 0 || longer - shorter > allowed) continue;
    const std::size_t found = distance(ascii_lower(wanted), ascii_lower(name));
    if (found <= allowed && found < longer && found < best_distance) {
      best = name;
      best_distance = found;
    }
  }
  if (!best.empty() || wanted.size() < enough_to_begin_with) return best;
  const auto begun = std::find_if(known.begin(), known.end(), [&](const std::string& name) {
    return ascii_lower(name).starts_with(ascii_lower(wanted));
  });
  return begun == known.end() ? "" : *begun;
}

Error unknown_name(std::string_view what, std::string_view name, const std::vector<std::string>& known,
                   std::string_view otherwise) {
  std::string hint(otherwise);
  if (const std::string near = nearest(name, known); !near.empty()) {
    hint = fmt::format("did you mean {}?", near);
  } else if (hint.empty()) {
    for (std::size_t i = 0; i < known.size(); ++i) {
      hint += (i == 0 ? "there are " : i + 1 == known.size() ? " and " : ", ") + known[i];
    }
  }
  return usage_error("no {} \"{}\"; {}", what, printable(name), hint);
}

}  // namespace fovea
