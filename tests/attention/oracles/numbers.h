// Plain numbers for oracles: what a formula says, computed once more in double, one row after the other, in loops that
// share no code with src/. Weights are known by their names.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/as_size.h"
#include "layers/parameters.h"

namespace fovea::oracle {

using Row = std::vector<double>;
using Rows = std::vector<Row>;

inline double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
inline double softplus(double x) { return std::log1p(std::exp(x)); }
inline double relu(double x) { return std::max(x, 0.0); }

// f of each number.
template <class Function>
Row each(Row x, const Function& f) {
  for (double& value : x) value = f(value);
  return x;
}
inline Row tanh(Row x) {
  return each(std::move(x), [](double value) { return std::tanh(value); });
}
inline Row scaled(Row x, double factor) {
  return each(std::move(x), [=](double value) { return factor * value; });
}

inline void check_sizes(const Row& a, const Row& b) {
  if (a.size() != b.size()) throw std::logic_error(fmt::format("rows of {} and {}", a.size(), b.size()));
}
inline Row plus(Row a, const Row& b) {
  check_sizes(a, b);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}
inline Row product(Row a, const Row& b) {  // number by number
  check_sizes(a, b);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] *= b[i];
  return a;
}
inline double dot(const Row& a, const Row& b) {
  double sum = 0;
  for (const double value : product(a, b)) sum += value;
  return sum;
}
inline double sum(const Row& x) {
  double total = 0;
  for (const double value : x) total += value;
  return total;
}
inline double norm(const Row& x) { return std::sqrt(dot(x, x)); }

inline Row joined(Row a, const Row& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
inline Row part(const Row& x, std::size_t start, std::size_t count) {
  return {x.begin() + static_cast<std::ptrdiff_t>(start), x.begin() + static_cast<std::ptrdiff_t>(start + count)};
}

inline Row softmax(const Row& x) {
  const double largest = *std::max_element(x.begin(), x.end());
  const Row powers = each(x, [=](double value) { return std::exp(value - largest); });
  return scaled(powers, 1 / sum(powers));
}
inline double log_sum(const Row& x) {  // log sum_i exp(x_i)
  const double largest = *std::max_element(x.begin(), x.end());
  return largest + std::log(sum(each(x, [=](double value) { return std::exp(value - largest); })));
}
// sum_i a_i v_i
inline Row weighted_sum(const Row& a, const Rows& values) {
  Row total(values[0].size());
  for (std::size_t i = 0; i < a.size(); ++i) total = plus(total, scaled(values[i], a[i]));
  return total;
}
inline Row mean(const Rows& rows) {
  return weighted_sum(Row(rows.size(), 1.0 / static_cast<double>(rows.size())), rows);
}
// Rows i - before .. i + after side by side, zeros where there is none.
inline Row window(const Rows& rows, std::size_t i, int before, int after) {
  Row all;
  for (int k = -before; k <= after; ++k) {
    const int there = static_cast<int>(i) + k;
    const bool is_row = there >= 0 && there < std::ssize(rows);
    all = joined(all, is_row ? rows[as_size(there)] : Row(rows[0].size()));
  }
  return all;
}

// The weights whose names start with a prefix.
class Weights {
 public:
  // `parameters` must outlive it.
  explicit Weights(const Parameters& parameters, std::string prefix = "")
      : parameters_(&parameters), prefix_(std::move(prefix)) {}

  // Those of a part.
  Weights of(const std::string& name) const { return Weights(*parameters_, prefix_ + name + "."); }

  bool has(const std::string& name) const { return find(name) != nullptr; }
  // A row of a matrix, or all of a vector.
  Row row(const std::string& name, int index = 0) const {
    const Parameters::Entry& entry = get(name);
    const auto size = as_size(entry.shape.last());
    const auto values = parameters_->values(entry).subspan(as_size(index) * size, size);
    return {values.begin(), values.end()};
  }
  double number(const std::string& name) const { return row(name)[0]; }
  int rows(const std::string& matrix) const { return get(matrix).shape[0]; }
  // W x, the matrix stored as [size of x, size of W x]; and its transpose times x.
  Row times(const std::string& matrix, const Row& x) const {
    const Parameters::Entry& entry = get(matrix);
    if (entry.shape.axes() != 2 || entry.shape[0] != std::ssize(x)) {
      throw std::logic_error(fmt::format("{}{} {} times {}", prefix_, matrix, entry.shape.text(), x.size()));
    }
    const auto values = parameters_->values(entry);
    Row y(as_size(entry.shape[1]));
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (std::size_t j = 0; j < y.size(); ++j) y[j] += x[i] * static_cast<double>(values[i * y.size() + j]);
    }
    return y;
  }
  Row transposed_times(const std::string& matrix, const Row& x) const {
    Row y;
    for (int j = 0; j < rows(matrix); ++j) y.push_back(dot(row(matrix, j), x));
    return y;
  }
  // W x, W x + b
  Row map(const std::string& name, const Row& x) const { return times(name + ".weight", x); }
  Row affine(const std::string& name, const Row& x) const { return plus(map(name, x), row(name + ".bias")); }

 private:
  const Parameters::Entry* find(const std::string& name) const {
    for (const Parameters::Entry& entry : parameters_->entries()) {
      const bool as_long = entry.name.size() == prefix_.size() + name.size();
      if (as_long && entry.name.starts_with(prefix_) && entry.name.ends_with(name)) return &entry;
    }
    return nullptr;
  }
  const Parameters::Entry& get(const std::string& name) const {
    const Parameters::Entry* entry = find(name);
    if (!entry) throw std::out_of_range("no weight " + prefix_ + name);
    return *entry;
  }

  const Parameters* parameters_;
  std::string prefix_;
};

}  // namespace fovea::oracle
