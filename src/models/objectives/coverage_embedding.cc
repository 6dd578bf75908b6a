// coverage_embedding: sum_i |cov_i|^2 of what coverage embeddings hold after the last step: all is to be covered then.
// Mi, Sankaran, Wang & Ittycheriah 2016, "Coverage embedding models for neural machine translation".
#include <algorithm>

#include "models/objective.h"

namespace fovea {

namespace {

constexpr const char* embedding_bias = "coverage_embedding";

class CoverageEmbeddingObjective : public Objective {
 public:
  using Objective::Objective;

 private:
  Tensor value(Pass& pass, const ObjectiveBatch& batch) const override {
    const Mask source = batch.source();
    const int heads = batch.forced.decoder.readout.heads, vectors = source.batch * heads * source.positions;
    Tensor total;
    for (const Tensor kept : batch.forced.decoder.kept) {  // [batch, heads * positions * size]
      Tensor real = pass.tape().make({vectors, 1});
      for (int i = 0; i < vectors; ++i) {
        const int b = i / (heads * source.positions), position = i % source.positions;
        real.data()[i] = Real(source.data[position * source.batch + b]);
      }
      const Tensor left = scale_rows(as_shape(kept, {vectors, kept.shape().count() / vectors}), real);
      const Tensor squares = sum(multiply(left, left));
      total = total ? add(total, squares) : squares;
    }
    return total;
  }
};

struct CoverageEmbeddingSettings : Copied<CoverageEmbeddingSettings, ObjectiveSettings> {
  using Copied::Copied;

  void check(const ModelOptions& options) const override {
    if (std::ranges::find(options.attention.bias, embedding_bias) != options.attention.bias.end()) return;
    throw usage_error("objective.coverage_embedding needs attention.bias = {}", embedding_bias);
  }
};

}  // namespace

extern const ObjectiveKind Objective_coverage_embedding = {"coverage_embedding",
                                                           "sum_i |cov_i|^2, what coverage embeddings hold at the end",
                                                           "Mi 2016",
                                                           made_objective<CoverageEmbeddingObjective>,
                                                           {.holds_attention = true},
                                                           objective_settings<CoverageEmbeddingSettings>};

}  // namespace fovea
