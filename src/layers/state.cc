#include "layers/state.h"

#include <algorithm>

namespace fovea {

namespace {

constexpr int first_room = 32;  // steps

bool same_order(Ids rows, int count) {
  if (std::ssize(rows) != count) return false;
  for (int i = 0; i < count; ++i) {
    if (rows[i] != i) return false;
  }
  return true;
}

}  // namespace

const State::Entry* State::find(std::string_view name) const {
  const auto found = std::ranges::find(entries_, name, &Entry::name);
  return found == entries_.end() ? nullptr : &*found;
}

Tensor State::get(std::string_view name) const {
  const Entry* entry = find(name);
  return entry ? entry->value : Tensor();
}

Tensor State::grow(Pass& pass, const State& before, std::string name, Tensor now) {
  const Entry* past = before.find(name);
  const int steps = past ? past->value.shape()[0] : 0, rows = now.shape()[0], size = now.shape()[1];
  std::shared_ptr<Grown> grown = past ? past->grown : nullptr;
  if (!grown || grown->steps != steps || steps == grown->room) {
    grown = std::make_shared<Grown>(std::max(first_room, 2 * steps), rows * size);
    if (past) std::ranges::copy(past->value.values(), grown->values.get());
  }
  check(grown->size == rows * size, "state: {} grows by {}, not by {}", name, now.shape().text(), grown->size);
  std::ranges::copy(now.values(), grown->at(steps));
  grown->steps = steps + 1;
  const Tensor all = pass.tape().borrow({steps + 1, rows, size}, grown->values.get(), nullptr);
  entries_.push_back({std::move(name), all, 1, std::move(grown)});
  return all;
}

State State::rows(Pass& pass, Ids rows) const {
  State chosen;
  for (const Entry& entry : entries_) {
    // Borrowed, so that the copy is made in this pass and not where the state came from.
    const Shape& shape = entry.value.shape();
    const Tensor here = pass.tape().borrow(shape, entry.value.data(), nullptr);
    if (!entry.grown) {
      chosen.set(entry.name, entry.axis == 0 ? gather_rows(here, rows) : gather_batch(here, rows), entry.axis);
    } else if (same_order(rows, shape[1])) {
      chosen.entries_.push_back({entry.name, here, 1, entry.grown});
    } else {
      const int steps = shape[0], count = static_cast<int>(rows.size()), size = shape[2];
      const auto moved = std::make_shared<Grown>(entry.grown->room, count * size);
      for (int t = 0; t < steps; ++t) {
        for (int r = 0; r < count; ++r) std::copy_n(entry.grown->at(t) + rows[r] * size, size, moved->at(t) + r * size);
      }
      moved->steps = steps;
      const Tensor value = pass.tape().borrow({steps, count, size}, moved->values.get(), nullptr);
      chosen.entries_.push_back({entry.name, value, 1, moved});
    }
  }
  chosen.step = step;
  return chosen;
}

void State::add(const std::string& prefix, const State& part) {
  for (const Entry& entry : part.entries_) {
    entries_.push_back(entry);
    entries_.back().name = prefix + entry.name;
  }
  step = part.step;
}

State State::part(const std::string& prefix) const {
  State part;
  for (const Entry& entry : entries_) {
    if (!entry.name.starts_with(prefix)) continue;
    part.entries_.push_back(entry);
    part.entries_.back().name = entry.name.substr(prefix.size());
  }
  part.step = step;
  return part;
}

}  // namespace fovea
