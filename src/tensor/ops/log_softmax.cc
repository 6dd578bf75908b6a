#include <algorithm>
#include <cmath>

#include "kernels/rows.h"
#include "tensor/ops.h"

namespace fovea {

Tensor log_softmax(Tensor logits) {
  const int rows = logits.shape().rows(), columns = logits.shape().last();
  Tensor y = logits.tape().make(logits.shape(), logits.wants_gradient());
  kernels::log_softmax({logits.data(), rows, columns}, y.data());
  if (y.wants_gradient()) {
    y.tape().record([=] {
      if (!y.has_gradient()) return;
      for (int r = 0; r < rows; ++r) {
        const std::ptrdiff_t at = std::ptrdiff_t(r) * columns;
        Real sum = 0;
        for (int j = 0; j < columns; ++j) sum += y.gradient()[at + j];
        for (int j = 0; j < columns; ++j) {
          logits.gradient()[at + j] += y.gradient()[at + j] - std::exp(y.data()[at + j]) * sum;
        }
      }
    });
  }
  return y;
}

}  // namespace fovea
