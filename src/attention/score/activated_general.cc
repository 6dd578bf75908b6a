// activated_general: e = act(q' W k + b). Ma, Li, Zhang & Wang 2017, "Interactive attention networks for aspect-level
// sentiment classification".
#include "attention/mechanism.h"
#include "layers/linear.h"

namespace fovea {

namespace {

class ActivatedGeneral : public Score {
 public:
  ActivatedGeneral(Parameters& parameters, const std::string& name, const AttentionSizes& sizes)
      : activation_(sizes.options.activation),
        key_(parameters, name + ".key", sizes.memory, sizes.query, false),
        bias_(parameters.add(name + ".bias", {1}, Initial::constant(0))) {}

  Tensor keys(Pass& pass, const Memory& memory) const override { return key_(pass, memory.values); }

  Tensor scores(Pass& pass, const Question& question, Tensor keys) const override {
    const Tensor products = dot_scores(question.queries, keys, 1, question.memory.mask);
    const Shape& shape = products.shape();
    const Tensor biased = as_shape(add_row(as_shape(products, {shape.count(), 1}), pass(bias_)), shape);
    return activation_ == "relu" ? relu(biased) : activation_ == "sigmoid" ? sigmoid(biased) : tanh(biased);
  }

 private:
  std::string activation_;
  Linear key_;
  ParameterId bias_;
};

}  // namespace

extern const Mechanism<Score> Score_activated_general = {"activated_general", "act(q' W k + b)", "Ma 2017",
                                                         made<Score, ActivatedGeneral>};

}  // namespace fovea
