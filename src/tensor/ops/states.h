// The states a recurrent layer passes through, in either direction.
#pragma once

#include <algorithm>

#include "tensor/ops.h"

namespace fovea {

// A row of states, one more than there are steps: the initial state stands where the first step looks for its
// predecessor.
struct States {
  Tensor all;  // [steps + 1, batch, size]
  int before;  // index of the state before step t is t + before
  int after;   // index of the state after step t is t + after
  int stride;  // batch * size

  Real* previous(int t) const { return all.data() + std::ptrdiff_t(t + before) * stride; }
  Real* current(int t) const { return all.data() + std::ptrdiff_t(t + after) * stride; }
  Real* previous_gradient(int t) const { return all.gradient() + std::ptrdiff_t(t + before) * stride; }
  Real* current_gradient(int t) const { return all.gradient() + std::ptrdiff_t(t + after) * stride; }
};

inline States make_states(Tape& tape, Shape steps, Tensor initial, Direction direction, bool wants_gradient) {
  const bool forward = direction == Direction::forward;
  States states{tape.make({steps[0] + 1, steps[1], steps[2]}, wants_gradient), forward ? 0 : 1, forward ? 1 : 0,
                steps[1] * steps[2]};
  Real* first = states.all.data() + (forward ? 0 : std::ptrdiff_t(steps[0]) * states.stride);
  if (initial) {
    std::ranges::copy(initial.values(), first);
  } else {
    std::fill(first, first + states.stride, Real(0));
  }
  return states;
}

inline int first_step(Direction direction, int steps) { return direction == Direction::forward ? 0 : steps - 1; }
inline int last_step(Direction direction, int steps) { return direction == Direction::forward ? steps - 1 : 0; }

}  // namespace fovea
