// Matrix products in whole numbers, for prediction. The weights are a quarter as large as in float, and two products of
// 16-bit numbers take the time of one of floats.
//
// A column of the right side is stored as q * scale with q in -127 .. 127. A row of the left side is rounded as the
// product begins, to 16 bits, so that nearly all of the error is the weights'. Sums of whole numbers are exact in any
// order: a row has the same bits alone and among others, and with every instruction set.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/as_size.h"
#include "kernels/product.h"

namespace fovea::kernels {

inline constexpr int int8_limit = 127;

// The largest whole number on the left such that no sum leaves 32 bits: 127 * limit * inner < 2^31. Up to an inner size
// of 516 it is all that 16 bits hold, at 2048 still 8256.
constexpr int left_limit(int inner) {
  return static_cast<int>(std::min<std::int64_t>(32767, 0x7fffffff / (std::int64_t(int8_limit) * std::max(inner, 1))));
}

// Pairs of neighbours along the inner index are multiplied together; an odd one is followed by a zero.
constexpr int even(int inner) { return inner + inner % 2; }

struct Int8Matrix {
  std::int8_t* values = nullptr;  // [columns / 16 panels][inner / 2][16][2]: packed_size(even(inner), columns)
  float* scales = nullptr;        // [columns, filled up to whole panels]
  int columns = 0;
};

// Fills `packed` from matrix [inner, columns]; with `transposed` from a matrix [columns, inner].
void pack(const Real* matrix, std::ptrdiff_t stride, int inner, bool transposed, const Int8Matrix& packed);

// Rows of the left side that are held as whole numbers at a time.
inline constexpr int int8_row_group = 96;
constexpr std::size_t int8_workspace(int rows, int inner) {
  return as_size(std::min(rows, int8_row_group)) * as_size(even(inner));
}

// As `multiply` in product.h. A row or column that holds a NaN or an infinity gives NaN.
void multiply(Rows left, const Int8Matrix& right, Real* out, std::ptrdiff_t out_stride, Start start, const Real* bias,
              std::int16_t* workspace);

}  // namespace fovea::kernels
