// local_p: the query predicts where to look, p = n sigmoid(v' tanh(W q)), and the softmax over p - D .. p + D is
// multiplied by a Gaussian around p of deviation D / 2. Luong, Pham & Manning 2015.
#include "attention/mechanism.h"
#include "layers/linear.h"

namespace fovea {

namespace {

class LocalP : public Select {
 public:
  LocalP(Parameters& parameters, const std::string& name, const AttentionSizes& sizes)
      : window_(sizes.options.window),
        hidden_(parameters, name + ".hidden", sizes.query, sizes.hidden),
        place_(parameters, name + ".place", sizes.hidden, 1, false) {}

  Selected select(Pass& pass, const Question& question, Tensor scores) const override {
    const Mask& mask = question.memory.mask;
    const int queries = scores.shape()[0];
    Tensor lengths = pass.tape().make({queries, mask.batch, 1});
    for (int row = 0; row < queries * mask.batch; ++row) {
      int length = 0;
      for (int i = 0; i < mask.positions; ++i) length += mask.sees(row / mask.batch, row % mask.batch, i);
      lengths.data()[row] = static_cast<Real>(length);
    }
    const Tensor share = sigmoid(place_(pass, tanh(hidden_(pass, question.queries))));
    const Tensor centres = multiply(share, lengths);
    const Tensor near = masked_softmax(keep_window(scores, centres, window_, mask), mask);
    return {multiply(near, gaussian_window(centres, static_cast<Real>(window_) / 2, mask)), {}, {}};
  }

 private:
  int window_;
  Linear hidden_;
  Linear place_;
};

}  // namespace

extern const Mechanism<Select> Select_local_p = {"local_p",
                                                 "softmax over p - D .. p + D times exp(-(i - p)^2 / (2 (D/2)^2))",
                                                 "Luong 2015",
                                                 made<Select, LocalP>,
                                                 {.sums_to_one = false}};

}  // namespace fovea
