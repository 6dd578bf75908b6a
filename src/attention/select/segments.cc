// segments: as monotonic_hmm, but from where it stands the position goes right one by one, at each place emitting with
// probability sigmoid(e_i) or else shifting on: no place ahead has to be read to decide, so that decoding is online.
// Yu, Buys & Blunsom 2016, "Online segment to segment neural transduction".
#include "attention/select/first_look.h"

namespace fovea {

namespace {

class Segments : public Select {
 public:
  Selected select(Pass& pass, const Question& question, Tensor scores) const override {
    const Mask& mask = question.memory.mask;
    return {walk(masked_sigmoid(scores, mask), before(pass, question, scores.shape()), mask), {}, {}};
  }
};

}  // namespace

extern const Mechanism<Select> Select_segments = {
    "segments",
    "sum_{j <= i} alpha_j prod_{j <= k < i} (1 - p_k) p_i, p = sigmoid(e)",
    "Yu 2016",
    made<Select, Segments>,
    {.looks_back = true, .sums_to_one = false, .marginal = true}};

}  // namespace fovea
