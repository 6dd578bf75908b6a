#include "tensor/packed.h"

#include "kernels/product.h"

namespace fovea {

void Packed::fill(Form& form, bool transposed) const {
  const int inner = transposed ? columns_ : rows_;
  const int columns = transposed ? rows_ : columns_;
  form.panels.resize(kernels::packed_size(inner, columns));
  kernels::pack(matrix_, columns_, inner, columns, transposed, form.panels.data());
}

const Real* Packed::form(Form& form, bool transposed) const {
  if (!form.ready.load(std::memory_order_acquire)) {
    const std::scoped_lock lock(packing_);
    if (!form.ready.load(std::memory_order_relaxed)) {
      fill(form, transposed);
      form.ready.store(true, std::memory_order_release);
    }
  }
  return form.panels.data();
}

void Packed::refresh(Form& form, bool transposed) {
  if (form.ready) fill(form, transposed);
}

}  // namespace fovea
