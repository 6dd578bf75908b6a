// gumbel: hard attention with the straight-through estimator. In training i = argmax(e + g) with Gumbel noise g, which
// is a draw from softmax(e); the gradient is that of softmax((e + g) / T). In use the most probable position is taken.
// Jang, Gu & Poole 2017, "Categorical reparameterization with Gumbel-softmax".
#include <cmath>

#include "attention/select/draw.h"

namespace fovea {

namespace {

class Gumbel : public Select {
 public:
  explicit Gumbel(const AttentionOptions& options)
      : temperature_(options.temperature > 0 ? options.temperature : 1.0) {}

  Selected select(Pass& pass, const Question& question, Tensor scores) const override {
    if (!pass.training()) {
      const Tensor probabilities = masked_softmax(scores, question.memory.mask);
      return {one_hot(pass, probabilities.shape(), most_probable(pass, probabilities)), {}, {}};
    }
    const int queries = scores.shape()[0], batch = scores.shape()[1], positions = scores.shape()[2];
    Tensor noise = pass.tape().make(scores.shape());
    for (int q = 0; q < queries; ++q) {
      for (int b = 0; b < batch; ++b) {
        const Random random = row_random(pass, question, q, b, "gumbel");
        for (int i = 0; i < positions; ++i) {
          const double u = random.uniform(static_cast<std::uint64_t>(i)) + 0x1p-54;
          noise.data()[(std::ptrdiff_t(q) * batch + b) * positions + i] = static_cast<Real>(-std::log(-std::log(u)));
        }
      }
    }
    const Tensor soft =
        masked_softmax(scale(add(scores, noise), static_cast<Real>(1 / temperature_)), question.memory.mask);
    return {straight_through(one_hot(pass, soft.shape(), most_probable(pass, soft)), soft), {}, {}};
  }

 private:
  double temperature_;
};

}  // namespace

extern const Mechanism<Select> Select_gumbel = {"gumbel",
                                                "argmax(e + g), gradient of softmax((e + g) / T)",
                                                "Jang 2017",
                                                made<Select, Gumbel>,
                                                {.estimated = true}};

}  // namespace fovea
