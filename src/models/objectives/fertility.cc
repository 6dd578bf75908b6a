// The attention a position gets is held near a fertility that is predicted from the position: a Gaussian around it.
// Cohn et al. 2016 (global fertility).
#include "models/objectives.h"

namespace fovea {

Tensor fertility_penalty(Pass& pass, Tensor weights, Tensor fertilities, Mask steps, Mask source) {
  const Tensor total = total_attention(pass, weights, steps);  // [batch, positions]
  const Tensor by_position = to_pairs(as_shape(total, {1, source.batch, source.positions}));
  const Tensor missing = multiply(add(fertilities, scale(by_position, -1)), step_mask(pass, source, 1));
  return sum(multiply(missing, missing));
}

}  // namespace fovea
