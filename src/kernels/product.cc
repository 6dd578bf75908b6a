#include "kernels/product.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/product.cc"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>
#ifndef FOVEA_DOUBLE
#include <dnnl.h>
#include <omp.h>
#endif

#include "base/error.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<Real, panel_width>;
using Vector = hn::Vec<Tag>;
constexpr int lanes = static_cast<int>(hn::MaxLanes(Tag()));
constexpr int vectors = panel_width / lanes;  // of one panel row
// Rows worked on together: as many accumulators as the register file holds beside one panel row and one broadcast.
constexpr int registers = HWY_TARGET <= HWY_AVX3 ? 32 : 16;
constexpr int row_block = std::clamp((registers - vectors - 1) / vectors, 1, 12);
// Rows whose left side stays in the second-level cache while all panels pass by.
constexpr int row_group = row_block * (96 / row_block);

struct Left {
  const Real* data;
  std::ptrdiff_t row_stride;
  std::ptrdiff_t inner_stride;
};

// out [rows, 16] (+)= left [rows, inner] * panel [inner, 16]; `out` holds the start value.
template <int rows>
HWY_INLINE void multiply_block(Left left, int inner, const Real* HWY_RESTRICT panel, Real* HWY_RESTRICT out,
                               std::ptrdiff_t out_stride) {
  const Tag d;
  Vector sum[rows][vectors];
  for (int r = 0; r < rows; ++r) {
    for (int v = 0; v < vectors; ++v) sum[r][v] = hn::LoadU(d, out + r * out_stride + v * lanes);
  }
  const Real* HWY_RESTRICT a = left.data;
  for (int k = 0; k < inner; ++k, panel += panel_width, a += left.inner_stride) {
    Vector right[vectors];
    for (int v = 0; v < vectors; ++v) right[v] = hn::LoadU(d, panel + v * lanes);
    for (int r = 0; r < rows; ++r) {
      const Vector x = hn::Set(d, a[r * left.row_stride]);
      for (int v = 0; v < vectors; ++v) sum[r][v] = hn::MulAdd(x, right[v], sum[r][v]);
    }
  }
  for (int r = 0; r < rows; ++r) {
    for (int v = 0; v < vectors; ++v) hn::StoreU(sum[r][v], d, out + r * out_stride + v * lanes);
  }
}

template <int rows>
void multiply_rows(int count, Left left, int inner, const Real* panel, Real* out, std::ptrdiff_t out_stride) {
  if constexpr (rows > 0) {
    if (count == rows) return multiply_block<rows>(left, inner, panel, out, out_stride);
    multiply_rows<rows - 1>(count, left, inner, panel, out, out_stride);
  }
}

void fill_start(int rows, int columns, Real* out, std::ptrdiff_t out_stride, const Real* bias) {
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) out[r * out_stride + c] = bias ? bias[c] : Real(0);
  }
}

// One panel of up to 16 columns against a group of rows. A panel cut short by the matrix's edge works in a buffer of its own.
void multiply_panel(Left left, int rows, int inner, const Real* panel, int columns, Real* out,
                    std::ptrdiff_t out_stride) {
  alignas(64) Real edge[row_block * panel_width];
  for (int r = 0; r < rows; r += row_block) {
    const int count = rows - r < row_block ? rows - r : row_block;
    const Left block = {left.data + r * left.row_stride, left.row_stride, left.inner_stride};
    Real* HWY_RESTRICT to = out + r * out_stride;
    if (columns == panel_width) {
      multiply_rows<row_block>(count, block, inner, panel, to, out_stride);
      continue;
    }
    for (int i = 0; i < count; ++i) {
      for (int c = 0; c < panel_width; ++c) edge[i * panel_width + c] = c < columns ? to[i * out_stride + c] : Real(0);
    }
    multiply_rows<row_block>(count, block, inner, panel, edge, panel_width);
    for (int i = 0; i < count; ++i) {
      for (int c = 0; c < columns; ++c) to[i * out_stride + c] = edge[i * panel_width + c];
    }
  }
}

// The inner index is cut so that a piece of a panel stays in the first-level cache; the chain of each element goes on from
// the stored value, so the cut changes no bit.
constexpr int inner_group = 320;

void multiply_all(Left left, int rows, int inner, const Real* packed, int columns, Real* out,
                  std::ptrdiff_t out_stride) {
  for (int k = 0; k < inner; k += inner_group) {
    const int depth = inner - k < inner_group ? inner - k : inner_group;
    for (int r = 0; r < rows; r += row_group) {
      const int group = rows - r < row_group ? rows - r : row_group;
      const Left part = {left.data + r * left.row_stride + k * left.inner_stride, left.row_stride, left.inner_stride};
      for (int c = 0; c < columns; c += panel_width) {
        const int width = columns - c < panel_width ? columns - c : panel_width;
        const Real* panel = packed + static_cast<std::ptrdiff_t>(c) * inner + static_cast<std::ptrdiff_t>(k) * panel_width;
        multiply_panel(part, group, depth, panel, width, out + r * out_stride + c, out_stride);
      }
    }
  }
}

void multiply(Rows left, const Real* packed, int columns, Real* out, std::ptrdiff_t out_stride, Start start,
              const Real* bias) {
  if (start == Start::zero) fill_start(left.rows, columns, out, out_stride, bias);
  multiply_all({left.data, left.stride, 1}, left.rows, left.columns, packed, columns, out, out_stride);
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {

HWY_EXPORT(multiply);

void pack(const Real* matrix, std::ptrdiff_t stride, int inner, int columns, bool transposed, Real* packed) {
  for (int c = 0; c < columns; c += panel_width) {
    const int width = columns - c < panel_width ? columns - c : panel_width;
    for (int k = 0; k < inner; ++k, packed += panel_width) {
      for (int i = 0; i < panel_width; ++i) {
        packed[i] = i >= width ? Real(0) : transposed ? matrix[(c + i) * stride + k] : matrix[k * stride + c + i];
      }
    }
  }
}

void multiply(Rows left, const Real* packed, int columns, Real* out, std::ptrdiff_t out_stride, Start start,
              const Real* bias) {
  HWY_DYNAMIC_DISPATCH(multiply)(left, packed, columns, out, out_stride, start, bias);
}

#ifdef FOVEA_DOUBLE
void add_transposed_product(Rows left, Rows right, Real* out, std::ptrdiff_t out_stride) {
  for (int row = 0; row < left.rows; ++row) {
    for (int i = 0; i < left.columns; ++i) {
      const Real x = left.data[row * left.stride + i];
      for (int j = 0; j < right.columns; ++j) out[i * out_stride + j] += x * right.data[row * right.stride + j];
    }
  }
}
#else
void add_transposed_product(Rows left, Rows right, Real* out, std::ptrdiff_t out_stride) {
  if (left.rows == 0) return;
  thread_local const bool alone = (omp_set_num_threads(1), true);  // parallel over the batch, never inside a product
  static_cast<void>(alone);
  const dnnl_status_t status = dnnl_sgemm('T', 'N', left.columns, right.columns, left.rows, 1.0f, left.data, left.stride,
                                          right.data, right.stride, 1.0f, out, out_stride);
  check(status == dnnl_success, "oneDNN refused a product of {} x {} x {} (status {})", left.columns, left.rows,
        right.columns, static_cast<int>(status));
}
#endif

}  // namespace fovea::kernels
#endif
