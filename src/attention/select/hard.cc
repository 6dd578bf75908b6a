// hard: in training a position is drawn from p = softmax(e) and nothing else is seen; in use the most probable one is
// taken, or, where symbols are drawn, one is drawn as well. No gradient flows through a draw: training learns where to
// look from how well it went, by REINFORCE (models/objectives/reinforce.cc). As in the paper, half of the examples
// (attention.soft_share) see the mean instead, which tells the rest of the network early what is worth looking at. Xu
// et al. 2015, "Show, attend and tell".
#include "attention/select/draw.h"

namespace fovea {

namespace {

class Hard : public Select {
 public:
  explicit Hard(const AttentionOptions& options) : soft_share_(options.soft_share) {}

  Selected select(Pass& pass, const Question& question, Tensor scores) const override {
    const Tensor probabilities = masked_softmax(scores, question.memory.mask);
    if (!pass.training()) {
      const auto seen =
          pass.drawing() ? drawn_positions(pass, question, probabilities, "hard") : most_probable(pass, probabilities);
      return {one_hot(pass, probabilities.shape(), seen), {}, {}};
    }
    const int rows = probabilities.shape().rows(), batch = probabilities.shape()[1];
    const auto drawn = drawn_positions(pass, question, probabilities, "hard");
    Tensor soft = pass.tape().make({probabilities.shape()[0], batch, 1});  // 1 for rows that see the mean
    for (int row = 0; row < rows; ++row) {
      const auto sample = static_cast<std::uint64_t>(pass.training_pass().samples[row % batch / question.heads]);
      const bool sees_mean = pass.random(question.name).at(sample).uniform(0) < soft_share_;
      soft.data()[row] = sees_mean ? Real(1) : Real(0);
      if (sees_mean) drawn[row] = -1;
    }
    const Tensor weights = add(one_hot(pass, probabilities.shape(), drawn), scale_rows(probabilities, soft));
    return {weights, pick(log(probabilities, Real(1e-20)), drawn, -1), probabilities};
  }

 private:
  double soft_share_;
};

}  // namespace

extern const Mechanism<Select> Select_hard = {
    "hard", "one i, drawn from softmax(e)", "Xu 2015", made<Select, Hard>, {.estimated = true, .draws = true}};

}  // namespace fovea
