#include "attention/mechanism.h"

namespace fovea {

// Each line of the list declares the entry that its file defines ...
#define MECHANISM(Axis, name) extern const Mechanism<Axis> Axis##_##name;
#include "attention/mechanisms.def"
#undef MECHANISM

namespace {

// ... and adds it to the list of its axis.
template <class Axis>
std::span<const Mechanism<Axis>* const> entries() {
  static const std::vector<const Mechanism<Axis>*> list = [] {
    std::vector<const Mechanism<Axis>*> found;
    const auto add = [&]<class Other>(const Mechanism<Other>& entry) {
      if constexpr (std::is_same_v<Axis, Other>) found.push_back(&entry);
    };
#define MECHANISM(Axis, name) add(Axis##_##name);
#include "attention/mechanisms.def"
#undef MECHANISM
    return found;
  }();
  return list;
}

}  // namespace

std::span<const Mechanism<Score>* const> scores() { return entries<Score>(); }
std::span<const Mechanism<Bias>* const> biases() { return entries<Bias>(); }
std::span<const Mechanism<Select>* const> selects() { return entries<Select>(); }
std::span<const Mechanism<Read>* const> reads() { return entries<Read>(); }

}  // namespace fovea
