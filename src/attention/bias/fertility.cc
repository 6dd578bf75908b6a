// fertility: + w' sum_{t' < t} a_{t', i-k..i+k}: a position that has been looked at enough may be left alone.
// Cohn et al. 2016 (local fertility).
#include "attention/bias/neighbours.h"

namespace fovea {

namespace {

class Fertility : public Bias {
 public:
  Fertility(Parameters& parameters, const std::string& name, const AttentionSizes& sizes)
      : neighbours_(parameters, name, sizes) {}

  Added add(Pass& pass, const Question& question, Tensor) const override {
    if (!question.history.total) return {};
    return {neighbours_(pass, question, question.history.total), {}};
  }

 private:
  Neighbours neighbours_;
};

}  // namespace

extern const Mechanism<Bias> Bias_fertility = {
    "fertility", "w' sum_{t' < t} a_{t', i-k..i+k}", "Cohn 2016", made<Bias, Fertility>, {.looks_back = true}};

}  // namespace fovea
