// What a decoder carries from one step to the next: named tensors, one row for each hypothesis. Search reorders it and
// looks no further.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "layers/pass.h"

namespace fovea {

class State {
 public:
  // Rows stand in the first axis, or, of what grows with the steps, in the second.
  void set(std::string name, Tensor value, int axis = 0) { entries_.push_back({std::move(name), value, axis}); }
  // Empty if there is none of that name.
  Tensor get(std::string_view name) const;

  // The state whose row i is this one's row rows[i], in the memory of `pass`.
  State rows(Pass& pass, Ids rows) const;

  int step = 0;  // how many symbols have been written

 private:
  struct Entry {
    std::string name;
    Tensor value;  // [rows, ...] or [steps, rows, ...]
    int axis = 0;
  };
  std::vector<Entry> entries_;
};

}  // namespace fovea
