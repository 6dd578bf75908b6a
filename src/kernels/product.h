// Matrix products. All matrices are row-major with a stride between rows.
//
// Every element of a result is one chain of fused multiply-adds in the order of the inner index, whatever the number of
// rows and however the work is cut, so a row of the result has the same bits alone and among others. `multiply` works
// on a right side packed once into panels; `transposed_product`, which serves weight gradients, packs as it goes.
#pragma once

#include <cstddef>
#include <span>

#include "base/as_size.h"
#include "base/real.h"

namespace fovea::kernels {

inline constexpr int panel_width = 16;

constexpr std::size_t packed_size(int inner, int columns) {
  return as_size(inner) * as_size((columns + panel_width - 1) / panel_width) * panel_width;
}

struct Rows {
  const Real* data = nullptr;
  int rows = 0;
  int columns = 0;
  std::ptrdiff_t stride = 0;
};

// packed [columns / 16 panels][inner][16] from matrix [inner, columns]; with `transposed` from a matrix [columns,
// inner].
void pack(const Real* matrix, std::ptrdiff_t stride, int inner, int columns, bool transposed, Real* packed);

enum class Start { zero, keep };

// out [left.rows, columns] = (out or bias or zero) + left [rows, inner] * packed [inner, columns]
void multiply(Rows left, const Real* packed, int columns, Real* out, std::ptrdiff_t out_stride, Start start,
              const Real* bias = nullptr);

// Rows of two matrices that belong together.
struct RowPair {
  const Real* left = nullptr;   // [rows, left columns]
  const Real* right = nullptr;  // [rows, right columns]
  int rows = 0;
};

struct RowPairs {
  std::span<const RowPair> pairs;  // in the order of summation
  int left_columns = 0;
  int right_columns = 0;
};

// Part of a matrix.
struct Rectangle {
  int row = 0;
  int rows = 0;
  int column = 0;
  int columns = 0;
};

inline constexpr std::size_t transposed_product_room = 256 * (264 + 256);

// out [part.rows, part.columns] = (out or zero) + the part of left' * right, [left columns, right columns] summed over
// all rows. Works in `room`.
void transposed_product(const RowPairs& rows, Rectangle part, Real* out, std::ptrdiff_t out_stride, Start start,
                        std::span<Real> room);

}  // namespace fovea::kernels
