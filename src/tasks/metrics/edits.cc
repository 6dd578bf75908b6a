#include "tasks/metrics/edits.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/utf8.h"

namespace fovea {

std::int64_t edit_distance(std::span<const std::string_view> a, std::span<const std::string_view> b) {
  std::vector<std::int64_t> row(b.size() + 1);  // distance of a's beginning to each beginning of b
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::int64_t diagonal = row[0];
    row[0] = static_cast<std::int64_t>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::int64_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

std::int64_t edit_distance(std::string_view a, std::string_view b) {
  return edit_distance(characters(a), characters(b));
}

}  // namespace fovea
