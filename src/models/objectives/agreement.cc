// Both directions trained together look at the same pairs: -Tr(A_xy A_yx) is small where they do. Cohn et al. 2016.
#include "models/objectives.h"

namespace fovea {

Tensor disagreement(Pass&, Tensor forward, Tensor backward) {
  const int target = forward.shape()[0], batch = forward.shape()[1], source = forward.shape()[2];
  check(backward.shape() == Shape({source, batch, target}), "agreement of {} and {}", forward.shape().text(),
        backward.shape().text());
  // [target, batch, source] -> [source, target * batch, 1], beside [source, batch, target]
  const Tensor turned = swap_axes(as_shape(to_pairs(forward), {source * target, batch, 1}));  // [batch, s * t, 1]
  const Tensor other = swap_axes(backward);                                                   // [batch, source, target]
  return scale(sum(multiply(as_shape(turned, {batch, source * target}), as_shape(other, {batch, source * target}))),
               -1);
}

}  // namespace fovea
