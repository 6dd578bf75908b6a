// sharpened: a_i = p_i^g / sum_j p_j^g with p = softmax(e) and g = 1 + softplus(w' q + b), so each step decides how
// sharply it looks. p^g normalised is softmax(g e), which is how it is computed.
// Graves, Wayne & Danihelka 2014, "Neural Turing machines".
#include "attention/mechanism.h"
#include "layers/linear.h"

namespace fovea {

namespace {

class Sharpened : public Select {
 public:
  Sharpened(Parameters& parameters, const std::string& name, const AttentionSizes& sizes)
      : power_(parameters, name + ".power", sizes.query, 1) {}

  Selected select(Pass& pass, const Question& question, Tensor scores) const override {
    const Tensor power = shift(softplus(power_(pass, question.queries)), 1);
    return {masked_softmax(scale_rows(scores, power), question.memory.mask), {}, {}};
  }

 private:
  Linear power_;
};

}  // namespace

extern const Mechanism<Select> Select_sharpened = {"sharpened", "p_i^g / sum_j p_j^g, g = 1 + softplus(w' q + b)",
                                                   "Graves 2014", made<Select, Sharpened>};

}  // namespace fovea
