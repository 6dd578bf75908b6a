#include "tensor/tensor.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "kernels/product.h"

namespace fovea {

struct Tensor::Use {
  RowsView inputs;
  RowsView doutputs;
  Use* next = nullptr;
};

Real* Tensor::gradient() const {
  if (slot_->of) return Tensor(slot_->of).gradient() + slot_->offset;
  if (!slot_->gradient) {
    check(slot_->wants_gradient, "the gradient of a tensor {} that wants none", slot_->shape.text());
    const auto memory = tape().arena().array<Real>(static_cast<std::size_t>(slot_->shape.count()));
    std::fill(memory.begin(), memory.end(), Real(0));
    slot_->gradient = memory.data();
  }
  return slot_->gradient;
}

Tensor::Slot* Tape::new_slot() {
  auto* slot = new (arena_.bytes(sizeof(Tensor::Slot))) Tensor::Slot;
  slot->tape = this;
  return slot;
}

Tensor Tape::make(Shape shape, bool wants_gradient) {
  std::int64_t numbers = 1;  // counted in int everywhere else
  for (int i = 0; i < shape.axes(); ++i) {
    numbers *= std::max(1, shape[i]);
    check(numbers <= std::numeric_limits<int>::max(), "{} has too many numbers; take smaller batches or sizes",
          shape.text());
  }
  Tensor::Slot* slot = new_slot();
  slot->shape = shape;
  slot->value = arena_.array<Real>(static_cast<std::size_t>(shape.count())).data();
  slot->wants_gradient = wants_gradient;
  return Tensor(slot);
}

Tensor Tape::borrow(Shape shape, Real* values, Real* gradients, const Packed* packed) {
  Tensor::Slot* slot = new_slot();
  slot->shape = shape;
  slot->value = values;
  slot->gradient = gradients;
  slot->packed = packed;
  slot->wants_gradient = gradients != nullptr;
  return Tensor(slot);
}

Tensor Tape::view(Tensor of, std::ptrdiff_t offset, Shape shape) {
  check(offset >= 0 && offset + shape.count() <= of.shape().count(), "a view {} at {} reaches beyond {}", shape.text(),
        offset, of.shape().text());
  Tensor::Slot* slot = new_slot();
  slot->shape = shape;
  slot->value = of.data() + offset;
  slot->of = of.slot_;
  slot->offset = offset;
  slot->wants_gradient = of.wants_gradient();
  return Tensor(slot);
}

void Tape::add_product_gradient(Tensor weight, RowsView inputs, RowsView doutputs) {
  Tensor::Slot* slot = weight.slot_;
  if (!slot->uses) {
    slot->next_used = first_used_;
    first_used_ = slot;
  }
  auto* use = new (arena_.bytes(sizeof(Tensor::Use))) Tensor::Use{inputs, doutputs, slot->uses};
  slot->uses = use;
}

void Tape::add_product(Tensor::Slot& weight) {
  const int in = weight.shape[0];
  const int out = weight.shape[1];
  RowsView inputs = weight.uses->inputs;
  RowsView doutputs = weight.uses->doutputs;
  if (weight.uses->next) {
    int rows = 0;
    for (const Tensor::Use* use = weight.uses; use; use = use->next) rows += use->inputs.rows;
    Real* x = arena_.array<Real>(static_cast<std::size_t>(rows) * in).data();
    Real* dy = arena_.array<Real>(static_cast<std::size_t>(rows) * out).data();
    inputs = {x, rows, in};
    doutputs = {dy, rows, out};
    for (const Tensor::Use* use = weight.uses; use; use = use->next) {
      std::memcpy(x, use->inputs.data, sizeof(Real) * use->inputs.rows * in);
      std::memcpy(dy, use->doutputs.data, sizeof(Real) * use->inputs.rows * out);
      x += std::ptrdiff_t(use->inputs.rows) * in;
      dy += std::ptrdiff_t(use->inputs.rows) * out;
    }
  }
  kernels::add_transposed_product({inputs.data, inputs.rows, in, in}, {doutputs.data, inputs.rows, out, out},
                                  Tensor(&weight).gradient(), out);
}

void Tape::add_products() {
  for (Tensor::Slot* slot = first_used_; slot; slot = slot->next_used) {
    add_product(*slot);
    slot->uses = nullptr;
  }
  first_used_ = nullptr;
}

void Tape::backward(Tensor loss, Real scale) {
  check(loss.shape().count() == 1, "backward starts from a single number, not from {}", loss.shape().text());
  if (!loss.wants_gradient()) return;
  *loss.gradient() += scale;
  for (const Entry* entry = last_; entry; entry = entry->previous) entry->run(entry->closure);
  last_ = nullptr;
  add_products();
}

void Tape::clear() {
  last_ = nullptr;
  first_used_ = nullptr;
}

}  // namespace fovea
