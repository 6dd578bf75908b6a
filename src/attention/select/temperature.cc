// temperature: a = softmax(e / T), T fixed by attention.temperature or, if that is 0, learned. A small T looks sharply.
#include "attention/mechanism.h"

namespace fovea {

namespace {

class Temperature : public Select {
 public:
  Temperature(Parameters& parameters, const std::string& name, const AttentionSizes& sizes)
      : fixed_(sizes.options.temperature) {
    // softplus of this is 1 / T = 1 at the start
    if (fixed_ == 0) learned_ = parameters.add(name + ".learned", {1, 1}, Initial::constant(0.5413248546129181));
  }

  Selected select(Pass& pass, const Question& question, Tensor scores) const override {
    const Tensor divided = fixed_ > 0 ? scale(scores, static_cast<Real>(1 / fixed_)) : learned(pass, scores);
    return {masked_softmax(divided, question.memory.mask), {}, {}};
  }

 private:
  Tensor learned(Pass& pass, Tensor scores) const {
    const Shape shape = scores.shape();
    return as_shape(linear(as_shape(scores, {shape.count(), 1}), softplus(pass(learned_))), shape);
  }

  double fixed_;
  ParameterId learned_;
};

}  // namespace

extern const Mechanism<Select> Select_temperature = {"temperature", "softmax(e / T)", "Hinton 2015",
                                                     made<Select, Temperature>};

}  // namespace fovea
