// Penalties that hold the attention a position gets near one, or keep it from coming back.
#include <algorithm>

#include "models/objectives.h"

namespace fovea {

Tensor step_mask(Pass& pass, Mask steps, int size) {
  Tensor ones = pass.tape().make({steps.positions, steps.batch, size});
  for (int row = 0; row < steps.positions * steps.batch; ++row) {
    std::fill_n(ones.data() + std::ptrdiff_t(row) * size, size, Real(steps.data[row]));
  }
  return ones;
}

Tensor total_attention(Pass& pass, Tensor weights, Mask steps) {
  return sum_steps(multiply(weights, step_mask(pass, steps, weights.shape()[2])));
}

Tensor coverage_penalty(Pass& pass, Tensor weights, Mask steps, Mask source) {
  const Tensor total = total_attention(pass, weights, steps);  // [batch, positions]
  Tensor real = pass.tape().make(total.shape());
  for (int b = 0; b < source.batch; ++b) {
    for (int i = 0; i < source.positions; ++i) {
      real.data()[std::ptrdiff_t(b) * source.positions + i] = Real(source.data[i * source.batch + b]);
    }
  }
  const Tensor missing = multiply(shift(scale(total, -1), 1), real);
  return sum(multiply(missing, missing));
}

Tensor repetition_penalty(Pass& pass, Tensor weights, Mask steps) {
  const Tensor real = multiply(weights, step_mask(pass, steps, weights.shape()[2]));
  Tensor before = step(real, 0), total;
  for (int t = 1; t < weights.shape()[0]; ++t) {
    const Tensor now = step(real, t);
    const Tensor again = sum(minimum(now, before));
    total = total ? add(total, again) : again;
    before = add(before, now);
  }
  return total ? total : scale(sum(before), 0);
}

Tensor coverage_embedding_penalty(Pass& pass, Tensor embeddings, int heads, Mask source) {
  const int vectors = source.batch * heads * source.positions;
  Tensor real = pass.tape().make({vectors, 1});
  for (int i = 0; i < vectors; ++i) {
    const int b = i / (heads * source.positions), position = i % source.positions;
    real.data()[i] = Real(source.data[position * source.batch + b]);
  }
  const Tensor left = scale_rows(as_shape(embeddings, {vectors, embeddings.shape().count() / vectors}), real);
  return sum(multiply(left, left));
}

}  // namespace fovea
