// cosine: e = beta cos(q, W k), beta = softplus(w' q + b): how sharply to look is learned too. W brings keys of another
// size to the size of the query. Graves, Wayne & Danihelka 2014, "Neural Turing machines".
#include <optional>

#include "attention/mechanism.h"
#include "layers/linear.h"

namespace fovea {

namespace {

class Cosine : public Score {
 public:
  Cosine(Parameters& parameters, const std::string& name, const AttentionSizes& sizes)
      : strength_(parameters, name + ".strength", sizes.query, 1) {
    if (sizes.memory != sizes.query) key_.emplace(parameters, name + ".key", sizes.memory, sizes.query, false);
  }

  Tensor keys(Pass& pass, const Memory& memory) const override {
    return unit_rows(key_ ? (*key_)(pass, memory.values) : memory.values);
  }

  Tensor scores(Pass& pass, const Question& question, Tensor keys) const override {
    const Tensor cosines = dot_scores(unit_rows(question.queries), keys, 1, question.memory.mask);
    // A cosine lies between -1 and 1: without a head start the softmax would stay nearly flat for long.
    return scale_rows(cosines, softplus(shift(strength_(pass, question.queries), first_strength)));
  }

 private:
  static constexpr Real first_strength = 5;
  Linear strength_;
  std::optional<Linear> key_;
};

}  // namespace

extern const Mechanism<Score> Score_cosine = {"cosine", "softplus(w' q + b) cos(q, W k)", "Graves 2014",
                                              made<Score, Cosine>};

}  // namespace fovea
