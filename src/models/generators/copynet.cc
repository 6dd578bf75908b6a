// copynet: generating and copying share one softmax: a symbol's score is V t, a position's is tanh(Wc h_j)' s. The next
// step reads, beside the symbol written, what stands where it was copied from (selective read).
// Gu, Lu, Li & Li 2016, "Incorporating copying mechanism in sequence-to-sequence learning". The share of generating is
// a softmax of log sum exp over the vocabulary's scores beside the positions' scores, which is the same sum.
#include "models/generator.h"

namespace fovea {

namespace {

class CopyNet : public Generator {
 public:
  CopyNet(Parameters& parameters, const ModelOptions& options, const GeneratorSizes& sizes)
      : Generator(parameters, options.generator, sizes),
        memory_(sizes.memory),
        key_(parameters, "generator.copy", sizes.memory, sizes.state, false) {}

  GeneratorSources prepare(Pass& pass, const Memory& memory, const CopyMapView& copy_map) const override {
    return {memory, copy_map, {}, tanh(key_(pass, memory.values))};
  }

  Written write(Pass& pass, const Readout& readout, const GeneratorSources& sources) const override {
    const Mask& mask = sources.memory.mask;
    const Tensor from_vocabulary = logits(pass, readout.features);
    const Tensor scores = dot_scores(readout.state, sources.keys, 1, mask);
    const auto [gate, copying] = softmax_with(pass, log_sum(from_vocabulary), scores, mask);
    return {log_mixture(from_vocabulary, gate, scatter_to_vocabulary(copying, sources.copy_map)), gate, copying,
            from_vocabulary};
  }

  int feedback_size() const override { return memory_; }

  // sum_j rho_j h_j, rho the shares of the copied positions that stand for the symbol written.
  Tensor feedback(Pass& pass, const GeneratorSources& sources, Tensor copying, Ids previous) const override {
    const Mask& mask = sources.memory.mask;
    const int rows = static_cast<int>(previous.size());
    Tensor matches = pass.tape().make({rows, mask.positions});
    for (int row = 0; row < rows; ++row) {
      for (int i = 0; i < mask.positions; ++i) {
        const bool match = stands_for(sources.copy_map, i * mask.batch + row % mask.batch, previous[row]);
        matches.data()[std::ptrdiff_t(row) * mask.positions + i] = match ? Real(1) : Real(0);
      }
    }
    Tensor ones = pass.tape().make({mask.positions, 1});
    for (Real& value : ones.values()) value = 1;
    const Tensor shares = copying ? multiply(copying, matches) : scale(matches, 0);
    const Tensor total = shift(linear(shares, ones), Real(1e-10));  // 0 where the symbol was generated
    const Tensor rho = as_shape(scale_rows(shares, reciprocal(total)), {rows / mask.batch, mask.batch, mask.positions});
    return as_shape(weighted_sum(rho, sources.memory.values, mask), {rows, memory_});
  }

 private:
  static bool stands_for(const CopyMapView& copy_map, int place, std::int32_t symbol) {
    for (std::int32_t k = copy_map.starts[place]; k < copy_map.starts[place + 1]; ++k) {
      if (copy_map.symbols[k] == symbol) return true;
    }
    return false;
  }

  int memory_;
  Linear key_;
};

}  // namespace

extern const GeneratorKind Generator_copynet = {"copynet",
                                                "softmax over [V t ; tanh(Wc h_j)' s], summed by symbol",
                                                "Gu 2016",
                                                made_generator<CopyNet>,
                                                {.copies = true, .feeds_back = true}};

}  // namespace fovea
