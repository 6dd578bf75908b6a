#include "models/generator.h"

#include <algorithm>

namespace fovea {

#define GENERATOR(name) extern const GeneratorKind Generator_##name;
#include "base/as_size.h"
#include "models/generators/generators.def"
#undef GENERATOR

const Registry<GeneratorKind>& generators() {
  static const Registry<GeneratorKind> list("generator", {
#define GENERATOR(name) &Generator_##name,
#include "models/generators/generators.def"
#undef GENERATOR
                                                         });
  return list;
}

Generator::Generator(Parameters& parameters, const GeneratorOptions& options, const GeneratorSizes& sizes)
    : tied_(options.tied) {
  if (tied_) {
    weight_ = sizes.table;
    if (sizes.features != sizes.table_size) {
      narrow_.emplace(parameters, "generator.narrow", sizes.features, sizes.table_size, false);
    }
  } else {
    weight_ =
        parameters.add("generator.choice.weight", {sizes.features, sizes.symbols}, Initial::fan_in(sizes.features));
  }
  bias_ = parameters.add("generator.choice.bias", {sizes.symbols}, Initial::constant(0));
}

Tensor Generator::logits(Pass& pass, Tensor features) const {
  if (!tied_) return linear(features, pass(weight_), pass(bias_));
  return linear_transposed(narrow_ ? (*narrow_)(pass, features) : features, pass(weight_), pass(bias_));
}

Generator::Written Generator::write(Pass& pass, const Readout& readout, const GeneratorSources&) const {
  return {log_softmax(logits(pass, readout.features)), {}, {}};
}

SharedSoftmax softmax_with(Pass& pass, Tensor first, Tensor scores, Mask mask) {
  const auto real = pass.arena().array<std::uint8_t>(as_size(mask.positions + 1) * mask.batch);
  std::fill_n(real.begin(), mask.batch, std::uint8_t(1));
  std::copy_n(mask.data, mask.positions * mask.batch, real.begin() + mask.batch);
  const int causal = mask.causal < 0 ? mask.causal : mask.causal + 1;
  const Tensor all = masked_softmax(concat({first, scores}), {real.data(), mask.positions + 1, mask.batch, causal});
  return {columns(all, 0, 1), columns(all, 1, mask.positions)};
}

}  // namespace fovea
