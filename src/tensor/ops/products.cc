#include "tensor/ops/products.h"

#include <algorithm>

#include "base/as_size.h"
#include "tensor/share_products.h"

namespace fovea {

namespace {

// With fewer multiplications a product is over before another thread has heard of it.
constexpr std::int64_t least_shared = 1 << 16;
// Of each worker, so that one who comes late costs little.
constexpr int pieces = 2;

}  // namespace

void write_product(RowsView left, const Right& right, Real* out, kernels::Start start, const Real* bias) {
  const bool int8 = right.panels.int8.values != nullptr;
  const std::size_t workspace = int8 ? kernels::int8_workspace(left.rows, left.columns) : 0;
  const auto multiply = [&](int first, int end, std::int16_t* room) {
    const kernels::Rows rows = {left.data, left.rows, left.columns, left.columns};
    const Real* part_bias = bias ? bias + first : nullptr;
    if (int8) {
      const kernels::Int8Matrix& all = right.panels.int8;
      const std::ptrdiff_t skipped = std::ptrdiff_t(first) * kernels::even(left.columns);
      kernels::multiply(rows, {all.values + skipped, all.scales + first, end - first}, out + first, right.columns,
                        start, part_bias, room);
    } else {
      const Real* panels = right.panels.real + std::ptrdiff_t(first) * left.columns;
      kernels::multiply(rows, panels, end - first, out + first, right.columns, start, part_bias);
    }
  };
  Workers* workers = ShareProducts::workers();
  if (!workers || std::int64_t(left.rows) * left.columns * right.columns < least_shared) {
    return multiply(0, right.columns, right.arena->array<std::int16_t>(workspace).data());
  }
  const int parts = pieces * workers->count();
  const auto start_of = [&](int part) {
    const int panels = (right.columns + kernels::panel_width - 1) / kernels::panel_width;
    return std::min(right.columns, part * panels / parts * kernels::panel_width);
  };
  std::int16_t* rooms = right.arena->array<std::int16_t>(workspace * as_size(workers->count())).data();
  workers->run(parts, [&](int part, int worker) {
    multiply(start_of(part), start_of(part + 1), rooms + workspace * as_size(worker));
  });
}

}  // namespace fovea
