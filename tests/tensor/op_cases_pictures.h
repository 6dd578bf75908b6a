// Rows of op_cases.h: pictures.
#pragma once

#include "tensor/op_case.h"

namespace fovea {

// Each value a tenth apart from all others, so that no difference quotient changes which is the largest.
inline std::vector<Real> values_apart(int count) {
  std::vector<Real> values;
  for (int i = 0; i < count; ++i) values.push_back(Real(i * 7 % count) / 10 - Real(2));
  return values;
}

inline void add_picture_cases(std::vector<OpCase>& cases) {
  const NamedInputs x = {{"x", {4, 6, 2, 3}}};
  const std::vector<std::int32_t> all = {4, 4}, some = {2, 4};
  cases.push_back({"picture_windows", "", x, [all](Ts in) { return picture_windows(in[0], 3, all); }, {}});
  cases.push_back({"picture_windows", "narrow", x, [some](Ts in) { return picture_windows(in[0], 3, some); }, {}});
  cases.push_back({"picture_windows", "wide", x, [some](Ts in) { return picture_windows(in[0], 5, some); }, {}});
  const NamedInputs apart = {{"x", {4, 6, 2, 1}, values_apart(48)}};  // 7 and 48 have no divisor in common
  cases.push_back({"max_pool", "", apart, [](Ts in) { return max_pool(in[0], 2, 2); }, {}});
  cases.push_back({"max_pool", "down", apart, [](Ts in) { return max_pool(in[0], 1, 3); }, {}});
}

}  // namespace fovea
