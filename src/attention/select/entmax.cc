// entmax: a_i = max(0, e_i / 2 - tau)^2, tau such that they sum to one: between softmax and sparsemax.
// Peters, Niculae & Martins 2019, "Sparse sequence-to-sequence models", with alpha = 1.5.
#include "attention/mechanism.h"

namespace fovea {

namespace {

class Entmax : public Select {
 public:
  Selected select(Pass&, const Question& question, Tensor scores) const override {
    return {entmax(scores, question.memory.mask), {}, {}};
  }
};

}  // namespace

extern const Mechanism<Select> Select_entmax = {"entmax", "max(0, e_i / 2 - tau)^2", "Peters 2019",
                                                made<Select, Entmax>};

}  // namespace fovea
