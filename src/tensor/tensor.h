// A tensor is a value, the place of its gradient and the tape it was computed on. An operation is a function from
// tensors to a tensor; if any input wants a gradient it records, as a closure, how to pass its result's gradient back.
// Where no input wants one nothing is recorded, so a model that only predicts records nothing. All memory is the pass's
// arena.
#pragma once

#include <cstdint>
#include <new>
#include <span>
#include <utility>

#include "base/as_size.h"
#include "base/real.h"
#include "tensor/arena.h"
#include "tensor/packed.h"
#include "tensor/shape.h"
#include "tensor/weight_gradient.h"

namespace fovea {

class Tape;

class Tensor {
 public:
  Tensor() = default;

  explicit operator bool() const { return slot_ != nullptr; }
  const Shape& shape() const { return slot_->shape; }
  Tape& tape() const { return *slot_->tape; }

  Real* data() const { return slot_->value; }
  std::span<Real> values() const { return {slot_->value, as_size(slot_->shape.count())}; }

  bool wants_gradient() const { return slot_->wants_gradient; }
  // Whether anything has flowed back yet.
  bool has_gradient() const { return slot_->of ? Tensor(slot_->of).has_gradient() : slot_->gradient != nullptr; }
  // To be added to; zeros when first asked for.
  Real* gradient() const;
  std::span<Real> gradients() const { return {gradient(), as_size(slot_->shape.count())}; }
  // The same, but, unless something has flowed back already, in the place of the values, whatever they are: nobody may
  // read them any more.
  Real* gradient_in_place() const;
  // gradient() if it is wanted, else null.
  Real* gradient_if_wanted() const { return wants_gradient() ? gradient() : nullptr; }

  // The packed forms of a parameter; null for anything else.
  const Packed* packed() const { return slot_->packed; }
  // Of a parameter, after Tape::note_gradients().
  WeightGradient weight_gradient() const { return {slot_->gradient, slot_->products, slot_->rows}; }

 private:
  friend class Tape;
  struct Slot {
    Shape shape;
    Real* value = nullptr;
    Real* gradient = nullptr;
    Tape* tape = nullptr;
    Slot* of = nullptr;  // a view shares the gradient of what it views
    std::ptrdiff_t offset = 0;
    const Packed* packed = nullptr;
    const ProductNote* products = nullptr;
    const RowsNote* rows = nullptr;
    Slot* next_noted = nullptr;
    bool wants_gradient = false;
  };
  explicit Tensor(Slot* slot) : slot_(slot) {}

  Slot* slot_ = nullptr;
};

class Tape {
 public:
  explicit Tape(Arena& arena) : arena_(arena) {}
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  Arena& arena() { return arena_; }

  // Values undefined.
  Tensor make(Shape shape, bool wants_gradient = false);
  // Values and, if given, gradient belong to someone else: a parameter (with its packed forms) or fixed input.
  Tensor borrow(Shape shape, Real* values, Real* gradients, const Packed* packed = nullptr);
  // A parameter whose gradient is made from notes after the pass; what is added to it directly lies in the arena.
  Tensor borrow_noted(Shape shape, Real* values, const Packed* packed);
  // Part of another tensor's memory, values and gradient alike.
  Tensor view(Tensor of, std::ptrdiff_t offset, Shape shape);

  // `backward` runs after everything recorded later has run. It holds tensors by value and needs no destruction.
  template <class Backward>
  void record(Backward backward) {
    static_assert(std::is_trivially_destructible_v<Backward>, "closures live in the arena and are not destroyed");
    auto* closure = new (arena_.bytes(sizeof(Backward))) Backward(std::move(backward));
    auto* entry = new (arena_.bytes(sizeof(Entry))) Entry;
    entry->closure = closure;
    entry->run = [](void* c) { (*static_cast<Backward*>(c))(); };
    entry->previous = last_;
    last_ = entry;
  }

  // weight.gradient += inputs' * doutputs, but only when everything else is done: a weight used at every step of a loop
  // then gets one product over all steps. Both sides must stay as they are.
  void note_product(Tensor weight, RowsView inputs, RowsView doutputs);
  // Row ids[i] of weight.gradient += drows [ids, columns], likewise.
  void note_rows(Tensor weight, std::span<const std::int32_t> ids, const Real* drows);

  // Fills the gradients of all that led to `loss`, a single number, and forgets the records.
  void backward(Tensor loss, Real scale = 1);
  // The same, but leaves the gradients of parameters as notes, see Tensor::weight_gradient().
  void note_gradients(Tensor loss, Real scale = 1);

 private:
  struct Entry {
    Entry* previous = nullptr;
    void* closure = nullptr;
    void (*run)(void*) = nullptr;
  };
  Tensor::Slot* new_slot();
  void list_noted(Tensor::Slot& weight);

  Arena& arena_;
  Entry* last_ = nullptr;
  Tensor::Slot* first_noted_ = nullptr;
};

// Which positions are real: [positions, batch], 1 = real.
struct Mask {
  const std::uint8_t* data = nullptr;
  int positions = 0;
  int batch = 0;
  int causal = -1;  // >= 0: query q sees no position beyond q + causal

  bool sees(int query, int row, int position) const {
    return data[position * batch + row] && (causal < 0 || position <= query + causal);
  }
};

}  // namespace fovea
