// position: + v' tanh(W [log(1 + t), log(1 + i), log(1 + n)] + b): words tend to stand at similar places.
// Cohn et al. 2016.
#include <cmath>

#include "attention/mechanism.h"
#include "layers/linear.h"

namespace fovea {

namespace {

class Position : public Bias {
 public:
  Position(Parameters& parameters, const std::string& name, const AttentionSizes& sizes)
      : hidden_(parameters, name + ".hidden", 3, sizes.hidden), v_(parameters, name + ".v", sizes.hidden, 1, false) {}

  Added add(Pass& pass, const Question& question, Tensor) const override {
    const int queries = question.queries.shape()[0];
    const Mask& mask = question.memory.mask;
    Tensor places = pass.tape().make({mask.positions, queries * mask.batch, 3});
    const int rows = queries * mask.batch;
    for (int row = 0; row < rows; ++row) {
      const int query = row / mask.batch;
      int length = 0;
      for (int i = 0; i < mask.positions; ++i) length += mask.sees(query, row % mask.batch, i);
      const int step = question.when.first + query * question.when.stride;
      for (int i = 0; i < mask.positions; ++i) {
        Real* place = places.data() + (std::ptrdiff_t(i) * rows + row) * 3;
        place[0] = static_cast<Real>(std::log1p(step));
        place[1] = static_cast<Real>(std::log1p(i));
        place[2] = static_cast<Real>(std::log1p(length));
      }
    }
    return {from_pairs(v_(pass, tanh(hidden_(pass, places))), queries), {}};
  }

 private:
  Linear hidden_;
  Linear v_;
};

}  // namespace

extern const Mechanism<Bias> Bias_position = {"position", "v' tanh(W [log(1+t), log(1+i), log(1+n)] + b)", "Cohn 2016",
                                              made<Bias, Position>};

}  // namespace fovea
