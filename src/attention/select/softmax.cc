// softmax: a_i = exp(e_i) / sum_j exp(e_j) over the real positions.
#include "attention/mechanism.h"

namespace fovea {

namespace {

class Softmax : public Select {
 public:
  Selected select(Pass&, const Question& question, Tensor scores) const override {
    return {masked_softmax(scores, question.memory.mask), {}, {}};
  }
};

}  // namespace

extern const Mechanism<Select> Select_softmax = {"softmax", "exp(e_i) / sum_j exp(e_j)", "Bahdanau 2015",
                                                 made<Select, Softmax>};

}  // namespace fovea
