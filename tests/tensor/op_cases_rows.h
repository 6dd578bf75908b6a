// Rows of op_cases.h: single values, rows, attention that looks no further than it may, and positions.
#pragma once

#include "tensor/op_case.h"

namespace fovea {

// Away from zero by 0.2 at least, so that no difference quotient reaches over the kink there.
inline std::vector<Real> values_off_zero(int count, const std::string& name) {
  std::vector<Real> values = random_values(count, name);
  for (Real& value : values) value += value < 0 ? Real(-0.2) : Real(0.2);
  return values;
}

inline void add_single_value_cases(std::vector<OpCase>& cases) {
  const NamedInputs x = {{"x", {5, 7}}};
  const NamedInputs off_zero = {{"x", {5, 7}, values_off_zero(35, "x")}};
  cases.push_back({"relu", "", off_zero, [](Ts in) { return relu(in[0]); }, {}});
  cases.push_back({"exp", "", x, [](Ts in) { return exp(in[0]); }, {}});
  cases.push_back({"reciprocal", "", off_zero, [](Ts in) { return reciprocal(in[0]); }, {}});
  cases.push_back({"softplus", "", x, [](Ts in) { return softplus(scale(in[0], 4)); }, {}});
  cases.push_back({"log", "", x, [](Ts in) { return log(in[0], Real(2.5)); }, {}});
  cases.push_back({"shift", "", x, [](Ts in) { return shift(in[0], Real(-0.75)); }, {}});
  // b is a and something off zero.
  cases.push_back({"minimum",
                   "",
                   {{"a", {5, 7}}, {"difference", {5, 7}, values_off_zero(35, "difference")}},
                   [](Ts in) { return minimum(in[0], add(in[0], in[1])); },
                   {}});
  // Whatever a difference quotient sees must flow back, so nothing of the detached value may show.
  cases.push_back({"detach", "", x, [](Ts in) { return add(in[0], scale(detach(in[0]), 0)); }, {}});
}

inline void add_whole_row_cases(std::vector<OpCase>& cases) {
  const NamedInputs x = {{"x", {2, 3, 7}}};
  cases.push_back({"add_row", "", {x[0], {"row", {7}}}, [](Ts in) { return add_row(in[0], in[1]); }, {}});
  cases.push_back(
      {"scale_rows", "", {x[0], {"factors", {2, 3, 1}}}, [](Ts in) { return scale_rows(in[0], in[1]); }, {}});
  cases.push_back({"layer_norm",
                   "",
                   {x[0], {"gain", {7}}, {"bias", {7}}},
                   [](Ts in) { return layer_norm(in[0], in[1], in[2]); },
                   {}});
  cases.push_back({"layer_norm",
                   "wide",
                   {{"x", {3, 37}}, {"gain", {37}}, {"bias", {37}}},
                   [](Ts in) { return layer_norm(in[0], in[1], in[2]); },
                   {}});
  cases.push_back({"unit_rows", "", x, [](Ts in) { return unit_rows(in[0]); }, {}});
  cases.push_back({"log_sum", "", x, [](Ts in) { return log_sum(in[0]); }, {}});
  const std::vector<std::int32_t> ids = {6, 2, 0, 6, 2, 3};
  cases.push_back({"pick", "", x, [ids](Ts in) { return pick(in[0], ids, -1); }, {}});
  cases.push_back({"pick", "ignored_rows", x, [ids](Ts in) { return pick(in[0], ids, 2); }, {}});
  cases.push_back({"sum", "", x, [](Ts in) { return sum(in[0]); }, {}});
  cases.push_back({"sum_steps", "", {{"x", {4, 3, 5}}}, [](Ts in) { return sum_steps(in[0]); }, {}});
  cases.push_back({"columns", "", x, [](Ts in) { return columns(in[0], 2, 3); }, {}});
  cases.push_back({"columns", "all", x, [](Ts in) { return columns(in[0], 0, 7); }, {}});
}

inline void add_causal_cases(std::vector<OpCase>& cases) {
  for (const int causal : {-1, 0, 2}) {
    const auto masked = [causal, own = mixed_mask()] {
      Mask mask = own;
      mask.causal = causal;
      return mask;
    };
    for (const int queries : {1, 4}) {
      const std::string name =
          (causal < 0 ? "" : "causal_" + std::to_string(causal) + "_") + (queries == 1 ? "one_query" : "queries");
      cases.push_back({"dot_scores",
                       name,
                       {{"queries", {queries, 4, 7}}, {"keys", {5, 4, 7}}},
                       [=](Ts in) { return dot_scores(in[0], in[1], Real(0.4), masked()); },
                       {}});
      if (causal < 0) continue;  // among the other attention cases
      cases.push_back({"additive_scores",
                       name,
                       {{"queries", {queries, 4, 7}}, {"keys", {5, 4, 7}}, {"v", {7}}},
                       [=](Ts in) { return additive_scores(in[0], in[1], in[2], masked()); },
                       {}});
      cases.push_back({"masked_softmax",
                       name,
                       {{"scores", {queries, 4, 5}}},
                       [=](Ts in) { return masked_softmax(in[0], masked()); },
                       {}});
      cases.push_back({"weighted_sum",
                       name,
                       {{"weights", {queries, 4, 5}}, {"values", {5, 4, 3}}},
                       [=](Ts in) { return weighted_sum(in[0], in[1], masked()); },
                       {}});
    }
  }
}

inline void add_position_cases(std::vector<OpCase>& cases) {
  const NamedInputs relative_bias_inputs = {{"x", {3, 2, 5}}};
  const NamedInputs rotated = {{"x", {3, 2, 6}}};
  for (const int stride : {0, 1}) {
    const When when = {.first = 2, .stride = stride};
    const std::string name = stride ? "steps" : "one_step";
    cases.push_back(
        {"relative_bias", name, relative_bias_inputs, [=](Ts in) { return relative_bias(in[0], 7, when); }, {}});
    cases.push_back({"rotate", name, rotated, [=](Ts in) { return rotate(in[0], when); }, {}});
  }
}

inline void add_row_cases(std::vector<OpCase>& cases) {
  add_single_value_cases(cases);
  add_whole_row_cases(cases);
  add_causal_cases(cases);
  add_position_cases(cases);
}

}  // namespace fovea
