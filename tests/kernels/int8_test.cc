#include "kernels/int8.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "kernels/kernel_test.h"

namespace fovea::kernels::int8_test {
namespace {

constexpr Real nan = std::numeric_limits<Real>::quiet_NaN();

// One that owns its memory, filled with what no packing leaves.
struct Packed8 {
  Packed8(int rows, int columns)
      : inner(rows), values(packed_size(even(inner), columns), 99), scales(packed_size(1, columns), -1) {
    matrix = {values.data(), scales.data(), columns};
  }
  Packed8(const Packed8&) = delete;
  int value(int k, int c) const {
    return values[(c / panel_width * even(inner) / 2 + k / 2) * panel_width * 2 + c % panel_width * 2 + k % 2];
  }

  int inner;
  std::vector<std::int8_t> values;
  std::vector<float> scales;
  Int8Matrix matrix;
};

class Int8Kernels : public KernelTest {
 protected:
  static Buffer product(const Buffer& left, int rows, int inner, const Packed8& right, Start start, const Real* bias,
                        const Buffer& first) {
    Buffer out = first;
    std::vector<std::int16_t> workspace(int8_workspace(rows, inner) + 1, 77);
    multiply({left.data(), rows, inner, inner}, right.matrix, out.data(), right.matrix.columns, start, bias,
             workspace.data());
    EXPECT_EQ(workspace.back(), 77) << "written beyond the workspace";
    return out;
  }
};
INSTANTIATE_TEST_SUITE_P(Kernels, Int8Kernels, testing::ValuesIn(tested_instruction_sets()), instruction_set_name);

// Nearest whole numbers, of two the even one: the rounding that std::nearbyint does, too.
int rounded(Real x, float largest, int limit) {
  return static_cast<int>(std::nearbyint(static_cast<float>(x) * (static_cast<float>(limit) / largest)));
}
float largest_of(const std::vector<Real>& values) {
  float largest = 0;
  for (const Real x : values) largest = std::max(largest, std::abs(static_cast<float>(x)));
  return largest;
}

struct Int8Shape {
  int rows;
  int inner;
  int columns;
  std::string text() const { return fmt::format("{} x {} x {}", rows, inner, columns); }
};

std::vector<Int8Shape> int8_shapes() {
  std::vector<Int8Shape> shapes = {{0, 5, 7},     {3, 0, 7},     {3, 5, 0},   {1, 1, 1},
                                   {97, 321, 33}, {200, 41, 17}, {2, 700, 15}};
  for (int n = 1; n <= 20; ++n) shapes.push_back({n, 7, 35});
  for (const int n : odd_sizes()) {
    shapes.push_back({1, 7, n});
    shapes.push_back({5, n, 19});
    shapes.push_back({5, 7, n});
  }
  return shapes;
}

TEST_P(Int8Kernels, PacksColumnsWithTheirScales) {
  for (const auto& [rows, inner, columns] : int8_shapes()) {
    const int stride = columns + 3;
    const Buffer matrix(inner * stride, "matrix");
    Buffer turned(inner * columns, Real(0));
    for (int k = 0; k < inner; ++k) {
      for (int c = 0; c < columns; ++c) turned[c * inner + k] = matrix[k * stride + c];
    }
    Packed8 packed(inner, columns), transposed(inner, columns);
    pack(matrix.data(), stride, inner, false, packed.matrix);
    pack(turned.data(), inner, inner, true, transposed.matrix);
    EXPECT_EQ(packed.values, transposed.values);
    EXPECT_EQ(packed.scales, transposed.scales);
    for (int c = 0; c < static_cast<int>(packed.scales.size()); ++c) {
      std::vector<Real> column;
      for (int k = 0; k < inner && c < columns; ++k) column.push_back(matrix[k * stride + c]);
      const float largest = largest_of(column);
      ASSERT_EQ(packed.scales[c], largest / 127);
      for (int k = 0; k < even(inner); ++k) {
        const bool inside = k < inner && c < columns;
        ASSERT_EQ(packed.value(k, c), inside ? rounded(column[k], largest, 127) : 0) << k << ", " << c;
      }
    }
  }
}

// To the bit: whole numbers are exact, and the last steps are the same everywhere.
TEST_P(Int8Kernels, MultiplyIsThatOfPlainLoops) {
  enum class From { zero, bias, kept };
  for (const Int8Shape& s : int8_shapes()) {
    const Buffer left(s.rows * s.inner, "left", 3), matrix(s.inner * s.columns, "matrix"), bias(s.columns, "bias");
    const Buffer first(s.rows * s.columns, "first");
    Packed8 right(s.inner, s.columns);
    pack(matrix.data(), s.columns, s.inner, false, right.matrix);
    for (const From from : {From::zero, From::bias, From::kept}) {
      const Buffer out = product(left, s.rows, s.inner, right, from == From::kept ? Start::keep : Start::zero,
                                 from == From::bias ? bias.data() : nullptr, first);
      for (int r = 0; r < s.rows; ++r) {
        const std::vector<Real> row(left.data() + r * s.inner, left.data() + (r + 1) * s.inner);
        const float largest = largest_of(row);
        const int limit = left_limit(s.inner);
        for (int c = 0; c < s.columns; ++c) {
          std::int64_t sum = 0;
          for (int k = 0; k < s.inner; ++k) sum += rounded(row[k], largest, limit) * right.value(k, c);
          const Real start = from == From::zero ? Real(0) : from == From::bias ? bias[c] : first[r * s.columns + c];
          const Real expected =
              start + static_cast<float>(sum) * (largest / static_cast<float>(limit)) * right.scales[c];
          ASSERT_EQ(out[r * s.columns + c], expected) << s.text() << " at " << r << ", " << c;
        }
      }
    }
  }
}

// The largest numbers everywhere: sums come as near to 2^31 as they can.
TEST_P(Int8Kernels, TheLargestSumsStayExact) {
  for (const int inner : {2, 515, 516, 517, 518, 2048, 20'000}) {
    Packed8 right(inner, 1);
    const Buffer ones(inner, Real(1));
    pack(ones.data(), 1, inner, false, right.matrix);
    for (const Real sign : {Real(1), Real(-1)}) {
      const Buffer out = product(Buffer(inner, sign), 1, inner, right, Start::zero, nullptr, Buffer(1, Real(0)));
      EXPECT_NEAR(out[0], sign * inner, 1e-6 * inner);
    }
  }
}

TEST_P(Int8Kernels, ARowHasTheSameBitsAloneAndAmongOthers) {
  constexpr int rows = 200;
  for (const auto& size : {std::pair(1, 1), {7, 5}, {64, 48}, {321, 17}, {128, 100}, {33, 65}}) {
    const int inner = size.first, columns = size.second;
    const Buffer left(rows * inner, "left"), matrix(inner * columns, "matrix"), bias(columns, "bias");
    Packed8 right(inner, columns);
    pack(matrix.data(), columns, inner, false, right.matrix);
    const auto part = [&](int first, int count) {
      const Buffer some(std::vector<Real>(left.data() + first * inner, left.data() + (first + count) * inner));
      return product(some, count, inner, right, Start::zero, bias.data(), Buffer(count * columns, Real(0))).values();
    };
    const std::vector<Real> all = part(0, rows);
    const auto expect_same_bits = [&](int first, int count) {
      const std::vector<Real> found = part(first, count);
      EXPECT_EQ(std::memcmp(found.data(), all.data() + first * columns, sizeof(Real) * found.size()), 0)
          << count << " rows from " << first << ", inner " << inner << ", columns " << columns;
    };
    for (int r = 0; r < rows; r += 7) expect_same_bits(r, 1);
    for (const int count : {2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 17, 64, 95, 96, 97, 199}) {
      expect_same_bits(0, count);
      expect_same_bits(rows - count, count);
    }
  }
}

TEST_P(Int8Kernels, TinyHugeAndNoNumbers) {
  constexpr int inner = 5, columns = 3;
  const auto one = [&](Real x, Real w) {  // a product of x, 0, 0, 0, 1 with a first column w, 0, 0, 0, 1
    Buffer left(inner, Real(0)), matrix(inner * columns, Real(1));
    left[0] = x;
    left[4] = 1;
    for (int k = 0; k < 4; ++k) matrix[k * columns] = k == 0 ? w : Real(0);
    Packed8 right(inner, columns);
    pack(matrix.data(), columns, inner, false, right.matrix);
    return product(left, 1, inner, right, Start::zero, nullptr, Buffer(columns, Real(0))).values();
  };
  EXPECT_NEAR(one(1, 1)[0], 2, 1e-6);
  EXPECT_NEAR(one(Real(1e30), 1)[0], 1e30, 1e25);
  EXPECT_NEAR(one(Real(1e-30), 1)[0], 1, 1e-6);
  EXPECT_NEAR(one(1, Real(1e30))[0], 1e30, 1e25);
  for (const Real bad : {nan, infinity, -infinity}) {
    for (const Real y : one(bad, 1)) EXPECT_TRUE(std::isnan(y)) << "of a row with " << bad;
    const std::vector<Real> by_column = one(1, bad);
    EXPECT_TRUE(std::isnan(by_column[0])) << "of a column with " << bad;
    EXPECT_NEAR(by_column[1], 2, 1e-6);
  }
  // Nothing but zeros, or less than floats can scale: the product is what it starts with.
  Packed8 right(inner, columns);
  for (const Real size : {Real(0), Real(1e-40)}) {
    pack(Buffer(inner * columns, Real(1)).data(), columns, inner, false, right.matrix);
    EXPECT_EQ(product(Buffer(inner, size), 1, inner, right, Start::keep, nullptr, Buffer(columns, Real(7)))[1], 7);
    pack(Buffer(inner * columns, size).data(), columns, inner, false, right.matrix);
    EXPECT_EQ(product(Buffer(inner, Real(1)), 1, inner, right, Start::keep, nullptr, Buffer(columns, Real(7)))[1], 7);
  }
}

}  // namespace
}  // namespace fovea::kernels::int8_test
