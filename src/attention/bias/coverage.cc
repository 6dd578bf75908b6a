// coverage: + v' tanh(w cov_i + b), cov_i = sum_{t' < t} a_{t'i} / (N sigmoid(u' h_i)): how much of what a position is
// good for, at most N symbols, has been used. Tu, Lu, Liu, Liu & Li 2016, "Modeling coverage for neural machine
// translation".
#include "attention/mechanism.h"
#include "layers/linear.h"

namespace fovea {

namespace {

class Coverage : public Bias {
 public:
  Coverage(Parameters& parameters, const std::string& name, const AttentionSizes& sizes)
      : most_(sizes.options.fertility),
        fertility_(parameters, name + ".fertility", sizes.memory, 1),
        hidden_(parameters, name + ".hidden", 1, sizes.hidden),
        v_(parameters, name + ".v", sizes.hidden, 1, false) {}

  Added add(Pass& pass, const Question& question, Tensor) const override {
    const int queries = question.queries.shape()[0], batch = question.queries.shape()[1];
    Tensor total = question.history.total;
    if (!total) {  // nothing is covered yet
      total = pass.tape().make({queries, batch, question.memory.mask.positions});
      for (Real& none : total.values()) none = 0;
    }
    const Tensor good_for = scale(sigmoid(fertility_(pass, question.memory.values)), static_cast<Real>(most_));
    Tensor ones = pass.tape().make({queries, batch, 1});
    for (Real& one : ones.values()) one = 1;
    const Tensor coverage = multiply(to_pairs(total), broadcast_multiply(ones, reciprocal(good_for)));
    return {from_pairs(v_(pass, tanh(hidden_(pass, coverage))), queries), {}};
  }

 private:
  int most_;
  Linear fertility_;
  Linear hidden_;
  Linear v_;
};

}  // namespace

extern const Mechanism<Bias> Bias_coverage = {
    "coverage",
    "v' tanh(w cov_i + b), cov_i = sum_{t' < t} a_{t'i} / (N sigmoid(u' h_i))",
    "Tu 2016",
    made<Bias, Coverage>,
    {.looks_back = true}};

}  // namespace fovea
