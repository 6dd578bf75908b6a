// monotonic_hmm: as exact_hard, but the position never goes back: a hidden Markov model whose steps stay or jump right,
// A(i | j) = exp(e_i) / sum_{k >= j} exp(e_k) for i >= j. What is carried on is where the last symbol came from, given
// what it was. Wu & Cotterell 2019, "Exact hard monotonic attention for character-level transduction".
#include "attention/select/first_look.h"

namespace fovea {

namespace {

class MonotonicHmm : public Select {
 public:
  Selected select(Pass& pass, const Question& question, Tensor scores) const override {
    return {jump(scores, before(pass, question, scores.shape()), question.memory.mask), {}, {}};
  }
};

}  // namespace

extern const Mechanism<Select> Select_monotonic_hmm = {"monotonic_hmm",
                                                       "sum_{j <= i} alpha_j exp(e_i) / sum_{k >= j} exp(e_k)",
                                                       "Wu & Cotterell 2019",
                                                       made<Select, MonotonicHmm>,
                                                       {.looks_back = true, .marginal = true}};

}  // namespace fovea
