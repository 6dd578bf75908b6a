// What a decoder carries from one step to the next: named tensors, one row for each hypothesis. Search reorders it and
// looks no further.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/as_size.h"
#include "layers/pass.h"

namespace fovea {

class State {
 public:
  // Rows stand in the first axis or in the second.
  void set(std::string name, Tensor value, int axis = 0) { entries_.push_back({std::move(name), value, axis, {}}); }
  // What grows by a step at a time: all that `before` has under that name, then `now` [rows, size], as [steps, rows,
  // size]. Earlier steps are not copied: states that go on from one another share them.
  Tensor grow(Pass& pass, const State& before, std::string name, Tensor now);
  // Empty if there is none of that name.
  Tensor get(std::string_view name) const;

  // The state whose row i is this one's row rows[i], in the memory of `pass`; of what grows only where rows move.
  State rows(Pass& pass, Ids rows) const;

  // All that another has, under names that begin with `prefix`; and out again.
  void add(const std::string& prefix, const State& part);
  State part(const std::string& prefix) const;

  int step = 0;  // how many symbols have been written

 private:
  // Steps of equal size with room for more.
  struct Grown {
    Grown(int room, int size) : values(new Real[as_size(room) * size]), room(room), size(size) {}
    Real* at(int step) const { return values.get() + std::ptrdiff_t(step) * size; }

    std::unique_ptr<Real[]> values;
    int room;
    int size;
    int steps = 0;  // a state that has fewer must not add here: another has gone on from it
  };
  struct Entry {
    std::string name;
    Tensor value;  // [rows, ...] or [any, rows, size]
    int axis = 0;
    std::shared_ptr<Grown> grown;  // where the values of what grows are
  };
  const Entry* find(std::string_view name) const;

  std::vector<Entry> entries_;
};

}  // namespace fovea
