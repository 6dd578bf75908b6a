#include "tensor/weight_gradient.h"

#include <algorithm>
#include <bit>
#include <tuple>

#include "base/as_size.h"
#include "kernels/pointwise.h"
#include "kernels/product.h"

namespace fovea {

namespace {

constexpr int tile_rows = 264;
constexpr int tile_columns = 256;
constexpr std::size_t tile_size = tile_rows * tile_columns;
constexpr int table_rows = 1024;  // of a weight of which rows are looked up

int tiles(int all, int piece) { return (all + piece - 1) / piece; }

// How often so many passes can be halved.
std::size_t halvings(std::size_t passes) { return as_size(std::countr_zero(passes)); }

void add(const Real* from, int count, Real* to) {
  const auto n = as_size(count);
  kernels::add({from, n}, {to, n});
}

}  // namespace

GradientRoom::GradientRoom(Arena& a, std::size_t passes)
    : arena(a),
      products(a.array<Real>(kernels::transposed_product_room)),
      partial_sums(a.array<Real>(halvings(passes) * tile_size)) {}

struct WeightGradientSum::Tile {
  kernels::Rectangle part;
  const GradientRoom& room;
};

struct WeightGradientSum::Place {
  Real* data = nullptr;
  std::ptrdiff_t stride = 0;
  int level = 0;
};

// One row that was looked up.
struct WeightGradientSum::RowTerm {
  std::int32_t row;
  int pass;
  int place;  // among the pass's
  const Real* values;
};

WeightGradientSum::WeightGradientSum(Shape shape, std::span<const WeightGradient> passes)
    : rows_(shape.axes() == 2 ? shape[0] : 1), columns_(shape.axes() == 2 ? shape[1] : shape.count()), passes_(passes) {
  check(std::has_single_bit(passes_.size()), "a gradient over {} passes", passes_.size());
  parts_ = only_rows() ? tiles(rows_, table_rows) : tiles(rows_, tile_rows) * tiles(columns_, tile_columns);
}

bool WeightGradientSum::only_rows() const {
  return std::ranges::none_of(passes_, [](const WeightGradient& pass) { return pass.direct || pass.products; });
}

void WeightGradientSum::compute(int part, const GradientRoom& room, Real* gradient) const {
  if (!only_rows()) {
    const int across = tiles(columns_, tile_columns);
    const int row = part / across * tile_rows, column = part % across * tile_columns;
    const Tile tile = {{row, std::min(tile_rows, rows_ - row), column, std::min(tile_columns, columns_ - column)},
                       room};
    return sum_tile(tile, passes_, {gradient + std::ptrdiff_t(row) * columns_ + column, columns_, 0});
  }
  const int first = part * table_rows, last = std::min(first + table_rows, rows_);
  std::fill_n(gradient + std::ptrdiff_t(first) * columns_, std::ptrdiff_t(last - first) * columns_, Real(0));
  const std::span<const RowTerm> terms = row_terms(first, last, room.arena);
  const auto partial_sums = room.arena.array<Real>(halvings(passes_.size()) * as_size(columns_));
  for (std::size_t begin = 0, end = 0; begin < terms.size(); begin = end) {
    while (end < terms.size() && terms[end].row == terms[begin].row) ++end;
    sum_rows(terms.subspan(begin, end - begin), static_cast<int>(passes_.size()), partial_sums,
             gradient + std::ptrdiff_t(terms[begin].row) * columns_);
  }
}

// The left half in place, the right half in the room of this level, which nobody else needs meanwhile.
void WeightGradientSum::sum_tile(const Tile& tile, std::span<const WeightGradient> passes, Place out) const {
  if (passes.size() == 1) return fill_tile(tile, passes[0], out);
  const auto left = passes.first(passes.size() / 2), right = passes.last(passes.size() / 2);
  sum_tile(tile, left, {out.data, out.stride, out.level + 1});
  if (std::ranges::all_of(right, &WeightGradient::empty)) return;
  Real* more = tile.room.partial_sums.data() + as_size(out.level) * tile_size;
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
  std::size_t count = 0;
  for (const ProductNote* note = pass.products; note; note = note->next) ++count;
  const std::span<kernels::RowPair> pairs = tile.room.arena.array<kernels::RowPair>(count);
  count = 0;
  for (const ProductNote* note = pass.products; note; note = note->next) {
    pairs[count++] = {note->inputs.data, note->doutputs.data, note->inputs.rows};
  }
  kernels::transposed_product({pairs, rows_, columns_}, part, out.data, out.stride,
                              pass.direct ? kernels::Start::keep : kernels::Start::zero, tile.room.products);
  for (const RowsNote* note = pass.rows; note; note = note->next) {
    for (std::size_t i = 0; i < note->ids.size(); ++i) {
      const int r = note->ids[i] - part.row;
      if (r < 0 || r >= part.rows) continue;
      add(note->drows + static_cast<std::ptrdiff_t>(i) * columns_ + part.column, part.columns,
          out.data + r * out.stride);
    }
  }
}

// Most rows of a table are not looked up at all: those in [first, last) that are, row by row.
std::span<const WeightGradientSum::RowTerm> WeightGradientSum::row_terms(int first, int last, Arena& arena) const {
  std::size_t most = 0;
  for (const WeightGradient& pass : passes_) {
    for (const RowsNote* note = pass.rows; note; note = note->next) most += note->ids.size();
  }
  const std::span<RowTerm> terms = arena.array<RowTerm>(most);
  std::size_t count = 0;
  for (int p = 0; p < static_cast<int>(passes_.size()); ++p) {
    int place = 0;
    for (const RowsNote* note = passes_[as_size(p)].rows; note; note = note->next) {
      const Real* values = note->drows;
      for (const std::int32_t row : note->ids) {
        if (row >= first && row < last) terms[count++] = {row, p, place++, values};
        values += columns_;
      }
    }
  }
  const auto found = terms.first(count);
  std::ranges::sort(found, {}, [](const RowTerm& t) { return std::tuple(t.row, t.pass, t.place); });
  return found;
}

// Adds terms of one row, from at most so many passes one after the other, to `out`, which is zero.
void WeightGradientSum::sum_rows(std::span<const RowTerm> terms, int passes, std::span<Real> partial_sums,
                                 Real* out) const {
  if (passes == 1) {
    for (const RowTerm& term : terms) add(term.values, columns_, out);
    return;
  }
  const int half = passes / 2;
  const auto middle = std::ranges::partition_point(terms, [&](const RowTerm& t) { return t.pass % passes < half; });
  const std::span<const RowTerm> left(terms.begin(), middle), right(middle, terms.end());
  const auto rest = partial_sums.subspan(as_size(columns_));
  if (!left.empty()) sum_rows(left, half, rest, out);
  if (right.empty()) return;
  std::fill_n(partial_sums.data(), columns_, Real(0));
  sum_rows(right, half, rest, partial_sums.data());
  add(partial_sums.data(), columns_, out);
}

}  // namespace fovea
