// Golden arrays as operations take them, and how close the results must come.
#pragma once

#include <string>
#include <vector>

#include "support/golden.h"
#include "tensor/op_case.h"

namespace fovea {

inline constexpr double golden_tolerance = is_double ? 1e-10 : 1e-5;

inline Shape shape_of(const GoldenArray& array) {
  const auto& s = array.shape;
  const auto axis = [&](std::size_t i) { return static_cast<int>(s[i]); };
  return s.size() == 1 ? Shape{axis(0)} : s.size() == 2 ? Shape{axis(0), axis(1)} : Shape{axis(0), axis(1), axis(2)};
}

inline OwnMask mask_of(const GoldenArray& lengths, int positions) {
  std::vector<std::string> rows;
  for (const int length : lengths.as<int>()) {
    rows.push_back(std::string(length, '1') + std::string(positions - length, '0'));
  }
  return OwnMask(rows);
}

inline NamedInputs inputs_of(const Golden& golden, const std::vector<std::string>& names) {
  NamedInputs inputs;
  for (const std::string& name : names) {
    inputs.emplace_back(name, shape_of(golden.input(name)), golden.input(name).as<Real>());
  }
  return inputs;
}

}  // namespace fovea
