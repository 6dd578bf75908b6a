// sum: c = sum_i a_i v_i
#include "attention/mechanism.h"

namespace fovea {

namespace {

class Sum : public Read {
 public:
  Tensor context(Pass&, Tensor, Tensor weights, const Memory& memory) const override {
    return weighted_sum(weights, memory.values, memory.mask);
  }
};

}  // namespace

extern const Mechanism<Read> Read_sum = {
    "sum", "sum_i a_i v_i", "Bahdanau 2015",
    [](Parameters&, const std::string&, AttentionSizes) -> std::unique_ptr<Read> { return std::make_unique<Sum>(); }};

}  // namespace fovea
