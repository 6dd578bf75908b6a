// softmax_one: a_i = exp(e_i) / (1 + sum_j exp(e_j)): a softmax with one more choice, of score 0 and with nothing to
// see, so that a step that finds nothing can look away. Miller 2023, "Attention is off by one".
#include <algorithm>

#include "base/as_size.h"
#include "attention/mechanism.h"

namespace fovea {

namespace {

class SoftmaxOne : public Select {
 public:
  Selected select(Pass& pass, const Question& question, Tensor scores) const override {
    const Shape& shape = scores.shape();
    Tensor nothing = pass.tape().make({shape[0], shape[1], 1});
    std::ranges::fill(nothing.values(), Real(0));
    const Tensor all = masked_softmax(concat({nothing, scores}), one_more(pass, question.memory.mask));
    return {columns(all, 1, shape[2]), {}, {}};
  }

 private:
  // A position before the first that every query sees.
  static Mask one_more(Pass& pass, Mask mask) {
    const auto batch = as_size(mask.batch), cells = as_size(mask.positions) * batch;
    const auto real = pass.arena().array<std::uint8_t>(batch + cells);
    std::fill_n(real.begin(), batch, std::uint8_t(1));
    std::copy_n(mask.data, cells, real.begin() + mask.batch);
    return {real.data(), mask.positions + 1, mask.batch, mask.causal < 0 ? -1 : mask.causal + 1};
  }
};

}  // namespace

extern const Mechanism<Select> Select_softmax_one = {
    "softmax_one", "exp(e_i) / (1 + sum_j exp(e_j))", "Miller 2023", made<Select, SoftmaxOne>, {.sums_to_one = false}};

}  // namespace fovea
