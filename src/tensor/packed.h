// A weight matrix in the forms products want it in: packed as it is, for x W, and transposed, for dy W'. Packed at
// first use after a change and shared by all workers; as it is, or, for prediction, in whole numbers.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "base/large_pages.h"
#include "base/real.h"
#include "kernels/int8.h"

namespace fovea {

// The right side of products: one of the two.
struct Panels {
  const Real* real = nullptr;
  kernels::Int8Matrix int8 = {};
};

class Packed {
 public:
  Packed(const Real* matrix, int rows, int columns) : matrix_(matrix), rows_(rows), columns_(columns) {}

  Panels plain() const { return form(plain_, false); }           // [rows, columns]
  Panels transposed() const { return form(transposed_, true); }  // [columns, rows]
  // From here on forms are in whole numbers. Not for training, and not while anyone multiplies.
  void use_int8() {
    int8_ = true;
    invalidate();
  }
  // The matrix has changed: forms are made anew when next asked for. Not while anyone multiplies.
  void invalidate() { plain_.ready = transposed_.ready = false; }
  // The same, but a form that was in use is made anew at once. Each form may be left to another thread.
  void refresh_plain() { refresh(plain_, false); }
  void refresh_transposed() { refresh(transposed_, true); }

 private:
  struct Form {
    std::atomic<bool> ready = false;
    LargeVector<Real> panels;
    LargeVector<std::int8_t> values;  // in place of the panels, with a scale for each column
    std::vector<float> scales;
    Panels view;
  };
  Panels form(Form& form, bool transposed) const;
  void fill(Form& form, bool transposed) const;
  void refresh(Form& form, bool transposed);

  const Real* matrix_;
  int rows_;
  int columns_;
  bool int8_ = false;
  mutable std::mutex packing_;
  mutable Form plain_;
  mutable Form transposed_;
};

}  // namespace fovea
