#include "tensor/packed.h"

#include "kernels/product.h"

namespace fovea {

void Packed::fill(Form& form, bool transposed) const {
  const int inner = transposed ? columns_ : rows_;
  const int columns = transposed ? rows_ : columns_;
  if (int8_) {
    form.values.resize(kernels::packed_size(kernels::even(inner), columns));
    form.scales.resize(kernels::packed_size(1, columns));
    form.view = {nullptr, {form.values.data(), form.scales.data(), columns}};
    kernels::pack(matrix_, columns_, inner, transposed, form.view.int8);
  } else {
    form.panels.resize(kernels::packed_size(inner, columns));
    form.view = {form.panels.data(), {}};
    kernels::pack(matrix_, columns_, inner, columns, transposed, form.panels.data());
  }
}

Panels Packed::form(Form& form, bool transposed) const {
  if (!form.ready.load(std::memory_order_acquire)) {
    const std::scoped_lock lock(packing_);
    if (!form.ready.load(std::memory_order_relaxed)) {
      fill(form, transposed);
      form.ready.store(true, std::memory_order_release);
    }
  }
  return form.view;
}

void Packed::refresh(Form& form, bool transposed) {
  if (form.ready) fill(form, transposed);
}

}  // namespace fovea
