// Runs an operation on named inputs, and compares the gradients it passes back with differences of its values.
//   check_gradient({{"x", {3, 5}}}, [](auto in) { return tanh(in[0]); });
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "support/random_values.h"
#include "tensor/tensor.h"

namespace fovea {

inline constexpr bool is_double = sizeof(Real) == sizeof(double);

struct NamedInput {
  NamedInput(std::string n, Shape s) : NamedInput(n, s, random_values(s.count(), n)) {}
  NamedInput(std::string n, Shape s, std::vector<Real> v) : name(std::move(n)), shape(s), values(std::move(v)) {}

  std::string name;
  Shape shape;
  std::vector<Real> values;
};
using NamedInputs = std::vector<NamedInput>;
using Operation = std::function<Tensor(std::span<const Tensor>)>;

struct PassOptions {
  int calls = 2;                 // with one call only, a backward that assigns instead of adding would pass
  std::vector<int> wanted = {};  // the inputs that want a gradient; none given: all
  bool any_wanted = true;        // false: no input wants one
  std::vector<int> packed = {};  // the inputs that come with packed forms, like a parameter
  std::vector<Real> probe = {};  // for every call; none given: another random one for each
};

struct RunResult {
  std::vector<Real> output;  // of the first call
  bool output_wants_gradient = false;
  double loss = 0;                           // sum over calls of output * probe
  std::vector<std::vector<Real>> gradients;  // of each input; zeros where none was wanted
};

namespace gradient_check {

// sum of output * probe over all outputs. Written here, so that the check does not lean on what it checks.
inline Tensor probed_sum(std::span<const Tensor> outputs, std::span<const std::vector<Real>> probes, double& loss) {
  Tape& tape = outputs[0].tape();
  const Tensor sum = tape.make({1}, outputs[0].wants_gradient());
  loss = 0;
  for (std::size_t c = 0; c < outputs.size(); ++c) {
    for (std::size_t i = 0; i < probes[c].size(); ++i) loss += double(outputs[c].values()[i]) * double(probes[c][i]);
  }
  *sum.data() = static_cast<Real>(loss);
  if (sum.wants_gradient()) {
    tape.record([=] {
      for (std::size_t c = 0; c < outputs.size(); ++c) {
        for (std::size_t i = 0; i < probes[c].size(); ++i) outputs[c].gradient()[i] += *sum.gradient() * probes[c][i];
      }
    });
  }
  return sum;
}

inline bool contains(const std::vector<int>& list, int i) { return std::ranges::find(list, i) != list.end(); }

}  // namespace gradient_check

inline RunResult run(Arena& arena, const NamedInputs& inputs, const Operation& operation,
                     const PassOptions& options = {}) {
  using namespace gradient_check;
  arena.reset();
  Tape tape(arena);
  RunResult result;
  std::vector<std::vector<Real>> values;  // the engine asks for memory it may write to
  std::vector<std::unique_ptr<Packed>> packed;
  std::vector<Tensor> tensors;
  for (int i = 0; i < std::ssize(inputs); ++i) {
    const Shape& shape = inputs[i].shape;
    values.push_back(inputs[i].values);
    result.gradients.emplace_back(values[i].size(), Real(0));
    if (contains(options.packed, i)) packed.push_back(std::make_unique<Packed>(values[i].data(), shape[0], shape[1]));
    const bool wanted = options.any_wanted && (options.wanted.empty() || contains(options.wanted, i));
    tensors.push_back(tape.borrow(shape, values[i].data(), wanted ? result.gradients[i].data() : nullptr,
                                  contains(options.packed, i) ? packed.back().get() : nullptr));
  }
  std::vector<Tensor> outputs;
  std::vector<std::vector<Real>> probes;
  for (int call = 0; call < options.calls; ++call) {
    outputs.push_back(operation(tensors));
    probes.push_back(options.probe.empty() ? random_values(outputs[0].shape().count(), "probe" + std::to_string(call))
                                           : options.probe);
  }
  result.output.assign(outputs[0].values().begin(), outputs[0].values().end());
  result.output_wants_gradient = outputs[0].wants_gradient();
  tape.backward(probed_sum(outputs, probes, result.loss));
  return result;
}

inline RunResult run(const NamedInputs& inputs, const Operation& operation, const PassOptions& options = {}) {
  Arena arena;
  return run(arena, inputs, operation, options);
}

struct Difference {
  double size = 0;  // |a - b| / max(1, |a|, |b|), the largest; infinite where either is not a number
  std::string where = "nowhere";

  void see(double a, double b, const std::string& name, std::size_t index) {
    double found = std::abs(a - b) / std::max({1.0, std::abs(a), std::abs(b)});
    if (std::isnan(found)) found = a == b ? 0 : HUGE_VAL;
    if (found <= size) return;
    size = found;
    where = fmt::format("{}[{}]: {} and {}", name, index, a, b);
  }
};

template <class A, class B>
Difference largest_difference(const A& a, const B& b, const std::string& name = "") {
  Difference largest;
  if (a.size() != b.size()) return {HUGE_VAL, fmt::format("{}: {} and {} values", name, a.size(), b.size())};
  for (std::size_t i = 0; i < a.size(); ++i) largest.see(a[i], b[i], name, i);
  return largest;
}

// Between the gradients passed back and central differences.
inline Difference largest_gradient_error(NamedInputs inputs, const Operation& operation) {
  constexpr double step = is_double ? 1e-5 : 1e-2;
  Arena arena;
  const RunResult found = run(arena, inputs, operation);
  const auto loss_at = [&](Real& value, double at) {
    value = static_cast<Real>(at);
    return run(arena, inputs, operation, {.any_wanted = false}).loss;
  };
  Difference largest;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    for (std::size_t j = 0; j < inputs[i].values.size(); ++j) {
      Real& value = inputs[i].values[j];
      const Real middle = value;
      const double quotient = (loss_at(value, middle + step) - loss_at(value, middle - step)) / (2 * step);
      value = middle;
      largest.see(found.gradients[i][j], quotient, inputs[i].name, j);
    }
  }
  return largest;
}

// The float build sees gross mistakes only; the double build is the one that checks.
inline constexpr double gradient_tolerance = is_double ? 1e-6 : 2e-2;

inline void check_gradient(const NamedInputs& inputs, const Operation& operation) {
  const Difference error = largest_gradient_error(inputs, operation);
  EXPECT_LE(error.size, gradient_tolerance) << "gradient passed back and difference quotient of " << error.where;
}

// The same computation arranged in another way.
inline constexpr double rounding_tolerance = is_double ? 1e-12 : 1e-5;

template <class A, class B>
void expect_close(const A& a, const B& b, const std::string& name, double tolerance = rounding_tolerance) {
  const Difference difference = largest_difference(a, b, name);
  EXPECT_LE(difference.size, tolerance) << difference.where;
}

inline void expect_same_gradients(const NamedInputs& inputs, const RunResult& a, const RunResult& b,
                                  double tolerance = rounding_tolerance) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    expect_close(a.gradients[i], b.gradients[i], "gradient of " + inputs[i].name, tolerance);
  }
}

}  // namespace fovea
