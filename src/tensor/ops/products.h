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
  if (weight.packed()) return weight.tape().add_product_gradient(weight, inputs, doutputs);
  kernels::add_transposed_product({inputs.data, inputs.rows, inputs.columns, inputs.columns},
                                  {doutputs.data, doutputs.rows, doutputs.columns, doutputs.columns}, weight.gradient(),
                                  doutputs.columns);
}

}  // namespace fovea
