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

std::vector<Edit> edit_path(std::span<const std::string_view> wanted, std::span<const std::string_view> given) {
  constexpr std::size_t max_cells = std::size_t(1) << 24;
  const std::size_t rows = wanted.size() + 1, columns = given.size() + 1;
  std::vector<Edit> path;
  if (rows > max_cells / columns) {
    for (const std::string_view one : wanted) path.push_back({one, {}});
    for (const std::string_view one : given) path.push_back({{}, one});
    return path;
  }
  std::vector<std::int32_t> distance(rows * columns);  // of the rest of both, from each place on
  const auto at = [&](std::size_t i, std::size_t j) -> std::int32_t& { return distance[i * columns + j]; };
  for (std::size_t i = rows; i-- > 0;) {
    for (std::size_t j = columns; j-- > 0;) {
      if (i + 1 == rows || j + 1 == columns) {
        at(i, j) = static_cast<std::int32_t>((rows - 1 - i) + (columns - 1 - j));
      } else {
        const std::int32_t replaced = at(i + 1, j + 1) + (wanted[i] != given[j]);
        at(i, j) = std::min({at(i + 1, j) + 1, at(i, j + 1) + 1, replaced});
      }
    }
  }
  for (std::size_t i = 0, j = 0; i + 1 < rows || j + 1 < columns;) {
    const bool both = i + 1 < rows && j + 1 < columns;
    if (both && at(i, j) == at(i + 1, j + 1) + (wanted[i] != given[j])) {
      path.push_back({wanted[i++], given[j++]});
    } else if (i + 1 < rows && at(i, j) == at(i + 1, j) + 1) {
      path.push_back({wanted[i++], {}});
    } else {
      path.push_back({{}, given[j++]});
    }
  }
  return path;
}

std::int64_t edit_distance(std::string_view a, std::string_view b) {
  return edit_distance(characters(a), characters(b));
}

}  // namespace fovea
