// dot: e = q' k; queries and keys of different sizes are projected to one. Luong, Pham & Manning 2015.
#include "attention/mechanism.h"

namespace fovea {

namespace {

class Dot : public Score {
 public:
  Tensor scores(Pass&, const Question& question, Tensor keys) const override {
    return dot_scores(question.queries, keys, 1, question.memory.mask);
  }
};

}  // namespace

extern const Mechanism<Score> Score_dot = {
    "dot", "q' k, of projections if sizes differ", "Luong 2015", made<Score, Dot>, {.equal_sizes = true}};

}  // namespace fovea
