#include <algorithm>

#include "base/as_size.h"
#include "kernels/pointwise.h"
#include "tensor/ops.h"

namespace fovea {

Tensor embed(Tensor table, Ids ids, Shape leading) {
  const int entries = table.shape()[0], size = table.shape()[1];
  const int count = leading.count();
  check(leading.axes() == 1 || leading.axes() == 2, "embed: {} leading axes, not one or two", leading.axes());
  check(static_cast<int>(ids.size()) == count, "embed: {} ids for {}", ids.size(), leading.text());
  const auto kept = table.tape().arena().array<std::int32_t>(ids.size());
  std::ranges::copy(ids, kept.begin());
  const Shape shape = leading.axes() == 1 ? Shape{leading[0], size} : Shape{leading[0], leading[1], size};
  Tensor y = table.tape().make(shape, table.wants_gradient());
  for (int i = 0; i < count; ++i) {
    check(kept[i] >= 0 && kept[i] < entries, "embed: id {} in a table of {}", kept[i], entries);
    const Real* entry = table.data() + std::ptrdiff_t(kept[i]) * size;
    std::copy(entry, entry + size, y.data() + std::ptrdiff_t(i) * size);
  }
  if (y.wants_gradient()) {
    y.tape().record([=] {
      if (!y.has_gradient()) return;
      if (table.packed()) return table.tape().note_rows(table, kept, y.gradient());
      const std::size_t n = as_size(size);
      for (int i = 0; i < count; ++i) {
        kernels::add({y.gradient() + std::ptrdiff_t(i) * size, n},
                     {table.gradient() + std::ptrdiff_t(kept[i]) * size, n});
      }
    });
  }
  return y;
}

}  // namespace fovea
