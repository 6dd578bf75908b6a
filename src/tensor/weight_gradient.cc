#include "tensor/weight_gradient.h"

#include <algorithm>
#include <bit>

#include "kernels/pointwise.h"
#include "kernels/product.h"

namespace fovea {

namespace {

constexpr int tile_rows = 264;
constexpr int tile_columns = 256;
constexpr std::size_t tile_size = tile_rows * tile_columns;
constexpr int table_rows = 1024;  // of a weight of which rows are looked up

int pieces(int all, int piece) { return (all + piece - 1) / piece; }

// How often so many passes can be halved.
std::size_t halvings(std::size_t passes) { return static_cast<std::size_t>(std::countr_zero(passes)); }

void add(const Real* from, int count, Real* to) {
  const auto n = static_cast<std::size_t>(count);
  kernels::add({from, n}, {to, n});
}

}  // namespace

struct WeightGradientSum::Tile {
  kernels::Rectangle part;
  std::span<Real> product_room;
  std::span<Real> partial_sums;  // [halvings, tile_size]
};

struct WeightGradientSum::Place {
  Real* data = nullptr;
  std::ptrdiff_t stride = 0;
  int level = 0;
};

WeightGradientSum::WeightGradientSum(Shape shape, std::vector<WeightGradient> passes)
    : rows_(shape.axes() == 2 ? shape[0] : 1),
      columns_(shape.axes() == 2 ? shape[1] : shape.count()),
      passes_(std::move(passes)) {
  check(std::has_single_bit(passes_.size()), "a gradient over {} passes", passes_.size());
  parts_ = only_rows() ? pieces(rows_, table_rows) : pieces(rows_, tile_rows) * pieces(columns_, tile_columns);
}

bool WeightGradientSum::only_rows() const {
  return std::ranges::none_of(passes_, [](const WeightGradient& pass) { return pass.direct || pass.products; });
}

void WeightGradientSum::compute(int part, Arena& room, Real* gradient) const {
  room.reset();
  if (only_rows()) {
    const int first = part * table_rows;
    return compute_rows(first, std::min(first + table_rows, rows_), room, gradient);
  }
  const int across = pieces(columns_, tile_columns);
  const int row = part / across * tile_rows, column = part % across * tile_columns;
  const Tile tile = {{row, std::min(tile_rows, rows_ - row), column, std::min(tile_columns, columns_ - column)},
                     room.array<Real>(kernels::transposed_product_room),
                     room.array<Real>(halvings(passes_.size()) * tile_size)};
  sum_tile(tile, passes_, {gradient + std::ptrdiff_t(row) * columns_ + column, columns_, 0});
}

// The left half in place, the right half in the room of this level, which nobody else needs meanwhile.
void WeightGradientSum::sum_tile(const Tile& tile, std::span<const WeightGradient> passes, Place out) const {
  if (passes.size() == 1) return fill_tile(tile, passes[0], out);
  const auto left = passes.first(passes.size() / 2), right = passes.last(passes.size() / 2);
  sum_tile(tile, left, {out.data, out.stride, out.level + 1});
  if (std::ranges::all_of(right, &WeightGradient::empty)) return;
  Real* more = tile.partial_sums.data() + static_cast<std::size_t>(out.level) * tile_size;
  sum_tile(tile, right, {more, tile.part.columns, out.level + 1});
  for (int r = 0; r < tile.part.rows; ++r) {
    add(more + std::ptrdiff_t(r) * tile.part.columns, tile.part.columns, out.data + r * out.stride);
  }
}

void WeightGradientSum::fill_tile(const Tile& tile, const WeightGradient& pass, Place out) const {
  const auto& part = tile.part;
  if (pass.direct) {
    for (int r = 0; r < part.rows; ++r) {
      const Real* from = pass.direct + std::ptrdiff_t(part.row + r) * columns_ + part.column;
      if (from != out.data + r * out.stride) std::copy_n(from, part.columns, out.data + r * out.stride);
    }
  }
  std::vector<kernels::RowPair> pairs;
  for (const ProductNote* note = pass.products; note; note = note->next) {
    pairs.push_back({note->inputs.data, note->doutputs.data, note->inputs.rows});
  }
  kernels::transposed_product({pairs, rows_, columns_}, part, out.data, out.stride,
                              pass.direct ? kernels::Start::keep : kernels::Start::zero, tile.product_room);
  for (const RowsNote* note = pass.rows; note; note = note->next) {
    for (std::size_t i = 0; i < note->ids.size(); ++i) {
      const int r = note->ids[i] - part.row;
      if (r < 0 || r >= part.rows) continue;
      add(note->drows + static_cast<std::ptrdiff_t>(i) * columns_ + part.column, part.columns,
          out.data + r * out.stride);
    }
  }
}

// One row that was looked up.
struct WeightGradientSum::RowTerm {
  std::int32_t row;
  int pass;
  const Real* values;
};

// Most rows of a table are not looked up at all: those that are, are found first.
void WeightGradientSum::compute_rows(int first, int last, Arena& room, Real* gradient) const {
  std::vector<RowTerm> terms;
  for (std::size_t p = 0; p < passes_.size(); ++p) {
    for (const RowsNote* note = passes_[p].rows; note; note = note->next) {
      for (std::size_t i = 0; i < note->ids.size(); ++i) {
        const std::int32_t row = note->ids[i];
        if (row < first || row >= last) continue;
        terms.push_back({row, static_cast<int>(p), note->drows + static_cast<std::ptrdiff_t>(i) * columns_});
      }
    }
  }
  std::ranges::stable_sort(terms, {}, &RowTerm::row);
  std::fill_n(gradient + std::ptrdiff_t(first) * columns_, std::ptrdiff_t(last - first) * columns_, Real(0));
  const auto width = static_cast<std::size_t>(columns_);
  const std::span<Real> partial_sums = room.array<Real>(width * halvings(passes_.size()));
  // Adds the terms of passes [begin, begin + count) to `out`, which is zero.
  const auto sum = [&](auto& self, std::span<const RowTerm> some, int begin, int count, int level, Real* out) -> void {
    if (some.empty()) return;
    if (count == 1) {
      for (const RowTerm& term : some) add(term.values, columns_, out);
      return;
    }
    const int middle = begin + count / 2;
    const auto right = std::ranges::lower_bound(some, middle, {}, &RowTerm::pass);
    self(self, {some.begin(), right}, begin, middle - begin, level + 1, out);
    if (right == some.end()) return;
    Real* part = partial_sums.data() + static_cast<std::size_t>(level) * width;
    std::fill_n(part, width, Real(0));
    self(self, {right, some.end()}, middle, begin + count - middle, level + 1, part);
    add(part, columns_, out);
  };
  for (auto begin = terms.begin(); begin != terms.end();) {
    const auto end = std::find_if(begin, terms.end(), [&](const RowTerm& term) { return term.row != begin->row; });
    sum(sum, {begin, end}, 0, static_cast<int>(passes_.size()), 0, gradient + std::ptrdiff_t(begin->row) * columns_);
    begin = end;
  }
}

}  // namespace fovea
