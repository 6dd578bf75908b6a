// total: c = w sum_i a_i + b, the sum of the weights and nothing of the values: what the typo finder's decoder reads of
// its flat shares.
#include "attention/mechanism.h"
#include "layers/linear.h"

namespace fovea {

namespace {

class Total : public Read {
 public:
  Total(Parameters& parameters, const std::string& name, const AttentionSizes& sizes)
      : spread_(parameters, name + ".spread", 1, sizes.memory) {}

  Tensor context(Pass& pass, const Question&, Tensor weights) const override {
    // [queries, batch, positions] -> [positions, queries * batch, 1], summed over positions
    const Tensor totals = sum_steps(to_pairs(weights));
    return spread_(pass, as_shape(totals, {weights.shape()[0], weights.shape()[1], 1}));
  }

 private:
  Linear spread_;
};

}  // namespace

extern const Mechanism<Read> Read_total = {
    "total", "w sum_i a_i + b", "typo location post", made<Read, Total>, {.ignores_values = true}};

}  // namespace fovea
