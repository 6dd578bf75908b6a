// The weights of a model, named at birth. Saving, loading, counting, updating and showing are loops over this one list.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/as_size.h"
#include "base/large_pages.h"
#include "base/real.h"
#include "base/threads.h"
#include "tensor/packed.h"
#include "tensor/shape.h"

namespace fovea {

// How a weight starts.
struct Initial {
  enum class Kind { constant, uniform } kind = Kind::constant;
  double value = 0;  // the constant, or uniform in [-value, value]

  static Initial constant(double value) { return {Kind::constant, value}; }
  static Initial uniform(double bound) { return {Kind::uniform, bound}; }
  // Glorot & Bengio 2010: the variance of signals stays even in both directions.
  static Initial glorot(int in, int out, double gain = 1);
  // Signals keep their size forwards alone; where `out` is a large vocabulary, glorot would leave nearly nothing of the
  // gradient for what is below.
  static Initial fan_in(int in);
};

// A weight's place in its Parameters.
struct ParameterId {
  int index = -1;
  explicit operator bool() const { return index >= 0; }
};

class Parameters {
 public:
  struct Entry {
    std::string name;
    Shape shape;
    Initial initial;
    std::ptrdiff_t offset = 0;
    std::unique_ptr<Packed> packed;  // of matrices
  };

  // Names from here on start with this. Two models in one list keep apart by it.
  void set_prefix(std::string prefix) { prefix_ = std::move(prefix); }
  const std::string& prefix() const { return prefix_; }

  // Only before allocate().
  ParameterId add(std::string name, Shape shape, Initial initial);

  // Gives all weights memory, in one array. Values are undefined until initialise() or a load fills them.
  void allocate();
  // A weight's start depends on the seed and its name, not on its place in the list.
  void initialise(std::uint64_t seed);

  const std::vector<Entry>& entries() const { return entries_; }
  std::int64_t count() const { return count_; }
  std::span<Real> values() { return values_; }
  std::span<const Real> values() const { return values_; }
  std::span<Real> values(const Entry& entry) { return {values_.data() + entry.offset, as_size(entry.shape.count())}; }
  std::span<const Real> values(const Entry& entry) const {
    return {values_.data() + entry.offset, as_size(entry.shape.count())};
  }

  // To be called after the values have changed: packed forms are made anew when next asked for, or, by threads, at
  // once.
  void invalidate_packed();
  void refresh_packed(Workers& workers);
  // For prediction: products with matrices are made in whole numbers (kernels/int8.h).
  void use_int8();
  // Grows with each of these calls: what was computed of the values may be kept as long as it stays the same.
  std::uint64_t version() const { return version_; }

 private:
  std::string prefix_;
  std::vector<Entry> entries_;
  LargeVector<Real> values_;
  std::int64_t count_ = 0;
  std::uint64_t version_ = 1;
};

}  // namespace fovea
