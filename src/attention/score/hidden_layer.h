// What scores with a hidden layer on [q ; k] begin with: a sum of a part for the query and one for each key, W q + U k
// + b, where that of the keys is prepared once for a source.
#pragma once

#include <string>

#include "attention/mechanism.h"
#include "layers/linear.h"

namespace fovea {

class HiddenLayerScore : public Score {
 public:
  HiddenLayerScore(Parameters& parameters, const std::string& query, const std::string& key,
                   const AttentionSizes& sizes, bool bias = true)
      : query_(parameters, query, sizes.query, sizes.hidden, false),
        key_(parameters, key, sizes.memory, sizes.hidden, bias) {}

  Tensor keys(Pass& pass, const Memory& memory) const override { return key_(pass, memory.values); }

 protected:
  Tensor of_query(Pass& pass, const Question& question) const { return query_(pass, question.queries); }
  // [positions, queries * batch, hidden]
  Tensor of_pairs(Pass& pass, const Question& question, Tensor keys) const {
    return broadcast_add(of_query(pass, question), keys);
  }

 private:
  Linear query_;
  Linear key_;
};

}  // namespace fovea
