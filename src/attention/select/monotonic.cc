// monotonic: each step goes on from where the last one stood and stops at i with probability p_i = sigmoid(g e_i + r).
// The offset r may start below zero (attention.offset), so that the walk of an untrained model gets on. In training the
// weights are the expected stops, a_i = p_i q_i with q_i = (1 - p_{i-1}) q_{i-1} + (a of the step before)_i, and noise
// on the scores drives p to 0 and 1; in use it goes right to the first p > 0.5, and what it has passed is never read
// again; if there is no stop it has seen all and reads nothing. Raffel, Luong, Liu, Weiss & Eck 2017, "Online and
// linear-time attention by enforcing monotonic alignments"; with attention.normalized the score additive gives their
// energy, g v' / |v| tanh(W q + U k + b) + r. Their recursion divides by p; ours, the same sum in another order, does
// not, and is stable for any length.
#include <cmath>
#include <numbers>

#include "base/as_size.h"
#include "attention/select/draw.h"
#include "attention/select/first_look.h"

namespace fovea {

namespace {

class Monotonic : public Select {
 public:
  Monotonic(Parameters& parameters, const std::string& name, const AttentionSizes& sizes)
      : noise_(sizes.options.noise),
        scale_(parameters.add(name + ".scale", {1, 1}, Initial::constant(1))),
        offset_(parameters.add(name + ".offset", {1}, Initial::constant(sizes.options.offset))) {}

  Selected select(Pass& pass, const Question& question, Tensor given) const override {
    const Mask& mask = question.memory.mask;
    const Shape& shape = given.shape();
    const Tensor scores = as_shape(linear(as_shape(given, {shape.count(), 1}), pass(scale_), pass(offset_)), shape);
    const Tensor from = before(pass, question, scores.shape());
    if (!pass.training()) return {hard(pass, scores, from, mask), {}, {}};
    const Tensor noisy = noise_ > 0 ? add(scores, noise(pass, question, scores.shape())) : scores;
    return {walk(masked_sigmoid(noisy, mask), from, mask), {}, {}};
  }

 private:
  Tensor hard(Pass& pass, Tensor scores, Tensor from, Mask mask) const {
    const int rows = scores.shape().rows(), positions = scores.shape().last();
    const auto starts = most_probable(pass, from);
    const auto stops = pass.arena().array<std::int32_t>(as_size(rows));
    for (int row = 0; row < rows; ++row) {
      stops[row] = -1;
      const Real* e = scores.data() + std::ptrdiff_t(row) * positions;
      for (int i = starts[row]; i >= 0 && i < positions && stops[row] < 0; ++i) {
        if (mask.sees(row / mask.batch, row % mask.batch, i) && e[i] > 0) stops[row] = i;
      }
    }
    return one_hot(pass, scores.shape(), stops);
  }

  Tensor noise(Pass& pass, const Question& question, Shape shape) const {
    Tensor values = pass.tape().make(shape);
    for (int row = 0; row < shape.rows(); ++row) {
      const Random random = row_random(pass, question, row / shape[1], row % shape[1], "monotonic");
      for (int i = 0; i < shape.last(); ++i) {
        const auto at = static_cast<std::uint64_t>(2 * i);
        const double radius = std::sqrt(-2 * std::log(1 - random.uniform(at)));
        const double normal = radius * std::cos(2 * std::numbers::pi * random.uniform(at + 1));
        values.data()[std::ptrdiff_t(row) * shape.last() + i] = static_cast<Real>(noise_ * normal);
      }
    }
    return values;
  }

  double noise_;
  ParameterId scale_;
  ParameterId offset_;
};

}  // namespace

extern const Mechanism<Select> Select_monotonic = {
    "monotonic",
    "a_i = p_i q_i, q_i = (1 - p_{i-1}) q_{i-1} + a'_i, p = sigmoid(g e + r)",
    "Raffel 2017",
    made<Select, Monotonic>,
    {.looks_back = true, .sums_to_one = false}};

}  // namespace fovea
