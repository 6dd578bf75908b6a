// A weight matrix in the forms products want it in: packed as it is, for x W, and transposed, for dy W'. Packed at
// first use after a change and shared by all workers.
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include "base/real.h"

namespace fovea {

class Packed {
 public:
  Packed(const Real* matrix, int rows, int columns) : matrix_(matrix), rows_(rows), columns_(columns) {}

  const Real* plain() const { return form(plain_, false); }           // [rows, columns]
  const Real* transposed() const { return form(transposed_, true); }  // [columns, rows]
  // The matrix has changed: forms are made anew when next asked for. Not while anyone multiplies.
  void invalidate() { plain_.ready = transposed_.ready = false; }
  // The same, but a form that was in use is made anew at once. Each form may be left to another thread.
  void refresh_plain() { refresh(plain_, false); }
  void refresh_transposed() { refresh(transposed_, true); }

 private:
  struct Form {
    std::atomic<bool> ready = false;
    std::vector<Real> panels;
  };
  const Real* form(Form& form, bool transposed) const;
  void fill(Form& form, bool transposed) const;
  void refresh(Form& form, bool transposed);

  const Real* matrix_;
  int rows_;
  int columns_;
  mutable std::mutex packing_;
  mutable Form plain_;
  mutable Form transposed_;
};

}  // namespace fovea
