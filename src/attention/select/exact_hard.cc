// exact_hard: the symbol comes from one position, and the probability is summed over all it may be, without drawing:
// p(y) = sum_i a_i p(y | s, h_i), a = softmax(e). Wu, Shapiro & Cotterell 2018, "Hard non-monotonic attention for
// character-level transduction".
#include "attention/mechanism.h"

namespace fovea {

namespace {

class ExactHard : public Select {
 public:
  Selected select(Pass&, const Question& question, Tensor scores) const override {
    return {masked_softmax(scores, question.memory.mask), {}, {}};
  }
};

}  // namespace

extern const Mechanism<Select> Select_exact_hard = {"exact_hard",
                                                    "p(y) = sum_i a_i p(y | s, h_i), a = softmax(e)",
                                                    "Wu 2018",
                                                    made<Select, ExactHard>,
                                                    {.marginal = true}};

}  // namespace fovea
