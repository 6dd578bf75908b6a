// What the steps of a decoder offer to whoever chooses the symbols: each [steps, batch, any], where in a search the
// steps are the hypotheses of one step.
#pragma once

#include "attention/attention.h"

namespace fovea {

struct Readout {
  Tensor features;  // what symbols are chosen from
  Tensor state;
  Tensor context;    // empty without attention
  Tensor embedding;  // of the symbols written before
  Tensor query;      // of the attention
  Tensor asked;      // by a recurrent decoder: the state that asked, which knows nothing of what it will see
  Tensor scores;     // where weights come later, when it is summed over positions: [steps, batch, positions]
  Selected selected;
  int heads = 1;

  // The weights, their mean over the heads: [steps, batch, positions]
  Tensor weights() const {
    if (heads == 1) return selected.weights;
    const int steps = state.shape()[0], batch = state.shape()[1], positions = selected.weights.shape()[2];
    const Tensor all = as_shape(selected.weights, {steps, batch, heads * positions});
    Tensor total = columns(all, 0, positions);
    for (int h = 1; h < heads; ++h) total = add(total, columns(all, h * positions, positions));
    return scale(total, Real(1) / Real(heads));
  }
};

}  // namespace fovea
