#include "data/aligner.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "base/as_size.h"
#include "base/error.h"

namespace fovea {

namespace {

constexpr std::int64_t max_substitutions = std::int64_t{16} << 20;
constexpr std::size_t max_cells = std::size_t{4} << 20;
// Pairs with more cells are long: of these only a band about the diagonal is looked at, so wide that it has about as
// many cells, and operations are learned from the first of them alone.
constexpr std::size_t max_short_cells = std::size_t{1} << 16;
constexpr std::size_t least_band = 129;  // cells
constexpr std::size_t max_learned_cells = std::size_t{4} << 20;
constexpr double impossible = -std::numeric_limits<double>::infinity();

void check_ids(std::span<const std::int32_t> ids, int symbols, std::string_view side) {
  for (const std::int32_t id : ids) {
    check(id >= 0 && id < symbols, "aligner: {} id {} is not below {}", side, id, symbols);
  }
}

double log_sum(double a, double b) {
  if (a < b) std::swap(a, b);
  return b == impossible ? a : a + std::log1p(std::exp(b - a));
}

}  // namespace

// The ways to write a pair: cell (i, j) is where i source and j target symbols are done. Row i has the cells from
// first(i) on, as many in each row; neighbouring rows overlap.
class Aligner::Grid {
 public:
  enum class Kind { substitute, insert, remove };
  struct Edge {
    Kind kind;
    std::size_t from;       // cell
    std::size_t operation;  // in operations_
  };

  Grid(const SymbolPair& pair, std::size_t source_symbols, std::size_t target_symbols)
      : pair_(pair), source_symbols_(source_symbols), target_symbols_(target_symbols) {
    if (is_long()) {
      const std::size_t overlapping = 2 * (columns() / rows() + 1);
      width_ = std::min(columns(), std::max({max_short_cells / rows(), least_band, overlapping}));
    }
    for (std::size_t i = 0; i < rows(); ++i) {
      const std::size_t middle = columns() * i / rows(), half = width_ / 2;
      firsts_.push_back(std::min(middle - std::min(middle, half), columns() - width_));
    }
  }

  std::size_t rows() const { return pair_.source.size() + 1; }
  std::size_t columns() const { return pair_.target.size() + 1; }
  bool is_long() const { return rows() > max_short_cells / columns(); }
  std::size_t width() const { return width_; }
  std::size_t cells() const { return rows() * width_; }
  std::size_t first(std::size_t i) const { return firsts_[i]; }
  bool has(std::size_t i, std::size_t j) const { return j >= first(i) && j < first(i) + width_; }
  std::size_t cell(std::size_t i, std::size_t j) const { return i * width_ + j - first(i); }

  // Calls visit(edge) for each operation that leads to cell (i, j).
  template <class Visit>
  void for_each_edge(std::size_t i, std::size_t j, Visit visit) const {
    const std::size_t a = i > 0 ? as_size(pair_.source[i - 1]) : 0;
    const std::size_t b = j > 0 ? as_size(pair_.target[j - 1]) : 0;
    if (i > 0 && j > 0 && has(i - 1, j - 1)) visit(Edge{Kind::substitute, cell(i - 1, j - 1), operation(a, b)});
    if (j > 0 && has(i, j - 1)) visit(Edge{Kind::insert, cell(i, j - 1), operation(source_symbols_, b)});
    if (i > 0 && has(i - 1, j)) visit(Edge{Kind::remove, cell(i - 1, j), operation(a, target_symbols_)});
  }

 private:
  std::size_t operation(std::size_t a, std::size_t b) const { return a * (target_symbols_ + 1) + b; }

  SymbolPair pair_;
  std::size_t source_symbols_;
  std::size_t target_symbols_;
  std::size_t width_ = columns();
  std::vector<std::size_t> firsts_;
};

Aligner::Aligner(std::span<const SymbolPair> pairs, int source_symbols, int target_symbols, int rounds)
    : source_symbols_(source_symbols), target_symbols_(target_symbols) {
  check(source_symbols >= 0 && target_symbols >= 0, "aligner: {} and {} symbols", source_symbols, target_symbols);
  if (std::int64_t{source_symbols} * target_symbols > max_substitutions) {
    throw usage_error("{} source and {} target symbols are too many to align: their product may be {} at most",
                      source_symbols, target_symbols, max_substitutions);
  }
  // All equally probable; since a deletion with an insertion are two operations, substitutions have a head start.
  operations_.resize((as_size(source_symbols) + 1) * (as_size(target_symbols) + 1));
  std::fill(operations_.begin(), operations_.end(), -std::log(static_cast<double>(operations_.size())));

  std::vector<double> counts(operations_.size());
  for (int round = 0; round < rounds && !pairs.empty(); ++round) {
    std::fill(counts.begin(), counts.end(), 0.0);
    double log_likelihood = 0;
    std::size_t learned_cells = 0;  // of long pairs
    for (const SymbolPair& pair : pairs) {
      const Grid grid = grid_of(pair);
      if (grid.is_long() && (learned_cells += grid.cells()) > max_learned_cells) continue;
      log_likelihood += add_expected_counts(grid, counts);
    }
    log_likelihoods_.push_back(log_likelihood);
    double total = 0;
    for (const double count : counts) total += count;
    for (std::size_t k = 0; k < counts.size(); ++k) operations_[k] = std::log(counts[k] / total);
  }
}

Aligner::Grid Aligner::grid_of(const SymbolPair& pair) const {
  check_ids(pair.source, source_symbols_, "source");
  check_ids(pair.target, target_symbols_, "target");
  const Grid grid(pair, as_size(source_symbols_), as_size(target_symbols_));
  if (grid.rows() > max_cells / grid.width()) {
    throw data_error("a pair of {} and {} symbols is too long to align; leave longer lines out with `max_length` {}",
                     pair.source.size(), pair.target.size(), max_cells / least_band - 1);
  }
  return grid;
}

// In logarithms, since a pair of some hundred symbols is less probable than any double. Gives the log-probability of
// the pair.
double Aligner::add_expected_counts(const Grid& grid, std::span<double> counts) const {
  std::vector<double> reached(grid.cells(), impossible);  // log of the sum over all ways to come to a cell
  reached[0] = 0;
  for (std::size_t i = 0; i < grid.rows(); ++i) {
    for (std::size_t j = grid.first(i); j < grid.first(i) + grid.width(); ++j) {
      double& sum = reached[grid.cell(i, j)];
      grid.for_each_edge(
          i, j, [&](const Grid::Edge& edge) { sum = log_sum(sum, reached[edge.from] + operations_[edge.operation]); });
    }
  }

  // From the end back, each cell hands the probability of being passed to the cells before it, by their shares in it.
  std::vector<double> passed(grid.cells(), 0.0);
  passed.back() = 1;
  counts.back() += 1;  // the end
  for (std::size_t i = grid.rows(); i-- > 0;) {
    for (std::size_t j = grid.first(i) + grid.width(); j-- > grid.first(i);) {
      const std::size_t cell = grid.cell(i, j);
      if (passed[cell] == 0) continue;
      grid.for_each_edge(i, j, [&](const Grid::Edge& edge) {
        const double share = std::exp(reached[edge.from] + operations_[edge.operation] - reached[cell]);
        counts[edge.operation] += passed[cell] * share;
        passed[edge.from] += passed[cell] * share;
      });
    }
  }
  return reached.back() + operations_.back();
}

std::vector<Link> Aligner::align(const SymbolPair& pair) const {
  const Grid grid = grid_of(pair);
  if (pair.source.empty()) return {};
  constexpr double unseen = -30;  // what training never met is hardly, not never, to be expected
  // A deletion and an insertion next to each other are as probable in either order, up to rounding. The slack lets the
  // edge visited first win, so that the insertion comes second and is linked to the deleted symbol.
  constexpr double slack = 1e-9;
  std::vector<double> best(grid.cells(), impossible);
  std::vector<Grid::Edge> came(grid.cells());
  best[0] = 0;
  for (std::size_t i = 0; i < grid.rows(); ++i) {
    for (std::size_t j = grid.first(i); j < grid.first(i) + grid.width(); ++j) {
      const std::size_t cell = grid.cell(i, j);
      grid.for_each_edge(i, j, [&](const Grid::Edge& edge) {
        const double score = best[edge.from] + std::max(operations_[edge.operation], unseen);
        if (score <= best[cell] + slack) return;
        best[cell] = score;
        came[cell] = edge;
      });
    }
  }

  std::vector<Link> links;
  for (std::size_t cell = grid.cells() - 1; cell > 0; cell = came[cell].from) {
    if (came[cell].kind == Grid::Kind::remove) continue;
    const std::size_t row = cell / grid.width();
    const int source = static_cast<int>(row) - 1;
    const int target = static_cast<int>(grid.first(row) + cell % grid.width()) - 1;
    links.push_back({std::max(source, 0), target, came[cell].kind == Grid::Kind::substitute});
  }
  std::reverse(links.begin(), links.end());
  return links;
}

}  // namespace fovea
