// relative: + q' r_{i-t} / sqrt(d) + b_{i-t}, the distance held inside -window .. window: how well a query likes what
// stands there, whatever it is. Shaw, Uszkoreit & Vaswani 2018, "Self-attention with relative position
// representations"; the second term is that of Raffel et al. 2020.
#include <cmath>

#include "attention/mechanism.h"
#include "layers/linear.h"

namespace fovea {

namespace {

class Relative : public Bias {
 public:
  Relative(Parameters& parameters, const std::string& name, const AttentionSizes& sizes)
      : distance_(parameters, name + ".distance", sizes.query, 2 * sizes.options.window + 1),
        factor_(Real(1) / std::sqrt(static_cast<Real>(sizes.query))) {}

  Added add(Pass& pass, const Question& question, Tensor) const override {
    const Tensor all = distance_(pass, scale(question.queries, factor_));
    return {relative_bias(all, question.memory.mask.positions, question.when), {}};
  }

 private:
  Linear distance_;
  Real factor_;
};

}  // namespace

extern const Mechanism<Bias> Bias_relative = {"relative", "q' r_{i-t} / sqrt(d) + b_{i-t}", "Shaw 2018",
                                              made<Bias, Relative>};

}  // namespace fovea
