// Rows of a structured summary look at different places, and each at few: |A A' - I|^2, the squared Frobenius norm, is
// small where they do. Lin et al. 2017, "A structured self-attentive sentence embedding".
#include <algorithm>

#include "models/objectives.h"

namespace fovea {

Tensor diversity_penalty(Pass& pass, Tensor summary) {
  const int rows = summary.shape()[0], batch = summary.shape()[1];
  const auto all = pass.arena().array<std::uint8_t>(static_cast<std::size_t>(rows) * batch);
  std::ranges::fill(all, std::uint8_t(1));
  const Tensor products = dot_scores(summary, summary, 1, {all.data(), rows, batch});  // [rows, batch, rows]
  Tensor minus_one = pass.tape().make(products.shape());
  std::ranges::fill(minus_one.values(), Real(0));
  for (int row = 0; row < rows * batch; ++row) minus_one.data()[std::ptrdiff_t(row) * rows + row / batch] = -1;
  const Tensor apart = add(products, minus_one);
  return sum(multiply(apart, apart));
}

}  // namespace fovea
