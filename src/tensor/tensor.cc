#include "tensor/tensor.h"

#include <algorithm>
#include <limits>

#include "base/as_size.h"

namespace fovea {

Real* Tensor::gradient() const {
  if (slot_->of) return Tensor(slot_->of).gradient() + slot_->offset;
  if (!slot_->gradient) {
    check(slot_->wants_gradient, "the gradient of a tensor {} that wants none", slot_->shape.text());
    const auto memory = tape().arena().array<Real>(as_size(slot_->shape.count()));
    std::fill(memory.begin(), memory.end(), Real(0));
    slot_->gradient = memory.data();
  }
  return slot_->gradient;
}

Real* Tensor::gradient_in_place() const {
  if (has_gradient() || slot_->of) return gradient();
  return slot_->gradient = slot_->value;
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
  slot->value = arena_.array<Real>(as_size(shape.count())).data();
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

Tensor Tape::borrow_noted(Shape shape, Real* values, const Packed* packed) {
  Tensor weight = borrow(shape, values, nullptr, packed);
  weight.slot_->wants_gradient = true;
  return weight;
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

void Tape::list_noted(Tensor::Slot& weight) {
  if (weight.products || weight.rows) return;
  weight.next_noted = first_noted_;
  first_noted_ = &weight;
}

void Tape::note_product(Tensor weight, RowsView inputs, RowsView doutputs) {
  list_noted(*weight.slot_);
  weight.slot_->products =
      new (arena_.bytes(sizeof(ProductNote))) ProductNote{inputs, doutputs, weight.slot_->products};
}

void Tape::note_rows(Tensor weight, std::span<const std::int32_t> ids, const Real* drows) {
  list_noted(*weight.slot_);
  weight.slot_->rows = new (arena_.bytes(sizeof(RowsNote))) RowsNote{ids, drows, weight.slot_->rows};
}

void Tape::note_gradients(Tensor loss, Real scale) {
  check(loss.shape().count() == 1, "backward starts from a single number, not from {}", loss.shape().text());
  if (!loss.wants_gradient()) return;
  *loss.gradient() += scale;
  for (const Entry* entry = last_; entry; entry = entry->previous) entry->run(entry->closure);
  last_ = nullptr;
}

void Tape::backward(Tensor loss, Real scale) {
  note_gradients(loss, scale);
  if (!first_noted_) return;
  const GradientRoom room(arena_, 1);
  for (Tensor::Slot* slot = first_noted_; slot; slot = slot->next_noted) {
    Real* gradient = Tensor(slot).gradient();
    const WeightGradient notes = Tensor(slot).weight_gradient();
    const WeightGradientSum sum(slot->shape, {&notes, 1});
    for (int part = 0; part < sum.parts(); ++part) sum.compute(part, room, gradient);
    slot->products = nullptr;
    slot->rows = nullptr;
  }
  first_noted_ = nullptr;
}

}  // namespace fovea
