// markov: + w' a_{t-1, i-k..i+k}: where the step before looked says where this one looks.
// Cohn et al. 2016, "Incorporating structural alignment biases into an attentional neural translation model".
#include "attention/bias/neighbours.h"

namespace fovea {

namespace {

class Markov : public Bias {
 public:
  Markov(Parameters& parameters, const std::string& name, const AttentionSizes& sizes)
      : neighbours_(parameters, name, sizes) {}

  Added add(Pass& pass, const Question& question, Tensor) const override {
    if (!question.history.last) return {};
    return {neighbours_(pass, question, question.history.last), {}};
  }

 private:
  Neighbours neighbours_;
};

}  // namespace

extern const Mechanism<Bias> Bias_markov = {
    "markov", "w' a_{t-1, i-k..i+k}", "Cohn 2016", made<Bias, Markov>, {.looks_back = true}};

}  // namespace fovea
