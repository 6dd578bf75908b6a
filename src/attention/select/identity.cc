// identity: a_i = e_i: the scores as they are, for the flat shortcut.
#include "attention/mechanism.h"

namespace fovea {

namespace {

// 1 where a query sees a position, else 0.
Tensor visible(Tensor like, Mask mask) {
  Tensor ones = like.tape().make(like.shape());
  Real* at = ones.data();
  for (int q = 0; q < like.shape()[0]; ++q) {
    for (int b = 0; b < mask.batch; ++b) {
      for (int i = 0; i < mask.positions; ++i) *at++ = mask.sees(q, b, i) ? Real(1) : Real(0);
    }
  }
  return ones;
}

class Identity : public Select {
 public:
  Selected select(Pass&, const Question& question, Tensor scores) const override {
    return {multiply(scores, visible(scores, question.memory.mask)), {}, {}};
  }
};

}  // namespace

extern const Mechanism<Select> Select_identity = {
    "identity", "e_i", "typo location post", made<Select, Identity>, {.sums_to_one = false, .may_be_negative = true}};

}  // namespace fovea
