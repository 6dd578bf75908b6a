// Products of rows with a weight, for the operations that contain them.
#pragma once

#include "kernels/product.h"
#include "tensor/tensor.h"

namespace fovea {

// The packed forms of a weight: a parameter's own, or made for this pass.
inline const Real* packed_plain(Tensor weight) {
  if (weight.packed()) return weight.packed()->plain();
  const int in = weight.shape()[0], out = weight.shape()[1];
  Real* panels = weight.tape().arena().array<Real>(kernels::packed_size(in, out)).data();
  kernels::pack(weight.data(), out, in, out, false, panels);
  return panels;
}
inline const Real* packed_transposed(Tensor weight) {
  if (weight.packed()) return weight.packed()->transposed();
  const int in = weight.shape()[0], out = weight.shape()[1];
  Real* panels = weight.tape().arena().array<Real>(kernels::packed_size(out, in)).data();
  kernels::pack(weight.data(), out, out, in, true, panels);
  return panels;
}

// The gradient of a weight from inputs [rows, in] and doutputs [rows, out]. A parameter's may wait for the end of the
// pass.
inline void add_weight_gradient(Tensor weight, RowsView inputs, RowsView doutputs) {
  if (!weight.wants_gradient()) return;
  Tape& tape = weight.tape();
  if (weight.packed()) return tape.note_product(weight, inputs, doutputs);
  const kernels::RowPair pair = {inputs.data, doutputs.data, inputs.rows};
  kernels::transposed_product({{&pair, 1}, inputs.columns, doutputs.columns}, {0, inputs.columns, 0, doutputs.columns},
                              weight.gradient(), doutputs.columns, kernels::Start::keep,
                              tape.arena().array<Real>(kernels::transposed_product_room));
}

}  // namespace fovea
