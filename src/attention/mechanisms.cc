#include "attention/mechanism.h"

namespace fovea {

// Each line of the list declares the entry that its file defines ...
#define MECHANISM(Axis, name) extern const Mechanism<Axis> Axis##_##name;
#include "attention/mechanisms.def"
#undef MECHANISM

namespace {

// ... and adds it to the list of its axis.
template <class Axis>
Registry<Mechanism<Axis>> made_list(std::string_view what) {
  std::vector<const Mechanism<Axis>*> found;
  const auto add = [&]<class Other>(const Mechanism<Other>& entry) {
    if constexpr (std::is_same_v<Axis, Other>) found.push_back(&entry);
  };
#define MECHANISM(Axis, name) add(Axis##_##name);
#include "attention/mechanisms.def"
#undef MECHANISM
  return {what, std::move(found)};
}

}  // namespace

const Registry<Mechanism<Score>>& scores() {
  static const auto list = made_list<Score>("score");
  return list;
}

const Registry<Mechanism<Bias>>& biases() {
  static const auto list = made_list<Bias>("bias");
  return list;
}

const Registry<Mechanism<Select>>& selects() {
  static const auto list = made_list<Select>("selection");
  return list;
}

const Registry<Mechanism<Read>>& reads() {
  static const auto list = made_list<Read>("reading");
  return list;
}

}  // namespace fovea
