#include "layers/parameters.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/as_size.h"
#include "base/error.h"
#include "base/random.h"

namespace fovea {

namespace {

std::uint64_t hash(std::string_view name) {
  std::uint64_t h = name.size();
  for (const char c : name) h = mix(h, static_cast<unsigned char>(c));
  return h;
}

}  // namespace

Initial Initial::glorot(int in, int out, double gain) { return uniform(gain * std::sqrt(6.0 / (in + out))); }

Initial Initial::fan_in(int in) { return uniform(1 / std::sqrt(in)); }

ParameterId Parameters::add(std::string name, Shape shape, Initial initial) {
  name = prefix_ + name;
  check(values_.empty(), "parameter {} comes after the memory", name);
  check(std::ranges::none_of(entries_, [&](const Entry& e) { return e.name == name; }), "two parameters named {}",
        name);
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  std::int64_t size = 1;
  for (int i = 0; i < shape.axes() && size <= most; ++i) size *= shape[i];
  if (size > most) {
    throw usage_error("the weight {} {} is too large; choose smaller sizes or vocabularies", name, shape.text());
  }
  entries_.push_back({std::move(name), shape, initial, static_cast<std::ptrdiff_t>(count_), nullptr});
  count_ += shape.count();
  return {static_cast<int>(entries_.size()) - 1};
}

void Parameters::allocate() {
  values_.resize(as_size(count_));
  for (Entry& entry : entries_) {
    if (entry.shape.axes() == 2) {
      entry.packed = std::make_unique<Packed>(values(entry).data(), entry.shape[0], entry.shape[1]);
    }
  }
}

void Parameters::initialise(std::uint64_t seed) {
  for (const Entry& entry : entries_) {
    const Random random = Random(seed, Purpose::initial_weights).at(hash(entry.name));
    std::uint64_t i = 0;
    for (Real& value : values(entry)) {
      value = entry.initial.kind == Initial::Kind::constant
                  ? static_cast<Real>(entry.initial.value)
                  : static_cast<Real>((2 * random.uniform(i++) - 1) * entry.initial.value);
    }
  }
  invalidate_packed();
}

void Parameters::refresh_packed(Workers& workers) {
  ++version_;
  workers.run(2 * static_cast<int>(entries_.size()), [&](int task, int) {
    Packed* packed = entries_[as_size(task / 2)].packed.get();
    if (!packed) return;
    task % 2 == 0 ? packed->refresh_plain() : packed->refresh_transposed();
  });
}

void Parameters::use_int8() {
  ++version_;
  for (const Entry& entry : entries_) {
    if (entry.packed) entry.packed->use_int8();
  }
}

void Parameters::invalidate_packed() {
  ++version_;
  for (const Entry& entry : entries_) {
    if (entry.packed) entry.packed->invalidate();
  }
}

}  // namespace fovea
