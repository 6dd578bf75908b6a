// Rows for ops/selections.cc. Where a value changes its formula at some score (sparsemax, entmax, keep_window) the
// inputs lie away from it.
#pragma once

#include <algorithm>

#include "tensor/op_case.h"

namespace fovea {

// A mask with memory of its own and, if causal >= 0, a limit: query q sees position q + causal at most.
struct SeenBy {
  std::string name;
  OwnMask real;
  int causal = -1;

  operator Mask() const {
    Mask mask = real;
    mask.causal = causal;
    return mask;
  }
};

inline std::vector<SeenBy> seen_by_all_or_few() { return {{"all", mixed_mask()}, {"causal", mixed_mask(), 1}}; }

inline void add_weight_cases(std::vector<OpCase>& cases) {
  const NamedInputs scores = {{"scores", {3, 4, 5}}};
  // One, some and all of what is seen lie above the threshold, none within 0.05 of it.
  const NamedInputs sparse = {{"sparse", {3, 4, 5}}};
  for (const SeenBy& mask : seen_by_all_or_few()) {
    cases.push_back({"sparsemax", mask.name, sparse, [=](Ts in) { return sparsemax(scale(in[0], 2), mask); }, {}});
    cases.push_back({"entmax", mask.name, sparse, [=](Ts in) { return entmax(scale(in[0], 3), mask); }, {}});
    cases.push_back({"masked_sigmoid", mask.name, scores, [=](Ts in) { return masked_sigmoid(in[0], mask); }, {}});
  }
  // The value is that of `hard`, so the two have to agree for the quotient to be the gradient of `soft`.
  cases.push_back(
      {"straight_through", "", scores, [](Ts in) { return straight_through(tanh(in[0]), tanh(in[0])); }, {}});
}

inline void add_window_cases(std::vector<OpCase>& cases) {
  const OwnMask real = mixed_mask();
  for (const SeenBy& mask : seen_by_all_or_few()) {
    // Outside the window scores are -1e30, beside which no difference would be seen.
    cases.push_back({"keep_window",
                     mask.name,
                     {{"scores", {3, 4, 5}}},
                     [=](Ts in) {
                       const Tensor centres = in[0].tape().make({3, 4, 1});
                       const Real places[] = {Real(2.3), Real(-7), Real(0.2), 0, 9, 1, Real(3.8), 2, 4, 1, 1, 1};
                       std::ranges::copy(places, centres.data());
                       return masked_softmax(keep_window(in[0], centres, 1, mask), real);
                     },
                     {}});
    cases.push_back({"gaussian_window",
                     mask.name,
                     {{"centres", {3, 4, 1}}},
                     [=](Ts in) { return gaussian_window(scale(in[0], 3), Real(1.5), mask); },
                     {}});
  }
}

inline void add_alignment_cases(std::vector<OpCase>& cases) {
  const OwnMask real = mixed_mask();
  const NamedInputs inputs = {{"scores", {3, 4, 5}}, {"before", {3, 4, 5}}};
  for (const SeenBy& mask : seen_by_all_or_few()) {
    cases.push_back({"walk",
                     mask.name,
                     inputs,
                     [=](Ts in) { return walk(sigmoid(in[0]), masked_softmax(in[1], real), mask); },
                     {}});
    cases.push_back({"jump",
                     mask.name,
                     inputs,
                     [=](Ts in) { return jump(scale(in[0], 3), masked_softmax(in[1], real), mask); },
                     {}});
    cases.push_back({"posterior",
                     mask.name,
                     {{"prior", {3, 4, 5}}, {"log_likelihoods", {3, 4, 5}}},
                     [=](Ts in) {
                       const auto [log_sum, weights] = posterior(sigmoid(in[0]), scale(in[1], 3), mask);
                       // The log-sum of a row that sees nothing is far from all others.
                       return concat({scale(log_sum, Real(0.01)), weights});
                     },
                     {}});
  }
  const NamedInputs bayes = {{"prior", {3, 4, 5}}, {"log_likelihoods", {3, 4, 5}}};
  cases.push_back(
      {"posterior", "weights", bayes, [=](Ts in) { return posterior(sigmoid(in[0]), in[1], real).weights; }, {}});
  const OwnMask some({"11111", "11000", "01101", "00010"});
  cases.push_back(
      {"posterior", "log_sum", bayes, [=](Ts in) { return posterior(sigmoid(in[0]), in[1], some).log_sum; }, {}});
}

inline void add_selection_cases(std::vector<OpCase>& cases) {
  add_weight_cases(cases);
  add_window_cases(cases);
  add_alignment_cases(cases);
}

}  // namespace fovea
