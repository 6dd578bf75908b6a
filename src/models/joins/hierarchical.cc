// hierarchical: an attention to each source, and one to their contexts: e_k = v' tanh(W s + U_k c_k), b = softmax(e),
// c = sum_k b_k V_k c_k. Libovický & Helcl 2017, "Attention strategies for multi-source sequence-to-sequence learning".
#include <vector>

#include "models/join.h"

namespace fovea {

namespace {

class Hierarchical : public Join {
 public:
  Hierarchical(Parameters& parameters, const std::string& name, const JoinSizes& sizes)
      : query_(parameters, name + ".query", sizes.query, sizes.context),
        score_(parameters, name + ".score", sizes.context, 1, false) {
    for (int k = 1; k <= sizes.sources; ++k) {
      const std::string source = name + ".source" + std::to_string(k);
      keys_.emplace_back(parameters, source + ".key", sizes.context, sizes.context, false);
      values_.emplace_back(parameters, source + ".value", sizes.context, sizes.context);
    }
  }

  Joined join(Pass& pass, Tensor queries, std::span<const Tensor> contexts) const override {
    const Tensor asked = query_(pass, queries);
    Tensor scores;
    for (std::size_t k = 0; k < contexts.size(); ++k) {
      const Tensor score = score_(pass, tanh(add(asked, keys_[k](pass, contexts[k]))));
      scores = scores ? concat({scores, score}) : score;
    }
    Joined joined;
    joined.shares = exp(log_softmax(scores));
    for (std::size_t k = 0; k < contexts.size(); ++k) {
      const Tensor part = scale_rows(values_[k](pass, contexts[k]), columns(joined.shares, static_cast<int>(k), 1));
      joined.context = joined.context ? add(joined.context, part) : part;
    }
    return joined;
  }

 private:
  Linear query_;
  Linear score_;
  std::vector<Linear> keys_;
  std::vector<Linear> values_;
};

}  // namespace

extern const JoinKind Join_hierarchical = {"hierarchical",
                                           "b = softmax_k v' tanh(W s + U_k c_k), c = sum_k b_k V_k c_k",
                                           "Libovický 2017", false, made_join<Hierarchical>};

}  // namespace fovea
