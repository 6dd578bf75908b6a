// pointer: every symbol is copied: p(w) = sum_{x_i = w} a_i, a = softmax_i v' tanh(W h_i + U t), t what the decoder
// offers. Vinyals, Fortunato & Jaitly 2015, "Pointer networks".
#include <algorithm>

#include "models/generator.h"

namespace fovea {

namespace {

class Pointer : public Generator {
 public:
  Pointer(Parameters& parameters, const ModelOptions&, const GeneratorSizes& sizes)
      : keys_(parameters, "generator.key", sizes.memory, sizes.features, false),
        query_(parameters, "generator.query", sizes.features, sizes.features),
        score_(parameters.add("generator.score", {sizes.features}, Initial::glorot(sizes.features, 1))) {}

  GeneratorSources prepare(Pass& pass, const Memory& memory, const CopyMapView& copy_map) const override {
    return {memory, copy_map, {}, keys_(pass, memory.values)};
  }

  Written write(Pass& pass, const Readout& readout, const GeneratorSources& sources) const override {
    const Mask& mask = sources.memory.mask;
    const Tensor scores = additive_scores(query_(pass, readout.features), sources.keys, pass(score_), mask);
    const Tensor weights = masked_softmax(scores, mask);
    Tensor gate = pass.tape().make({weights.shape()[0], weights.shape()[1], 1});
    std::ranges::fill(gate.values(), Real(0));
    return {log(scatter_to_vocabulary(weights, sources.copy_map), Real(1e-30)), gate, weights, {}, scores};
  }
  bool writes_vocabulary() const override { return false; }

 private:
  Linear keys_;
  Linear query_;
  ParameterId score_;
};

}  // namespace

extern const GeneratorKind Generator_pointer = {"pointer",
                                                "sum_{x_i = w} a_i, a = softmax v' tanh(W h_i + U t)",
                                                "Vinyals 2015",
                                                made_generator<Pointer>,
                                                {.copies = true}};

}  // namespace fovea
