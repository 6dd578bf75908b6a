// Attention forced where to look: its distance to alignments given with the data. The cross-entropy is that of Liu,
// Utiyama, Finch & Sumita 2016, "Neural machine translation with supervised attention"; squares as in Mi, Wang &
// Ittycheriah 2016, "Supervised attentions for neural machine translation".
#include <algorithm>

#include "models/objectives.h"

namespace fovea {

namespace {

Tensor constant(Pass& pass, Shape shape, std::span<const Real> values) {
  check(static_cast<int>(values.size()) == shape.count(), "{} wanted weights for {}", values.size(), shape.text());
  Tensor x = pass.tape().make(shape);
  std::ranges::copy(values, x.data());
  return x;
}

}  // namespace

Tensor supervised_cross_entropy(Pass& pass, Tensor weights, std::span<const Real> wanted) {
  return scale(sum(multiply(log(weights, Real(1e-6)), constant(pass, weights.shape(), wanted))), -1);
}

Tensor supervised_squares(Pass& pass, Tensor weights, std::span<const Real> wanted) {
  const Tensor target = constant(pass, weights.shape(), wanted);
  Tensor known = pass.tape().make(weights.shape());  // 1 in rows where anything is wanted
  const int positions = weights.shape().last();
  for (int row = 0; row < weights.shape().rows(); ++row) {
    const Real* first = target.data() + std::ptrdiff_t(row) * positions;
    const bool any = std::any_of(first, first + positions, [](Real value) { return value > 0; });
    std::fill_n(known.data() + std::ptrdiff_t(row) * positions, positions, any ? Real(1) : Real(0));
  }
  const Tensor distance = multiply(add(weights, scale(target, -1)), known);
  return sum(multiply(distance, distance));
}

}  // namespace fovea
