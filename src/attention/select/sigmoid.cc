// sigmoid: a_i = sigmoid(e_i), each position by itself.
#include "attention/mechanism.h"

namespace fovea {

namespace {

class Sigmoid : public Select {
 public:
  Selected select(Pass&, const Question& question, Tensor scores) const override {
    return {masked_sigmoid(scores, question.memory.mask), {}, {}};
  }
};

}  // namespace

extern const Mechanism<Select> Select_sigmoid = {
    "sigmoid", "sigmoid(e_i)", "notes on attention", made<Select, Sigmoid>, {.sums_to_one = false}};

}  // namespace fovea
