#include "kernels/product.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "kernels/kernel_test.h"

namespace fovea::kernels::product_test {
namespace {

std::vector<Real> packed_form(const Buffer& matrix, int inner, int columns) {
  std::vector<Real> packed(packed_size(inner, columns), Real(-7));
  pack(matrix.data(), columns, inner, columns, false, packed.data());
  return packed;
}

TEST(Pack, PutsPanelsOneAfterTheOtherAndFillsTheLastWithZeros) {
  constexpr int inner = 3, columns = 18, stride = 20;
  const Buffer matrix(inner * stride, "matrix");
  std::vector<Real> packed(packed_size(inner, columns), Real(-7));
  pack(matrix.data(), stride, inner, columns, false, packed.data());
  ASSERT_EQ(packed.size(), 2u * inner * panel_width);
  for (int c = 0; c < 2 * panel_width; ++c) {
    for (int k = 0; k < inner; ++k) {
      const Real found = packed[(c / panel_width * inner + k) * panel_width + c % panel_width];
      EXPECT_EQ(found, c < columns ? matrix[k * stride + c] : Real(0)) << k << ", " << c;
    }
  }
}

TEST(Pack, OfTheTransposeIsTheSame) {
  constexpr int inner = 5, columns = 19;
  const Buffer matrix(inner * columns, "matrix");
  Buffer transposed(inner * columns, Real(0));
  for (int k = 0; k < inner; ++k) {
    for (int c = 0; c < columns; ++c) transposed[c * inner + k] = matrix[k * columns + c];
  }
  std::vector<Real> packed(packed_size(inner, columns));
  pack(transposed.data(), inner, inner, columns, true, packed.data());
  EXPECT_EQ(packed, packed_form(matrix, inner, columns));
}

class ProductKernels : public KernelTest {};
INSTANTIATE_TEST_SUITE_P(Kernels, ProductKernels, testing::ValuesIn(tested_instruction_sets()), instruction_set_name);

struct ProductShape {
  int rows;
  int inner;
  int columns;
  std::string text() const { return fmt::format("{} x {} x {}", rows, inner, columns); }
};

// Every odd size on each side in turn, and some that cross the edges of all blocks at once.
std::vector<ProductShape> product_shapes() {
  std::vector<ProductShape> shapes = {{0, 5, 7}, {3, 0, 7}, {1, 1, 1}, {97, 321, 33}, {200, 641, 17}, {2, 700, 15}};
  for (const int n : odd_sizes()) {
    shapes.push_back({n, 7, 19});
    shapes.push_back({5, n, 19});
    shapes.push_back({5, 7, n});
  }
  return shapes;
}

// Rows of the left side and of the result have gaps between them, which stay as they are.
TEST_P(ProductKernels, MultiplyIsThatOfDouble) {
  enum class From { zero, bias, kept };
  for (const ProductShape& s : product_shapes()) {
    const int left_stride = s.inner + 3, out_stride = s.columns + 2;
    const Buffer left(s.rows * left_stride, "left"), right(s.inner * s.columns, "right"), bias(s.columns, "bias");
    const Buffer start(s.rows * out_stride, "start");
    const std::vector<Real> packed = packed_form(right, s.inner, s.columns);
    for (const From from : {From::zero, From::bias, From::kept}) {
      Buffer out = start;
      multiply({left.data(), s.rows, s.inner, left_stride}, packed.data(), s.columns, out.data(), out_stride,
               from == From::kept ? Start::keep : Start::zero, from == From::bias ? bias.data() : nullptr);
      for (int r = 0; r < s.rows; ++r) {
        for (int c = 0; c < out_stride; ++c) {
          const Real first = start[r * out_stride + c], found = out[r * out_stride + c];
          if (c >= s.columns) {
            ASSERT_EQ(found, first) << "a gap was written to: " << s.text();
            continue;
          }
          double sum = from == From::zero ? 0 : from == From::bias ? bias[c] : first;
          double size = 1;
          for (int k = 0; k < s.inner; ++k) {
            const double term = double(left[r * left_stride + k]) * right[k * s.columns + c];
            sum += term;
            size += std::abs(term);
          }
          ASSERT_NEAR(found, sum, 4 * epsilon * size) << s.text() << " at " << r << ", " << c;
        }
      }
    }
  }
}

// A promise of the house: a line's answer does not depend on its batch mates.
TEST_P(ProductKernels, ARowHasTheSameBitsAloneAndAmongOthers) {
  constexpr int max_rows = 200;
  const std::vector<ProductShape> shapes = {{max_rows, 1, 1},    {max_rows, 7, 5},     {max_rows, 64, 48},
                                            {max_rows, 320, 16}, {max_rows, 321, 17},  {max_rows, 128, 100},
                                            {max_rows, 700, 33}, {max_rows, 1000, 15}, {max_rows, 33, 65}};
  for (const ProductShape& shape : shapes) {
    const int rows = shape.rows, inner = shape.inner, columns = shape.columns;
    const Buffer left(rows * inner, "left"), right(inner * columns, "right"), bias(columns, "bias");
    const std::vector<Real> packed = packed_form(right, inner, columns);
    const auto product = [&](int first, int count) {
      Buffer out(count * columns, Real(0));
      multiply({left.data() + first * inner, count, inner, inner}, packed.data(), columns, out.data(), columns,
               Start::zero, bias.data());
      return out;
    };
    const Buffer all = product(0, rows);
    const auto expect_same_bits = [&](int first, int count) {
      const Buffer part = product(first, count);
      EXPECT_EQ(std::memcmp(part.data(), all.data() + first * columns, sizeof(Real) * part.size()), 0)
          << count << " rows from " << first << ", inner " << inner << ", columns " << columns;
    };
    for (int r = 0; r < rows; r += 7) expect_same_bits(r, 1);
    for (const int count : {2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 16, 17, 31, 64, 95, 96, 97, 128, 199}) {
      expect_same_bits(0, count);
      expect_same_bits(rows - count, count);
    }
  }
}

// Rows come in pairs of stretches of various lengths, an empty one among them.
std::vector<RowPair> stretches(const Buffer& left, int left_columns, const Buffer& right, int right_columns, int rows) {
  std::vector<RowPair> pairs;
  for (int first = 0, length = 0; first < rows; first += length, length = length * 2 + 1) {
    pairs.push_back(
        {left.data() + first * left_columns, right.data() + first * right_columns, std::min(length, rows - first)});
  }
  return pairs;
}

TEST_P(ProductKernels, TransposedProductIsThatOfDouble) {
  std::vector<Real> room(transposed_product_room);
  for (const ProductShape& s : product_shapes()) {
    if (s.inner == 0) continue;  // no weight has an empty side
    const int out_stride = s.columns + 2;
    const Buffer left(s.rows * s.inner, "left"), right(s.rows * s.columns, "right");
    const Buffer before(s.inner * out_stride, "start");
    const auto pairs = stretches(left, s.inner, right, s.columns, s.rows);
    for (const Start start : {Start::zero, Start::keep}) {
      Buffer out = before;
      transposed_product({pairs, s.inner, s.columns}, {0, s.inner, 0, s.columns}, out.data(), out_stride, start, room);
      for (int i = 0; i < s.inner; ++i) {
        for (int j = 0; j < out_stride; ++j) {
          double sum = start == Start::keep || j >= s.columns ? before[i * out_stride + j] : Real(0);
          for (int r = 0; r < s.rows && j < s.columns; ++r)
            sum += double(left[r * s.inner + i]) * right[r * s.columns + j];
          ASSERT_NEAR(out[i * out_stride + j], sum, 4 * epsilon * (s.rows + 1)) << s.text() << " at " << i << ", " << j;
        }
      }
    }
  }
}

TEST_P(ProductKernels, APartOfATransposedProductHasTheBitsOfTheWhole) {
  constexpr int rows = 600, in = 300, columns = 270;
  const Buffer left(rows * in, "left"), right(rows * columns, "right");
  std::vector<Real> room(transposed_product_room);
  const auto pairs = stretches(left, in, right, columns, rows);
  Buffer whole(in * columns, Real(0));
  transposed_product({pairs, in, columns}, {0, in, 0, columns}, whole.data(), columns, Start::zero, room);
  const RowPair one_stretch = {left.data(), right.data(), rows};
  for (const Rectangle part : {Rectangle{0, 7, 0, 270}, {5, 290, 3, 1}, {299, 1, 17, 100}, {100, 65, 250, 20}}) {
    Buffer out(part.rows * part.columns, Real(-7));
    transposed_product({{&one_stretch, 1}, in, columns}, part, out.data(), part.columns, Start::zero, room);
    for (int i = 0; i < part.rows; ++i) {
      for (int j = 0; j < part.columns; ++j) {
        ASSERT_EQ(out[i * part.columns + j], whole[(part.row + i) * columns + part.column + j]) << i << ", " << j;
      }
    }
  }
}

}  // namespace
}  // namespace fovea::kernels::product_test
