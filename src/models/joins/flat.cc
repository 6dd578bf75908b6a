// flat: one attention over the positions of all sources, each source's made comparable by a projection of its own:
// a = softmax over all k, j of score(s, W_k h_kj), c = sum_kj a_kj W_k h_kj. Libovický & Helcl 2017, "Attention
// strategies for multi-source sequence-to-sequence learning".
#include <vector>

#include "base/as_size.h"
#include "base/error.h"
#include "models/join.h"

namespace fovea {

namespace {

class Flat : public Join {
 public:
  Flat(Parameters& parameters, const std::string& name, const JoinSizes& sizes) {
    for (int k = 1; k <= sizes.sources; ++k) {
      projections_.emplace_back(parameters, name + ".source" + std::to_string(k), sizes.memory, sizes.memory);
    }
  }

  Tensor as_common(Pass& pass, Tensor values, int source) const override {
    return projections_[as_size(source)](pass, values);
  }

  Joined join(Pass&, Tensor, std::span<const Tensor>) const override {
    throw Error(ErrorKind::failure, "a flat join has one context");
  }

 private:
  std::vector<Linear> projections_;
};

}  // namespace

extern const JoinKind Join_flat = {"flat", "a = softmax_kj score(s, W_k h_kj), c = sum_kj a_kj W_k h_kj",
                                   "Libovický 2017", true, made_join<Flat>};

}  // namespace fovea
