// actions: hard attention moved by the decoder's own writing: it looks at one position, stays there while it writes,
// and goes one to the right whenever it writes the step symbol. Training knows when to step from an aligner (tasks/
// transduce.h). Aharoni & Goldberg 2017, "Morphological inflection generation with hard monotonic attention".
#include "base/as_size.h"
#include "attention/select/draw.h"
#include "attention/select/first_look.h"

namespace fovea {

namespace {

class Actions : public Select {
 public:
  Selected select(Pass& pass, const Question& question, Tensor scores) const override {
    const Mask& mask = question.memory.mask;
    const auto at = most_probable(pass, before(pass, question, scores.shape()));
    for (std::size_t row = 0; row < at.size() && !question.history.stepped.empty(); ++row) {
      const auto query = static_cast<int>(row) / mask.batch, entry = static_cast<int>(row) % mask.batch;
      if (at[row] < 0 || !question.history.stepped[row / as_size(question.heads)]) continue;
      // Beyond the last real position there is nothing to step to.
      int next = at[row] + 1;
      while (next < mask.positions && !mask.sees(query, entry, next)) ++next;
      if (next < mask.positions) at[row] = next;
    }
    return {one_hot(pass, scores.shape(), at), {}, {}};
  }
};

}  // namespace

extern const Mechanism<Select> Select_actions = {"actions",
                                                 "one i, which each step symbol written moves to i + 1",
                                                 "Aharoni & Goldberg 2017",
                                                 made<Select, Actions>,
                                                 {.looks_back = true, .ignores_scores = true, .acts = true}};

}  // namespace fovea
