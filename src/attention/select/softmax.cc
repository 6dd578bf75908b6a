// softmax: a_i = exp(e_i) / sum_j exp(e_j) over the real positions.
#include "attention/mechanism.h"

namespace fovea {

namespace {

class Softmax : public Select {
 public:
  Tensor weights(Pass&, Tensor scores, Mask mask) const override { return masked_softmax(scores, mask); }
};

}  // namespace

extern const Mechanism<Select> Select_softmax = {
    "softmax", "exp(e_i) / sum_j exp(e_j)", "Bahdanau 2015",
    [](Parameters&, const std::string&, AttentionSizes) -> std::unique_ptr<Select> {
      return std::make_unique<Softmax>();
    }};

}  // namespace fovea
