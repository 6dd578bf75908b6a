#include "kernels/int8.h"

#include <bit>
#include <cmath>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/int8.cc"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Sums = hn::CappedTag<std::int32_t, panel_width>;
using Pairs = hn::Repartition<std::int16_t, Sums>;
constexpr int lanes = static_cast<int>(hn::MaxLanes(Sums()));
constexpr int vectors = panel_width / lanes;  // of one panel row
// Rows worked on together: their sums stay in registers beside one panel row, one broadcast and two products.
constexpr int registers = HWY_TARGET <= HWY_AVX3 ? 32 : 16;
constexpr int row_block = std::clamp((registers - vectors - 3) / vectors, 1, 12);
// A single row leaves most of them idle: several panels then share a broadcast.
constexpr int wide_panels = std::max(1, 4 / vectors);

struct Left {
  const std::int16_t* data;
  int stride;  // the inner size, made even
};

// sums [rows, 16 panels] = left * panels [inner / 2, 16, 2] side by side
#if HWY_TARGET == HWY_SCALAR
template <int rows, int panels>
HWY_INLINE void sum_block(Left left, const std::int8_t* panel, std::int32_t* HWY_RESTRICT sums) {
  std::fill_n(sums, rows * panels * panel_width, 0);
  for (int p = 0; p < panels; ++p) {
    for (int k = 0; k < left.stride; k += 2, panel += 2 * panel_width) {
      for (int r = 0; r < rows; ++r) {
        const std::int16_t* x = left.data + r * left.stride + k;
        std::int32_t* sum = sums + (r * panels + p) * panel_width;
        for (int c = 0; c < panel_width; ++c) sum[c] += x[0] * panel[2 * c] + x[1] * panel[2 * c + 1];
      }
    }
  }
}
#else
// a[2 i] b[2 i] + a[2 i + 1] b[2 i + 1]
HWY_INLINE hn::Vec<Sums> broadcast_multiply(hn::Vec<Pairs> a, hn::Vec<Pairs> b) {
  const Sums d;
  hn::Vec<Sums> other = hn::Zero(d);
  const auto sum = hn::ReorderWidenMulAccumulate(d, a, b, hn::Zero(d), other);
  return hn::RearrangeToOddPlusEven(sum, other);
}

template <int rows, int panels>
HWY_INLINE void sum_block(Left left, const std::int8_t* HWY_RESTRICT panel, std::int32_t* HWY_RESTRICT sums) {
  const Sums d;
  const Pairs d16;
  const hn::Rebind<std::int8_t, Pairs> d8;
  constexpr int width = panels * vectors;
  const std::ptrdiff_t panel_stride = std::ptrdiff_t(left.stride) * panel_width;
  hn::Vec<Sums> sum[rows][width];
  for (int r = 0; r < rows; ++r) {
    for (int v = 0; v < width; ++v) sum[r][v] = hn::Zero(d);
  }
  for (int k = 0; k < left.stride; k += 2, panel += 2 * panel_width) {
    hn::Vec<Pairs> right[width];
    for (int p = 0; p < panels; ++p) {
      for (int v = 0; v < vectors; ++v) {
        right[p * vectors + v] = hn::PromoteTo(d16, hn::LoadU(d8, panel + p * panel_stride + v * 2 * lanes));
      }
    }
    for (int r = 0; r < rows; ++r) {
      std::int32_t pair;
      std::memcpy(&pair, left.data + r * left.stride + k, sizeof pair);
      const auto x = hn::BitCast(d16, hn::Set(d, pair));
      for (int v = 0; v < width; ++v) sum[r][v] = hn::Add(sum[r][v], broadcast_multiply(x, right[v]));
    }
  }
  // Unrolled by order: where g++ leaves a loop here, the sums live in memory all along.
#pragma GCC unroll 16
  for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 16
    for (int v = 0; v < width; ++v) hn::StoreU(sum[r][v], d, sums + (r * width + v) * lanes);
  }
}
#endif

// Not inlined: where g++ sees what becomes of the sums, it keeps two copies of each and runs out of registers.
template <int rows>
HWY_NOINLINE void sum_rows(int count, Left left, const std::int8_t* panel, std::int32_t* sums) {
  if constexpr (rows > 0) {
    if (count == rows) return sum_block<rows, 1>(left, panel, sums);
    sum_rows<rows - 1>(count, left, panel, sums);
  }
}

// out = start + sums * scales. Products and sums are not fused: the same bits with every instruction set.
void add_scaled(const std::int32_t* sums, float row_scale, const float* column_scales, int count, const Real* start,
                Real* out) {
  int i = 0;
#ifndef FOVEA_DOUBLE
  const Sums d;
  const hn::Rebind<float, Sums> df;
  for (; i + lanes <= count; i += lanes) {
    const auto row = hn::Mul(hn::ConvertTo(df, hn::LoadU(d, sums + i)), hn::Set(df, row_scale));
    const auto scaled = hn::Mul(row, hn::LoadU(df, column_scales + i));
    hn::StoreU(hn::Add(hn::LoadU(df, start + i), scaled), df, out + i);
  }
#endif
  for (; i < count; ++i) out[i] = start[i] + static_cast<float>(sums[i]) * row_scale * column_scales[i];
}

// What whole numbers up to `limit` are multiplied with to give values up to the largest, and the other way round. Where
// that is no number, all are zero; a scale that is not finite then makes all products NaN.
struct Scale {
  float down;
  float up;
};
Scale scale_for(std::int32_t largest_bits, int limit) {
  const float largest = std::bit_cast<float>(largest_bits);
  const float up = static_cast<float>(limit) / largest;
  return {largest / static_cast<float>(limit), std::isfinite(up) ? up : 0.0f};
}

// Without the sign a float's bits are ordered as their values are, infinity and NaN above all.
HWY_INLINE std::int32_t size_bits(Real x) { return std::bit_cast<std::int32_t>(static_cast<float>(x)) & 0x7fffffff; }

// The nearest whole number, the even one of two: beyond 2^23 floats have no others. |x| < 2^22.
HWY_INLINE std::int32_t nearest(float x) {
  constexpr float shift = 12582912;
  return std::bit_cast<std::int32_t>(x + shift) - std::bit_cast<std::int32_t>(shift);
}

float round_row(const Real* HWY_RESTRICT x, int count, std::int16_t* HWY_RESTRICT out) {
  std::int32_t largest = 0;
  for (int i = 0; i < count; ++i) largest = std::max(largest, size_bits(x[i]));
  const Scale scale = scale_for(largest, left_limit(count));
  if (scale.up == 0) {
    std::fill_n(out, even(count), 0);
    return scale.down;
  }
  for (int i = 0; i < count; ++i) out[i] = static_cast<std::int16_t>(nearest(static_cast<float>(x[i]) * scale.up));
  if (count % 2) out[count] = 0;
  return scale.down;
}

void multiply(Rows left, const Int8Matrix& right, Real* out, std::ptrdiff_t out_stride, Start start, const Real* bias,
              std::int16_t* workspace) {
  constexpr int wide = wide_panels * panel_width;
  alignas(64) std::int32_t sums[std::max(row_block * panel_width, wide)];
  constexpr Real zeros[wide] = {};
  float scales[int8_row_group];
  const int stride = even(left.columns);
  for (int first = 0; first < left.rows; first += int8_row_group) {
    const int group = std::min(left.rows - first, int8_row_group);
    for (int r = 0; r < group; ++r) {
      const Real* row = left.data + (first + r) * left.stride;
      scales[r] = round_row(row, left.columns, workspace + std::ptrdiff_t(r) * stride);
    }
    for (int c = 0, width; c < right.columns; c += width) {
      const bool goes_wide = group == 1 && right.columns - c >= wide;
      width = goes_wide ? wide : std::min(right.columns - c, panel_width);
      const std::int8_t* panel = right.values + std::ptrdiff_t(c) * stride;
      // In blocks of nearly equal height.
      for (int r = 0, blocks = (group + row_block - 1) / row_block; blocks > 0; --blocks) {
        const int count = (group - r + blocks - 1) / blocks;
        const Left block = {workspace + std::ptrdiff_t(r) * stride, stride};
        goes_wide ? sum_block<1, wide_panels>(block, panel, sums) : sum_rows<row_block>(count, block, panel, sums);
        for (int i = 0; i < count; ++i, ++r) {
          Real* to = out + (first + r) * out_stride + c;
          const Real* from = start == Start::keep ? to : bias ? bias + c : zeros;
          add_scaled(sums + i * panel_width, scales[r], right.scales + c, width, from, to);
        }
      }
    }
  }
}

void pack(const Real* matrix, std::ptrdiff_t stride, int inner, bool transposed, const Int8Matrix& packed) {
  const std::ptrdiff_t along = transposed ? 1 : stride, across = transposed ? stride : 1;
  std::int8_t* to = packed.values;
  for (int start = 0; start < packed.columns; start += panel_width) {
    const int width = std::min(packed.columns - start, panel_width);
    const Real* from = matrix + start * across;
    std::int32_t largest[panel_width] = {};
    for (int k = 0; k < inner; ++k) {
      for (int c = 0; c < width; ++c) largest[c] = std::max(largest[c], size_bits(from[k * along + c * across]));
    }
    float up[panel_width];
    for (int c = 0; c < panel_width; ++c) {
      const Scale scale = scale_for(largest[c], int8_limit);
      packed.scales[start + c] = scale.down;
      up[c] = scale.up;
    }
    for (int k = 0; k < even(inner); k += 2) {
      for (int c = 0; c < panel_width; ++c) {
        for (int i = k; i < k + 2; ++i) {
          const bool zero = i == inner || up[c] == 0;
          *to++ =
              static_cast<std::int8_t>(zero ? 0 : nearest(static_cast<float>(from[i * along + c * across]) * up[c]));
        }
      }
    }
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {

HWY_EXPORT(multiply);
HWY_EXPORT(pack);

void pack(const Real* matrix, std::ptrdiff_t stride, int inner, bool transposed, const Int8Matrix& packed) {
  HWY_DYNAMIC_DISPATCH(pack)(matrix, stride, inner, transposed, packed);
}

void multiply(Rows left, const Int8Matrix& right, Real* out, std::ptrdiff_t out_stride, Start start, const Real* bias,
              std::int16_t* workspace) {
  HWY_DYNAMIC_DISPATCH(multiply)(left, right, out, out_stride, start, bias, workspace);
}

}  // namespace fovea::kernels
#endif
