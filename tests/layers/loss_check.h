// Compares gradients that a pass left behind with differences of the loss, number by number.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/as_size.h"
#include "layers/parameters.h"
#include "support/gradient_check.h"

namespace fovea {

struct Numbers {
  std::string name;
  std::span<Real> values;
  std::span<const Real> gradient;
};

// In double relative to gradients of 0.01 and more: deep in a network they are small. `loss` reads the values anew at
// every call and gives a double.
template <class Loss>
Difference largest_loss_gradient_error(std::span<const Numbers> all, const Loss& loss) {
  constexpr double step = is_double ? 1e-5 : 1e-2;
  constexpr double unit = is_double ? 0.01 : 1;
  Difference largest;
  for (const Numbers& numbers : all) {
    for (std::size_t i = 0; i < numbers.values.size(); ++i) {
      Real& value = numbers.values[i];
      const Real middle = value;
      value = static_cast<Real>(middle + step);
      const double above = loss();
      value = static_cast<Real>(middle - step);
      const double below = loss();
      value = middle;
      const double quotient = (above - below) / (2 * step);
      largest.see(static_cast<double>(numbers.gradient[i]) / unit, quotient / unit, numbers.name, i);
    }
  }
  return largest;
}

// The weights, one entry each; gradient is laid out like Parameters::values().
inline std::vector<Numbers> numbers_of(Parameters& parameters, std::span<const Real> gradient) {
  std::vector<Numbers> all;
  for (const Parameters::Entry& entry : parameters.entries()) {
    const std::span<Real> values = parameters.values(entry);
    all.push_back({entry.name, values, gradient.subspan(as_size(entry.offset), values.size())});
  }
  return all;
}

}  // namespace fovea
