// segments: as monotonic_hmm, but from where it stands the position goes right one by one, at each place emitting with
// probability sigmoid(e_i) or else shifting on: no place ahead has to be read to decide, so that decoding is online.
// From the last place there is nothing to shift to: it emits with probability one, so that where a symbol comes from is
// a distribution. Yu, Buys & Blunsom 2016, "Online segment to segment neural transduction".
#include "attention/select/first_look.h"

namespace fovea {

namespace {

class Segments : public Select {
 public:
  Selected select(Pass& pass, const Question& question, Tensor scores) const override {
    const Mask& mask = question.memory.mask;
    const Shape& shape = scores.shape();
    Tensor last = pass.tape().make(shape), others = pass.tape().make(shape);
    std::ranges::fill(last.values(), Real(0));
    std::ranges::fill(others.values(), Real(1));
    for (int row = 0; row < shape.rows(); ++row) {
      int i = shape.last() - 1;
      while (i >= 0 && !mask.sees(row / mask.batch, row % mask.batch, i)) --i;
      if (i < 0) continue;
      last.data()[std::ptrdiff_t(row) * shape.last() + i] = 1;
      others.data()[std::ptrdiff_t(row) * shape.last() + i] = 0;
    }
    const Tensor emits = add(multiply(masked_sigmoid(scores, mask), others), last);
    return {walk(emits, before(pass, question, shape), mask), {}, {}};
  }
};

}  // namespace

extern const Mechanism<Select> Select_segments = {
    "segments",
    "sum_{j <= i} alpha_j prod_{j <= k < i} (1 - p_k) p_i, p = sigmoid(e), p_n = 1",
    "Yu 2016",
    made<Select, Segments>,
    {.looks_back = true, .marginal = true}};

}  // namespace fovea
