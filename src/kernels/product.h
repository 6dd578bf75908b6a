// Matrix products. All matrices are row-major with a stride between rows.
//
// `multiply` works on a right side packed once into panels. Every element is one chain of fused multiply-adds in the
// order of the inner index, whatever the number of rows, so a row of the result has the same bits alone and among
// others. (oneDNN 2.6 does not give that with AVX2, is half as fast for 16 rows, and its first call costs 35 ms of code
// generation.) `add_transposed_product` serves weight gradients: one large product by oneDNN, plain loops in the double
// build.
#pragma once

#include <cstddef>

#include "base/real.h"

namespace fovea::kernels {

inline constexpr int panel_width = 16;

constexpr std::size_t packed_size(int inner, int columns) {
  return static_cast<std::size_t>(inner) * static_cast<std::size_t>((columns + panel_width - 1) / panel_width) *
         panel_width;
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

// out [left.columns, right.columns] += left' * right, summed over the rows.
void add_transposed_product(Rows left, Rows right, Real* out, std::ptrdiff_t out_stride);

}  // namespace fovea::kernels
