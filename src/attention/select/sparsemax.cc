// sparsemax: a_i = max(0, e_i - tau), tau such that they sum to one: most weights are exactly zero.
// Martins & Astudillo 2016, "From softmax to sparsemax".
#include "attention/mechanism.h"

namespace fovea {

namespace {

class Sparsemax : public Select {
 public:
  Selected select(Pass&, const Question& question, Tensor scores) const override {
    return {sparsemax(scores, question.memory.mask), {}, {}};
  }
};

}  // namespace

extern const Mechanism<Select> Select_sparsemax = {"sparsemax", "max(0, e_i - tau)", "Martins & Astudillo 2016",
                                                   made<Select, Sparsemax>};

}  // namespace fovea
