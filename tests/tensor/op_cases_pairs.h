// Rows for ops/pairs.cc and ops/copy_map.cc.
#pragma once

#include "tensor/op_case.h"

namespace fovea {

// CopyMapView with memory of their own.
struct OwnLinks {
  std::vector<std::int32_t> starts;
  std::vector<std::int32_t> symbols;
  std::vector<Real> shares;
  int width = 0;

  operator CopyMapView() const { return {starts, symbols, shares, width}; }
};

// 3 positions of 2 rows: some stand for nothing, some for several symbols, some share a symbol.
inline OwnLinks mixed_links() {
  return {{0, 1, 3, 3, 4, 7, 8},
          {4, 0, 6, 6, 4, 1, 0, 6},
          {1, Real(0.25), Real(0.5), 1, Real(0.5), Real(0.125), Real(0.375), Real(0.75)},
          7};
}

inline void add_pair_cases(std::vector<OpCase>& cases) {
  const NamedInputs both = {{"queries", {3, 2, 5}}, {"keys", {4, 2, 5}}};
  cases.push_back({"broadcast_add", "", both, [](Ts in) { return tanh(broadcast_add(in[0], in[1])); }, {}});
  cases.push_back({"broadcast_multiply", "", both, [](Ts in) { return broadcast_multiply(in[0], in[1]); }, {}});
  cases.push_back({"broadcast_multiply",
                   "with_itself",
                   {{"x", {3, 2, 5}}},
                   [](Ts in) { return broadcast_multiply(in[0], in[0]); },
                   {}});
  cases.push_back({"from_pairs", "", {{"x", {5, 6, 1}}}, [](Ts in) { return from_pairs(in[0], 3); }, {}});
  cases.push_back({"to_pairs", "", {{"scores", {3, 2, 5}}}, [](Ts in) { return to_pairs(in[0]); }, {}});

  const OwnMask mask = mixed_mask();
  const NamedInputs sequence = {{"x", {5, 4, 3}}};
  cases.push_back({"windows", "odd", sequence, [=](Ts in) { return windows(in[0], 3, mask); }, {}});
  cases.push_back({"windows", "even_and_wide", sequence, [=](Ts in) { return windows(in[0], 6, mask); }, {}});
  cases.push_back({"unit_sequences", "", sequence, [=](Ts in) { return unit_sequences(in[0], mask); }, {}});

  // The copy_map are gone before the gradient flows.
  cases.push_back({"scatter_to_vocabulary",
                   "",
                   {{"weights", {3, 2, 3}}},
                   [](Ts in) { return scatter_to_vocabulary(in[0], mixed_links()); },
                   {}});
  const auto mixture = [](Ts in) { return log_mixture(scale(in[0], 2), sigmoid(in[1]), sigmoid(in[2])); };
  cases.push_back({"log_mixture", "", {{"logits", {2, 3, 5}}, {"gate", {2, 3, 1}}, {"extra", {2, 3, 7}}}, mixture, {}});
  cases.push_back(
      {"log_mixture", "same_width", {{"logits", {3, 5}}, {"gate", {3, 1}}, {"extra", {3, 5}}}, mixture, {}});
}

}  // namespace fovea
