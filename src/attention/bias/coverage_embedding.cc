// coverage_embedding: each position has a vector that says what is left to translate there. It starts from h_i, is
// updated by GRU(previous, [a_{t-1,i} ; y_{t-1}]) and adds v' tanh(W cov_i) to the score.
// Mi, Sankaran, Wang & Ittycheriah 2016, "Coverage embedding models for neural machine translation". Their penalty on
// what is left at the end is objective.coverage_embedding.
#include "base/as_size.h"
#include "attention/attention.h"
#include "layers/cell.h"

namespace fovea {

namespace {

class CoverageEmbedding : public Bias {
 public:
  CoverageEmbedding(Parameters& parameters, const std::string& name, const AttentionSizes& sizes)
      : size_(std::min(sizes.hidden, max_size)),
        written_(sizes.written),
        first_(parameters, name + ".first", sizes.memory, size_),
        cell_(parameters, name + ".cell", "gru", 1 + sizes.written, size_),
        hidden_(parameters, name + ".hidden", size_, sizes.hidden),
        v_(parameters, name + ".v", sizes.hidden, 1, false) {}

  // own: [queries, batch, positions * size]
  Added add(Pass& pass, const Question& question, Tensor own) const override {
    const int queries = question.queries.shape()[0], batch = question.queries.shape()[1];
    Tensor vectors;  // [positions, queries * batch, size]
    if (own) {
      vectors = updated(pass, question, own);
    } else {
      Tensor none = pass.tape().make({queries, batch, size_});
      for (Real& value : none.values()) value = 0;
      vectors = broadcast_add(none, tanh(first_(pass, question.memory.values)));
    }
    return {from_pairs(v_(pass, tanh(hidden_(pass, vectors))), queries), as_own(vectors, queries, batch)};
  }

  Tensor finish(Pass& pass, const Question& question, Tensor own) const override {
    return as_own(updated(pass, question, own), question.queries.shape()[0], question.queries.shape()[1]);
  }

 private:
  // By the weights of the step before beside the symbol it wrote: [positions, queries * batch, size].
  Tensor updated(Pass& pass, const Question& question, Tensor own) const {
    const int queries = question.queries.shape()[0], batch = question.queries.shape()[1];
    const int positions = question.memory.mask.positions, rows = positions * queries * batch;
    Tensor seen = to_pairs(question.history.last);  // [positions, queries * batch, 1]
    if (written_ > 0) {
      const Tensor symbols = question.heads == 1 ? question.history.written : by_head(pass, question);
      Tensor none = pass.tape().make({positions, batch, written_});
      for (Real& value : none.values()) value = 0;
      seen = concat({seen, broadcast_add(symbols, none)});
    }
    const Tensor before = as_shape(swap_axes(as_shape(own, {queries * batch, positions, size_})), {rows, size_});
    const Tensor input = cell_.project(pass, as_shape(seen, {rows, 1 + written_}));
    return as_shape(cell_.step(pass, input, {}, {before, {}}).h, {positions, queries * batch, size_});
  }

  Tensor as_own(Tensor vectors, int queries, int batch) const {
    return as_shape(swap_axes(vectors), {queries, batch, vectors.shape()[0] * size_});
  }

  static constexpr int max_size = 100;  // their largest

  static Tensor by_head(Pass& pass, const Question& question) {
    const auto rows = pass.arena().array<std::int32_t>(as_size(question.queries.shape()[1]));
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::int32_t>(i) / question.heads;
    return gather_batch(question.history.written, rows);
  }

  int size_;
  int written_;
  Linear first_;
  Cell cell_;
  Linear hidden_;
  Linear v_;
};

}  // namespace

extern const Mechanism<Bias> Bias_coverage_embedding = {"coverage_embedding",
                                                        "v' tanh(W cov_i), cov_i = GRU(cov_i, [a_{t-1,i} ; y_{t-1}])",
                                                        "Mi 2016",
                                                        made<Bias, CoverageEmbedding>,
                                                        {.looks_back = true}};

}  // namespace fovea
