// concatenate: an attention to each source, their contexts side by side: c = W [c_1 ; ... ; c_K]. Zoph & Knight 2016,
// "Multi-source neural translation"; Libovický & Helcl 2017.
#include <algorithm>

#include "models/join.h"

namespace fovea {

namespace {

class Concatenate : public Join {
 public:
  Concatenate(Parameters& parameters, const std::string& name, const JoinSizes& sizes)
      : together_(parameters, name, sizes.sources * sizes.context, sizes.context) {}

  Joined join(Pass& pass, Tensor queries, std::span<const Tensor> contexts) const override {
    Tensor all = contexts[0];
    for (const Tensor context : contexts.subspan(1)) all = concat({all, context});
    Tensor shares = pass.tape().make({queries.shape()[0], queries.shape()[1], static_cast<int>(contexts.size())});
    std::ranges::fill(shares.values(), Real(1) / static_cast<Real>(contexts.size()));
    return {together_(pass, all), shares};
  }

 private:
  Linear together_;
};

}  // namespace

extern const JoinKind Join_concatenate = {"concatenate", "c = W [c_1 ; ... ; c_K], an attention to each source",
                                          "Zoph 2016", false, made_join<Concatenate>};

}  // namespace fovea
