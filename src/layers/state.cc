#include "layers/state.h"

namespace fovea {

Tensor State::get(std::string_view name) const {
  for (const Entry& entry : entries_) {
    if (entry.name == name) return entry.value;
  }
  return {};
}

State State::rows(Pass& pass, Ids rows) const {
  State chosen;
  for (const Entry& entry : entries_) {
    // Borrowed, so that the copy is made in this pass and not where the state came from.
    const Tensor here = pass.tape().borrow(entry.value.shape(), entry.value.data(), nullptr);
    chosen.set(entry.name, entry.axis == 0 ? gather_rows(here, rows) : gather_batch(here, rows), entry.axis);
  }
  chosen.step = step;
  return chosen;
}

}  // namespace fovea
