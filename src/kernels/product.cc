#include "kernels/product.h"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/product.cc"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

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
// The size of pieces, all nearly alike, that are at most so large.
constexpr int even_share(int all, int most) {
  const int pieces = std::max(1, (all + most - 1) / most);
  return std::max(1, (all + pieces - 1) / pieces);
}

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
#pragma GCC unroll 16
  for (int r = 0; r < rows; ++r) {
    const Real* from = start ? start : out + r * out_stride;
#pragma GCC unroll 16
    for (int v = 0; v < width; ++v) sum[r][v] = hn::LoadU(d, from + v * lanes);
  }
  const Real* HWY_RESTRICT a = left.data;
  for (int k = 0; k < inner; ++k, panel += panel_width, a += left.inner_stride) {
    Vector right[width];
#pragma GCC unroll 16
    for (int p = 0; p < panels; ++p) {
#pragma GCC unroll 16
      for (int v = 0; v < vectors; ++v) right[p * vectors + v] = hn::LoadU(d, panel + p * panel_stride + v * lanes);
    }
#pragma GCC unroll 16
    for (int r = 0; r < rows; ++r) {
      const Vector x = hn::Set(d, a[r * left.row_stride]);
#pragma GCC unroll 16
      for (int v = 0; v < width; ++v) sum[r][v] = hn::MulAdd(x, right[v], sum[r][v]);
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 16
    for (int v = 0; v < width; ++v) hn::StoreU(sum[r][v], d, out + r * out_stride + v * lanes);
  }
}

struct Panel {
  const Real* data;  // [inner, 16], and one more of them for each further 16 columns
  std::ptrdiff_t stride;
  int columns;        // 16 times as many as go side by side, or fewer than 16
  const Real* start;  // [columns], or none
};

template <int rows, int panels>
void multiply_rows(int count, Left left, int inner, const Panel& panel, Real* out, std::ptrdiff_t out_stride) {
  if constexpr (rows > 0) {
    if (count == rows) {
      return multiply_block<rows, panels>(left, inner, panel.data, panel.stride, panel.start, out, out_stride);
    }
    multiply_rows<rows - 1, panels>(count, left, inner, panel, out, out_stride);
  }
}

// Where registers are left beside a block of rows, two panels share its broadcasts, of which there is else one for each
// multiply-add. One block alone waits for the matrix rather than for broadcasts, and reads it faster from one end to
// the other.
constexpr int paired_panels = 2 * row_block * vectors + 2 * vectors + 1 <= registers ? 2 : 1;
constexpr int paired = paired_panels * panel_width;

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

// A panel cut short by the matrix's edge works in a buffer of its own.
void multiply_block_rows(int rows, Left left, int inner, const Panel& panel, Real* HWY_RESTRICT out,
                         std::ptrdiff_t out_stride) {
  if (panel.columns == paired) {
    return multiply_rows<row_block, paired_panels>(rows, left, inner, panel, out, out_stride);
  }
  if (panel.columns == panel_width) return multiply_rows<row_block, 1>(rows, left, inner, panel, out, out_stride);
  alignas(64) Real edge[row_block * panel_width];
  for (int i = 0; i < rows && !panel.start; ++i) {
    for (int c = 0; c < panel_width; ++c) {
      edge[i * panel_width + c] = c < panel.columns ? out[i * out_stride + c] : Real(0);
    }
  }
  multiply_rows<row_block, 1>(rows, left, inner, panel, edge, panel_width);
  for (int i = 0; i < rows; ++i) {
    for (int c = 0; c < panel.columns; ++c) out[i * out_stride + c] = edge[i * panel_width + c];
  }
}

// How many of the columns that are left go together.
constexpr int columns_at_once(int left, int most) { return left >= most ? most : std::min(left, panel_width); }

// One panel, or two, against a group of rows, in blocks of nearly equal height.
void multiply_panel(Left left, int rows, int inner, const Panel& panel, Real* out, std::ptrdiff_t out_stride) {
  for (int r = 0, blocks = (rows + row_block - 1) / row_block; blocks > 0; --blocks) {
    const int count = (rows - r + blocks - 1) / blocks;
    multiply_block_rows(count, {left.data + r * left.row_stride, left.row_stride, left.inner_stride}, inner, panel,
                        out + r * out_stride, out_stride);
    r += count;
  }
}

// The inner index is cut so that a piece of a panel stays in the first-level cache while rows pass by, and rows are
// grouped so that their left side stays in the second-level cache while panels pass by. The chain of each element goes
// on from the stored value, so no cut changes a bit.
constexpr int panel_depth = 320;
constexpr int group_depth = 1024;
constexpr int group_size = 1 << 16;
constexpr int max_group_rows = 192;

void multiply(Rows left, const Real* packed, int columns, Real* out, std::ptrdiff_t out_stride, Start start,
              const Real* bias) {
  constexpr int wide = wide_panels * panel_width;
  alignas(64) Real first[std::max(wide, paired)];
  const std::ptrdiff_t panel_stride = std::ptrdiff_t(left.columns) * panel_width;
  const int depths = even_share(left.columns, group_depth), steps = even_share(depths, panel_depth);
  const int groups = even_share(left.rows, std::min(max_group_rows, group_size / depths));
  const auto multiply_piece = [&](int r, int rows, int c, int width, int k, int depth) {
    const Real* panel = packed + c / panel_width * panel_stride + std::ptrdiff_t(k) * panel_width;
    const Real* from = nullptr;
    if (k == 0 && start == Start::zero) {
      for (int i = 0; i < std::max(wide, paired); ++i) first[i] = bias && i < width ? bias[c + i] : Real(0);
      from = first;
    }
    const Left part = {left.data + r * left.stride + k, left.stride, 1};
    Real* to = out + r * out_stride + c;
    if (rows <= few_rows && width == wide) {
      multiply_wide(rows, part, depth, panel, panel_stride, from, to, out_stride);
    } else {
      multiply_panel(part, rows, depth, {panel, panel_stride, width, from}, to, out_stride);
    }
  };
  for (int k = 0; k == 0 || k < left.columns; k += depths) {
    const int end = std::min(left.columns, k + depths);
    for (int r = 0; r < left.rows; r += groups) {
      const int rows = std::min(left.rows - r, groups);
      const int together = rows <= few_rows ? wide : rows <= row_block ? panel_width : paired;
      for (int c = 0, width; c < columns; c += width) {
        width = columns_at_once(columns - c, together);
        for (int i = k; i == k || i < end; i += steps) multiply_piece(r, rows, c, width, i, std::min(end - i, steps));
      }
    }
  }
}

// A product over rows in pieces that stay in the second-level cache: so many rows at a time, for so large a part of the
// result.
constexpr int max_depth = 256;
constexpr int max_rows = 264;
constexpr int max_columns = 256;
static_assert(max_rows % row_block == 0 && max_depth * (max_rows + max_columns) <= transposed_product_room);

// Rows are packed a few at a time, so that what is written lies in one piece.
constexpr int rows_at_once = 8;

// Columns of rows into panels [columns / width][depth][width], from the rows' place on.
template <int width>
HWY_INLINE void pack_rows(const Real* const* rows, int count, int columns, std::ptrdiff_t panel_stride, Real* to) {
  for (int c = 0; c < columns; c += width, to += panel_stride) {
    const int rest = columns - c;
    for (int i = 0; i < count; ++i) {
      Real* HWY_RESTRICT panel_row = to + i * width;
      const Real* HWY_RESTRICT from = rows[i] + c;
      if (rest >= width) {
        std::memcpy(panel_row, from, width * sizeof(Real));
      } else {
        for (int j = 0; j < width; ++j) panel_row[j] = j < rest ? from[j] : Real(0);
      }
    }
  }
}

// Goes through rows of pairs, a few at a time.
class PairCursor {
 public:
  explicit PairCursor(const RowPairs& rows) : rows_(rows) {}

  // Packs up to max_depth rows of the part's columns on both sides; returns how many, 0 at the end.
  int pack_next(const Rectangle& part, Real* left, Real* right) {
    const int depth = next_depth();
    for (int k = 0; k < depth; k += rows_at_once) {
      const int count = std::min(rows_at_once, depth - k);
      const Real* left_rows[rows_at_once];
      const Real* right_rows[rows_at_once];
      for (int i = 0; i < count; ++i, ++row_) {
        while (row_ == rows_.pairs[pair_].rows) {
          ++pair_;
          row_ = 0;
        }
        left_rows[i] = rows_.pairs[pair_].left + std::ptrdiff_t(row_) * rows_.left_columns + part.row;
        right_rows[i] = rows_.pairs[pair_].right + std::ptrdiff_t(row_) * rows_.right_columns + part.column;
      }
      pack_rows<row_block>(left_rows, count, part.rows, std::ptrdiff_t(depth) * row_block, left + k * row_block);
      pack_rows<panel_width>(right_rows, count, part.columns, std::ptrdiff_t(depth) * panel_width,
                             right + k * panel_width);
    }
    return depth;
  }

 private:
  int next_depth() const {
    int left = -row_;
    for (std::size_t p = pair_; p < rows_.pairs.size() && left < max_depth; ++p) left += rows_.pairs[p].rows;
    return std::min(left, max_depth);
  }

  const RowPairs& rows_;
  std::size_t pair_ = 0;
  int row_ = 0;
};

void transposed_product_part(const RowPairs& rows, const Rectangle& part, Real* out, std::ptrdiff_t out_stride,
                             Start start, Real* room) {
  alignas(64) static constexpr Real zeros[paired] = {};
  Real* left = room;
  Real* right = room + max_depth * max_rows;
  PairCursor cursor(rows);
  const Real* from = start == Start::zero ? zeros : nullptr;
  for (int depth; (depth = cursor.pack_next(part, left, right)) > 0; from = nullptr) {
    for (int c = 0, width; c < part.columns; c += width) {
      width = columns_at_once(part.columns - c, paired);
      const Panel panel = {right + std::ptrdiff_t(c) * depth, std::ptrdiff_t(depth) * panel_width, width, from};
      for (int r = 0; r < part.rows; r += row_block) {
        multiply_block_rows(std::min(row_block, part.rows - r), {left + std::ptrdiff_t(r) * depth, 1, row_block}, depth,
                            panel, out + r * out_stride + c, out_stride);
      }
    }
  }
  for (int r = 0; r < part.rows && from; ++r) std::fill_n(out + r * out_stride, part.columns, Real(0));  // no rows
}

void transposed_product(const RowPairs& rows, Rectangle part, Real* out, std::ptrdiff_t out_stride, Start start,
                        Real* room) {
  for (int r = 0; r < part.rows; r += max_rows) {
    for (int c = 0; c < part.columns; c += max_columns) {
      const Rectangle piece = {part.row + r, std::min(max_rows, part.rows - r), part.column + c,
                               std::min(max_columns, part.columns - c)};
      transposed_product_part(rows, piece, out + r * out_stride + c, out_stride, start, room);
    }
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {

HWY_EXPORT(multiply);
HWY_EXPORT(transposed_product);

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

void transposed_product(const RowPairs& rows, Rectangle part, Real* out, std::ptrdiff_t out_stride, Start start,
                        std::span<Real> room) {
  check(room.size() >= transposed_product_room, "a product in a room of {} numbers", room.size());
  HWY_DYNAMIC_DISPATCH(transposed_product)(rows, part, out, out_stride, start, room.data());
}

}  // namespace fovea::kernels
#endif
