// hard: in training a position is drawn from p = softmax(e) and nothing else is seen; in use the most probable one is
// taken. No gradient flows through a draw: training learns where to look from how well it went, by REINFORCE
// (models/objectives/reinforce.h). Xu et al. 2015, "Show, attend and tell".
#include "attention/select/draw.h"

namespace fovea {

namespace {

class Hard : public Select {
 public:
  Selected select(Pass& pass, const Question& question, Tensor scores) const override {
    const Tensor odds = masked_softmax(scores, question.memory.mask);
    if (!pass.training()) return {one_hot(pass, odds.shape(), most_probable(pass, odds)), {}, {}};
    const int queries = odds.shape()[0], batch = odds.shape()[1], positions = odds.shape()[2];
    const auto drawn = pass.arena().array<std::int32_t>(static_cast<std::size_t>(queries) * batch);
    for (int q = 0; q < queries; ++q) {
      for (int b = 0; b < batch; ++b) {
        const int row = q * batch + b;
        const Real* p = odds.data() + std::ptrdiff_t(row) * positions;
        double left = row_random(pass, question, q, b, "hard").uniform(0);
        drawn[row] = -1;
        for (int i = 0; i < positions && left >= 0; ++i) {
          if (p[i] <= 0) continue;
          drawn[row] = i;  // the last one if rounding leaves a rest
          left -= static_cast<double>(p[i]);
        }
      }
    }
    const Tensor log_odds = log(odds, Real(1e-20));
    return {one_hot(pass, odds.shape(), drawn), pick(log_odds, drawn, -1), odds};
  }
};

}  // namespace

extern const Mechanism<Select> Select_hard = {
    "hard", "one i, drawn from softmax(e)", "Xu 2015", made<Select, Hard>, {.estimated = true}};

}  // namespace fovea
