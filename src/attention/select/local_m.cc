// local_m: softmax over the window t - D .. t + D: source and target are taken to run side by side.
// Luong, Pham & Manning 2015.
#include "attention/mechanism.h"

namespace fovea {

namespace {

class LocalM : public Select {
 public:
  explicit LocalM(const AttentionOptions& options) : window_(options.window) {}

  Selected select(Pass& pass, const Question& question, Tensor scores) const override {
    const int queries = scores.shape()[0], batch = scores.shape()[1];
    Tensor centres = pass.tape().make({queries, batch, 1});
    for (int row = 0; row < queries * batch; ++row) {
      const int step = question.when.first + row / batch * question.when.stride;
      centres.data()[row] = static_cast<Real>(step);
    }
    const Tensor near = keep_window(scores, centres, window_, question.memory.mask);
    return {masked_softmax(near, question.memory.mask), {}, {}};
  }

 private:
  int window_;
};

}  // namespace

extern const Mechanism<Select> Select_local_m = {"local_m", "softmax over t - D .. t + D", "Luong 2015",
                                                 made<Select, LocalM>};

}  // namespace fovea
