// Where monotonic selections stand before their first step: at the first real position.
#pragma once

#include <algorithm>

#include "attention/mechanism.h"

namespace fovea {

inline Tensor before(Pass& pass, const Question& question, Shape shape) {
  if (question.history.last) return question.history.last;
  Tensor first = pass.tape().make(shape);
  std::ranges::fill(first.values(), Real(0));
  for (int row = 0; row < shape.rows(); ++row) {
    for (int i = 0; i < shape.last(); ++i) {
      if (!question.memory.mask.sees(0, row % shape[1], i)) continue;
      first.data()[std::ptrdiff_t(row) * shape.last() + i] = 1;
      break;
    }
  }
  return first;
}

}  // namespace fovea
