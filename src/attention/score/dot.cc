// dot: e = q' k. Luong, Pham & Manning 2015.
#include "attention/score/equal_sizes.h"

namespace fovea {

namespace {

class Dot : public Score {
 public:
  Dot(Parameters&, const std::string&, const AttentionSizes& sizes) { check_equal_sizes("dot", sizes); }

  Tensor scores(Pass&, const Question& question, Tensor keys) const override {
    return dot_scores(question.queries, keys, 1, question.memory.mask);
  }
};

}  // namespace

extern const Mechanism<Score> Score_dot = {"dot", "q' k", "Luong 2015", made<Score, Dot>};

}  // namespace fovea
