// The gradient of a weight over several passes, such as the shards of a batch. While a pass runs backward it only notes
// which rows to multiply; the products are made when all passes are done, so that a weight's gradient is computed once,
// over all rows, and no pass has gradients of its own to clear and add up.
//
// The sum over passes is that of its two halves, and so on; within a pass it is one chain in the order of the notes. So
// its bits do not depend on who computes which part of it.
#pragma once

#include <cstdint>
#include <span>

#include "base/real.h"
#include "tensor/arena.h"
#include "tensor/shape.h"

namespace fovea {

// Rows of real numbers somewhere in an arena.
struct RowsView {
  const Real* data = nullptr;
  int rows = 0;
  int columns = 0;
};

// inputs' * doutputs
struct ProductNote {
  RowsView inputs;
  RowsView doutputs;
  const ProductNote* next = nullptr;
};

// Row i of drows belongs to row ids[i] of the weight.
struct RowsNote {
  std::span<const std::int32_t> ids;
  const Real* drows = nullptr;
  const RowsNote* next = nullptr;
};

// What one pass knows of a weight's gradient: the sum of all three.
struct WeightGradient {
  const Real* direct = nullptr;  // as large as the weight, or nothing
  const ProductNote* products = nullptr;
  const RowsNote* rows = nullptr;

  bool empty() const { return !direct && !products && !rows; }
};

// Memory to sum over so many passes in; for one thread.
struct GradientRoom {
  GradientRoom(Arena& arena, std::size_t passes);

  Arena& arena;
  std::span<Real> products;
  std::span<Real> partial_sums;
};

class WeightGradientSum {
 public:
  // As many passes as a power of two; some may know nothing.
  WeightGradientSum(Shape shape, std::span<const WeightGradient> passes);

  // Parts of the gradient that can be computed side by side.
  int parts() const { return parts_; }
  // Writes one part of the sum into the gradient, laid out like the weight.
  void compute(int part, const GradientRoom& room, Real* gradient) const;

 private:
  struct Tile;
  struct Place;
  struct RowTerm;
  bool only_rows() const;
  void sum_tile(const Tile& tile, std::span<const WeightGradient> passes, Place out) const;
  void fill_tile(const Tile& tile, const WeightGradient& pass, Place out) const;
  std::span<const RowTerm> row_terms(int first, int last, Arena& arena) const;
  void sum_rows(std::span<const RowTerm> terms, int passes, std::span<Real> partial_sums, Real* out) const;

  int rows_;
  int columns_;
  std::span<const WeightGradient> passes_;
  int parts_ = 0;
};

}  // namespace fovea
