// uniform: a_i = 1 / n whatever the scores: the control that shows what looking is worth.
#include "attention/mechanism.h"

namespace fovea {

namespace {

class Uniform : public Select {
 public:
  Selected select(Pass&, const Question& question, Tensor scores) const override {
    return {masked_softmax(scale(scores, 0), question.memory.mask), {}, {}};
  }
};

}  // namespace

extern const Mechanism<Select> Select_uniform = {
    "uniform", "1 / n", "control", made<Select, Uniform>, {.ignores_scores = true}};

}  // namespace fovea
