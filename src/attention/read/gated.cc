// gated: c = sigmoid(w' q + b) sum_i a_i v_i: a step may look away. Xu et al. 2015, "Show, attend and tell".
#include "attention/mechanism.h"
#include "layers/linear.h"

namespace fovea {

namespace {

class Gated : public Read {
 public:
  Gated(Parameters& parameters, const std::string& name, const AttentionSizes& sizes)
      : gate_(parameters, name + ".gate", sizes.query, 1) {}

  Tensor context(Pass& pass, const Question& question, Tensor weights) const override {
    const Tensor seen = weighted_sum(weights, question.memory.values, question.memory.mask);
    return scale_rows(seen, sigmoid(gate_(pass, question.queries)));
  }

 private:
  Linear gate_;
};

}  // namespace

extern const Mechanism<Read> Read_gated = {"gated", "sigmoid(w' q + b) sum_i a_i v_i", "Xu 2015", made<Read, Gated>};

}  // namespace fovea
