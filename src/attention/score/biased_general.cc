// biased_general: e = k' (W q + b). Sordoni, Bachman, Trischler & Bengio 2016, "Iterative alternating neural attention
// for machine reading".
#include "attention/mechanism.h"
#include "layers/linear.h"

namespace fovea {

namespace {

class BiasedGeneral : public Score {
 public:
  BiasedGeneral(Parameters& parameters, const std::string& name, const AttentionSizes& sizes)
      : query_(parameters, name + ".query", sizes.query, sizes.memory) {}

  Tensor scores(Pass& pass, const Question& question, Tensor keys) const override {
    return dot_scores(query_(pass, question.queries), keys, 1, question.memory.mask);
  }

 private:
  Linear query_;
};

}  // namespace

extern const Mechanism<Score> Score_biased_general = {"biased_general", "k' (W q + b)", "Sordoni 2016",
                                                      made<Score, BiasedGeneral>};

}  // namespace fovea
