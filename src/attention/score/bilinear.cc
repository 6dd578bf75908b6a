// bilinear ("general"): e = q' W k, with W k prepared once for a source. Luong, Pham & Manning 2015.
#include "attention/mechanism.h"
#include "layers/linear.h"

namespace fovea {

namespace {

class Bilinear : public Score {
 public:
  Bilinear(Parameters& parameters, const std::string& name, const AttentionSizes& sizes)
      : key_(parameters, name + ".key", sizes.memory, sizes.query, false) {}

  Tensor keys(Pass& pass, const Memory& memory) const override { return key_(pass, memory.values); }

  Tensor scores(Pass&, const Question& question, Tensor keys) const override {
    return dot_scores(question.queries, keys, 1, question.memory.mask);
  }

 private:
  Linear key_;
};

}  // namespace

extern const Mechanism<Score> Score_bilinear = {"bilinear", "q' W k", "Luong 2015", made<Score, Bilinear>};

}  // namespace fovea
