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

// out [rows, 16 panels] = start + left [rows, inner] * panels [inner, 16] side by side. The start is one row for all,
// or, without one, what `out` holds.
template <int rows, int panels>
HWY_INLINE void multiply_block(Left left, int inner, const Real* HWY_RESTRICT panel, std::ptrdiff_t panel_stride,
                               const Real* HWY_RESTRICT start, Real* HWY_RESTRICT out, std::ptrdiff_t out_stride) {
  const Tag d;
  constexpr int width = panels * vectors;
  Vector sum[rows][width];
  for (int r = 0; r < rows; ++r) {
    const Real* from = start ? start : out + r * out_stride;
    for (int v = 0; v < width; ++v) sum[r][v] = hn::LoadU(d, from + v * lanes);
  }
  const Real* HWY_RESTRICT a = left.data;
  for (int k = 0; k < inner; ++k, panel += panel_width, a += left.inner_stride) {
    Vector right[width];
    for (int p = 0; p < panels; ++p) {
      for (int v = 0; v < vectors; ++v) right[p * vectors + v] = hn::LoadU(d, panel + p * panel_stride + v * lanes);
    }
    for (int r = 0; r < rows; ++r) {
      const Vector x = hn::Set(d, a[r * left.row_stride]);
      for (int v = 0; v < width; ++v) sum[r][v] = hn::MulAdd(x, right[v], sum[r][v]);
    }
  }
  for (int r = 0; r < rows; ++r) {
    for (int v = 0; v < width; ++v) hn::StoreU(sum[r][v], d, out + r * out_stride + v * lanes);
  }
}

template <int rows>
void multiply_rows(int count, Left left, int inner, const Real* panel, const Real* start, Real* out,
                   std::ptrdiff_t out_stride) {
  if constexpr (rows > 0) {
    if (count == rows) return multiply_block<rows, 1>(left, inner, panel, 0, start, out, out_stride);
    multiply_rows<rows - 1>(count, left, inner, panel, start, out, out_stride);
  }
}

// A row or two leave most registers idle while each sum waits for the one before: then several panels go side by side.
constexpr int few_rows = 2;
constexpr int wide_panels = std::clamp(8 / vectors, 1, 4);

void multiply_wide(int rows, Left left, int inner, const Real* panel, std::ptrdiff_t panel_stride, const Real* start,
                   Real* out, std::ptrdiff_t out_stride) {
  if (rows == 1) return multiply_block<1, wide_panels>(left, inner, panel, panel_stride, start, out, out_stride);
  constexpr int panels = std::max(1, wide_panels / 2);
  for (int p = 0; p < wide_panels; p += panels) {
    multiply_block<2, panels>(left, inner, panel + p * panel_stride, panel_stride,
                              start ? start + p * panel_width : nullptr, out + p * panel_width, out_stride);
  }
}

struct Panel {
  const Real* data;   // [inner, 16]
  int columns;        // of the 16
  const Real* start;  // [16], or none
};

// One panel against a group of rows, in blocks of nearly equal height. A panel cut short by the matrix's edge works in
// a buffer of its own.
void multiply_panel(Left left, int rows, int inner, const Panel& panel, Real* out, std::ptrdiff_t out_stride) {
  alignas(64) Real edge[row_block * panel_width];
  for (int r = 0, blocks = (rows + row_block - 1) / row_block; blocks > 0; --blocks) {
    const int count = (rows - r + blocks - 1) / blocks;
    const Left block = {left.data + r * left.row_stride, left.row_stride, left.inner_stride};
    Real* HWY_RESTRICT to = out + r * out_stride;
    r += count;
    if (panel.columns == panel_width) {
      multiply_rows<row_block>(count, block, inner, panel.data, panel.start, to, out_stride);
      continue;
    }
    for (int i = 0; i < count && !panel.start; ++i) {
      for (int c = 0; c < panel_width; ++c) {
        edge[i * panel_width + c] = c < panel.columns ? to[i * out_stride + c] : Real(0);
      }
    }
    multiply_rows<row_block>(count, block, inner, panel.data, panel.start, edge, panel_width);
    for (int i = 0; i < count; ++i) {
      for (int c = 0; c < panel.columns; ++c) to[i * out_stride + c] = edge[i * panel_width + c];
    }
  }
}

// The inner index is cut so that a piece of a panel stays in the first-level cache; the chain of each element goes on
// from the stored value, so the cut changes no bit.
constexpr int inner_group = 320;

void multiply(Rows left, const Real* packed, int columns, Real* out, std::ptrdiff_t out_stride, Start start,
              const Real* bias) {
  constexpr int wide = wide_panels * panel_width;
  alignas(64) Real first[wide];
  const std::ptrdiff_t panel_stride = std::ptrdiff_t(left.columns) * panel_width;
  for (int k = 0; k == 0 || k < left.columns; k += inner_group) {
    const int depth = std::min(left.columns - k, inner_group);
    for (int r = 0; r < left.rows; r += row_group) {
      const int group = std::min(left.rows - r, row_group);
      const Left part = {left.data + r * left.stride + k, left.stride, 1};
      for (int c = 0; c < columns;) {
        const bool goes_wide = group <= few_rows && columns - c >= wide;
        const int width = goes_wide ? wide : std::min(columns - c, panel_width);
        const Real* panel = packed + c / panel_width * panel_stride + std::ptrdiff_t(k) * panel_width;
        const Real* from = nullptr;
        if (k == 0 && start == Start::zero) {
          for (int i = 0; i < wide; ++i) first[i] = bias && i < width ? bias[c + i] : Real(0);
          from = first;
        }
        Real* to = out + r * out_stride + c;
        if (goes_wide) {
          multiply_wide(group, part, depth, panel, panel_stride, from, to, out_stride);
        } else {
          multiply_panel(part, group, depth, {panel, width, from}, to, out_stride);
        }
        c += width;
      }
    }
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {

HWY_EXPORT(multiply);

void pack(const Real* matrix, std::ptrdiff_t stride, int inner, int columns, bool transposed, Real* packed) {
  const auto pack_row = [&](int c, int k) {
    const int width = std::min(columns - c, panel_width);
    Real* row = packed + std::ptrdiff_t(c) * inner + std::ptrdiff_t(k) * panel_width;
    if (!transposed) {
      std::copy_n(matrix + k * stride + c, width, row);
    } else {
      for (int i = 0; i < width; ++i) row[i] = matrix[(c + i) * stride + k];
    }
    std::fill(row + width, row + panel_width, Real(0));
  };
  // Along the matrix's rows, which lie in one piece, over as many panels as there are pages the processor keeps at
  // hand.
  constexpr int panels_at_once = 32;
  const int step = transposed ? panel_width : panels_at_once * panel_width;
  for (int start = 0; start < columns; start += step) {
    for (int k = 0; k < inner; ++k) {
      for (int c = start; c < std::min(columns, start + step); c += panel_width) pack_row(c, k);
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
  const dnnl_status_t status = dnnl_sgemm('T', 'N', left.columns, right.columns, left.rows, 1.0f, left.data,
                                          left.stride, right.data, right.stride, 1.0f, out, out_stride);
  check(status == dnnl_success, "oneDNN refused a product of {} x {} x {} (status {})", left.columns, left.rows,
        right.columns, static_cast<int>(status));
}
#endif

}  // namespace fovea::kernels
#endif
