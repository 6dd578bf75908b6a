// sum: c = sum_i a_i v_i
#include "attention/mechanism.h"

namespace fovea {

namespace {

class Sum : public Read {
 public:
  Tensor context(Pass&, const Question& question, Tensor weights) const override {
    return weighted_sum(weights, question.memory.values, question.memory.mask);
  }
};

}  // namespace

extern const Mechanism<Read> Read_sum = {"sum", "sum_i a_i v_i", "Bahdanau 2015", made<Read, Sum>, {.plain = true}};

}  // namespace fovea
