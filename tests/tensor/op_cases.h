// One row for each operation of tensor/ops.h and each way to call it, with odd sizes: what ops_test.cc runs through.
#pragma once

#include "tensor/op_case.h"
#include "tensor/op_cases_pairs.h"
#include "tensor/op_cases_pictures.h"
#include "tensor/op_cases_rows.h"
#include "tensor/op_cases_selections.h"

namespace fovea {

inline void add_pointwise_cases(std::vector<OpCase>& cases) {
  const NamedInputs two = {{"a", {3, 7}}, {"b", {3, 7}}};
  const NamedInputs one = {{"x", {5, 7}}};
  cases.push_back({"add", "", two, [](Ts in) { return add(in[0], in[1]); }, {}});
  cases.push_back({"add", "to_itself", one, [](Ts in) { return add(in[0], in[0]); }, {}});
  cases.push_back({"multiply", "", two, [](Ts in) { return multiply(in[0], in[1]); }, {}});
  cases.push_back({"multiply", "by_itself", one, [](Ts in) { return multiply(in[0], in[0]); }, {}});
  cases.push_back({"scale", "", one, [](Ts in) { return scale(in[0], Real(-1.75)); }, {}});
  cases.push_back({"tanh", "", one, [](Ts in) { return tanh(in[0]); }, {}});
  cases.push_back({"sigmoid", "", one, [](Ts in) { return sigmoid(in[0]); }, {}});
}

inline void add_linear_cases(std::vector<OpCase>& cases) {
  const NamedInputs inputs = {{"x", {3, 2, 5}}, {"w", {5, 7}}, {"b", {7}}};
  cases.push_back({"linear", "", {inputs[0], inputs[1]}, [](Ts in) { return linear(in[0], in[1]); }, {1}});
  cases.push_back({"linear", "bias", inputs, [](Ts in) { return linear(in[0], in[1], in[2]); }, {1}});
  cases.push_back({"linear",
                   "several_panels",
                   {{"x", {13, 17}}, {"w", {17, 33}}, {"b", {33}}},
                   [](Ts in) { return linear(in[0], in[1], in[2]); },
                   {1}});
  cases.push_back({"linear_transposed",
                   "",
                   {{"x", {3, 2, 5}}, {"w", {7, 5}}, {"b", {7}}},
                   [](Ts in) { return linear_transposed(in[0], in[1], in[2]); },
                   {1}});
  cases.push_back({"add_products",
                   "",
                   {{"base", {3, 7}}, {"x", {3, 5}}, {"w", {5, 7}}, {"y", {3, 2}}, {"u", {2, 7}}},
                   [](Ts in) { return add_products(in[0], {{in[1], in[2]}, {in[3], in[4]}}); },
                   {2, 4}});
  cases.push_back({"add_products",
                   "one_weight_twice",
                   {{"base", {3, 7}}, {"x", {3, 5}}, {"w", {5, 7}}, {"y", {3, 5}}},
                   [](Ts in) { return add_products(in[0], {{in[1], in[2]}, {in[3], in[2]}}); },
                   {2}});
}

inline void add_arrange_cases(std::vector<OpCase>& cases) {
  const NamedInputs sequence = {{"x", {4, 3, 5}}};
  cases.push_back({"concat",
                   "",
                   {{"a", {2, 3, 1}}, {"b", {2, 3, 5}}, {"c", {2, 3, 2}}},
                   [](Ts in) { return concat({in[0], in[1], in[2]}); },
                   {}});
  cases.push_back({"concat", "beside_itself", sequence, [](Ts in) { return concat({in[0], in[0]}); }, {}});
  cases.push_back({"step", "", sequence, [](Ts in) { return multiply(step(in[0], 1), step(in[0], 3)); }, {}});
  cases.push_back({"stack",
                   "",
                   sequence,
                   [](Ts in) {
                     const Tensor steps[] = {step(in[0], 2), tanh(step(in[0], 0)), step(in[0], 2)};
                     return stack(steps);
                   },
                   {}});
  cases.push_back({"as_shape", "", sequence, [](Ts in) { return tanh(as_shape(in[0], {6, 10})); }, {}});
  cases.push_back({"gather_rows",
                   "",
                   sequence,
                   [](Ts in) {
                     const std::int32_t rows[] = {3, 0, 3, 2, 3};
                     return gather_rows(in[0], rows);
                   },
                   {}});
  cases.push_back({"gather_batch",
                   "",
                   sequence,
                   [](Ts in) {
                     const std::int32_t rows[] = {2, 0, 2, 1};
                     return gather_batch(in[0], rows);
                   },
                   {}});
  cases.push_back(
      {"join_steps", "", {{"a", {2, 3, 5}}, {"b", {4, 3, 5}}}, [](Ts in) { return join_steps(in[0], in[1]); }, {}});
  cases.push_back({"join_steps", "to_itself", {{"a", {2, 3}}}, [](Ts in) { return join_steps(in[0], in[0]); }, {}});
  cases.push_back({"swap_axes", "", sequence, [](Ts in) { return tanh(swap_axes(in[0])); }, {}});
  cases.push_back(
      {"masked_mean", "", {{"x", {5, 4, 3}}}, [mask = mixed_mask()](Ts in) { return masked_mean(in[0], mask); }, {}});
  const std::vector<std::int32_t> ids = {6, 1, 6, 0, 6, 1};
  cases.push_back({"embed", "steps", {{"table", {7, 5}}}, [ids](Ts in) { return embed(in[0], ids, {2, 3}); }, {}});
  cases.push_back({"embed", "one_step", {{"table", {7, 5}}}, [ids](Ts in) { return embed(in[0], ids, {6}); }, {}});
  const auto drop = [](Ts in) {
    const std::int64_t samples[] = {8, 1, 1000000007};
    return dropout(in[0], {Real(0.4), Random(3, Purpose::dropout), samples});
  };
  cases.push_back({"dropout", "steps", {{"x", {4, 3, 7}}}, drop, {}});
  cases.push_back({"dropout", "one_step", {{"x", {3, 7}}}, drop, {}});
}

inline std::string direction_name(Direction d) { return d == Direction::forward ? "forward" : "backward"; }

inline void add_recurrent_cases(std::vector<OpCase>& cases) {
  const NamedInputs lstm_inputs = {{"x", {5, 4, 2}}, {"w_x", {2, 12}}, {"w_h", {3, 12}},
                                   {"b", {12}},      {"h0", {4, 3}},   {"c0", {4, 3}}};
  const NamedInputs gru_inputs = {{"x", {5, 4, 2}}, {"w_x", {2, 9}}, {"b_x", {9}},
                                  {"w_h", {3, 9}},  {"b_h", {9}},    {"h0", {4, 3}}};
  for (const Direction direction : {Direction::forward, Direction::backward}) {
    const std::string name = direction_name(direction);
    const OwnMask mask = mixed_mask();
    cases.push_back({"lstm",
                     name,
                     lstm_inputs,
                     [=](Ts in) {
                       const auto [h, c] = lstm(in[0], {in[1], in[2], in[3]}, {in[4], in[5]}, mask, direction);
                       return concat({h, c});
                     },
                     {1, 2}});
    cases.push_back({"lstm",
                     name + "_without_initial",
                     {lstm_inputs.begin(), lstm_inputs.begin() + 4},
                     [=](Ts in) { return lstm(in[0], {in[1], in[2], in[3]}, {}, mask, direction).h; },
                     {1, 2}});
    cases.push_back({"lstm",
                     name + "_last_c",
                     lstm_inputs,
                     [=](Ts in) {
                       const Tensor c = lstm(in[0], {in[1], in[2], in[3]}, {in[4], in[5]}, mask, direction).c;
                       return step(c, direction == Direction::forward ? 4 : 0);
                     },
                     {1, 2}});
    cases.push_back({"gru",
                     name,
                     gru_inputs,
                     [=](Ts in) { return gru(in[0], {in[1], in[2], in[3], in[4]}, in[5], mask, direction); },
                     {1, 3}});
    cases.push_back({"gru",
                     name + "_without_initial",
                     {gru_inputs.begin(), gru_inputs.begin() + 5},
                     [=](Ts in) { return gru(in[0], {in[1], in[2], in[3], in[4]}, {}, mask, direction); },
                     {1, 3}});
  }
  const NamedInputs step_inputs = {{"gates", {3, 20}}, {"c", {3, 5}}};
  cases.push_back({"lstm_step",
                   "",
                   step_inputs,
                   [](Ts in) {
                     const auto [h, c] = lstm_step(in[0], in[1]);
                     return concat({h, c});
                   },
                   {}});
  cases.push_back({"lstm_step", "h_only", step_inputs, [](Ts in) { return lstm_step(in[0], in[1]).h; }, {}});
  cases.push_back({"lstm_step", "c_only", step_inputs, [](Ts in) { return lstm_step(in[0], in[1]).c; }, {}});
  cases.push_back({"gru_step",
                   "",
                   {{"input_gates", {3, 15}}, {"state_gates", {3, 15}}, {"h", {3, 5}}},
                   [](Ts in) { return gru_step(in[0], in[1], in[2]); },
                   {}});
}

inline void add_attention_cases(std::vector<OpCase>& cases) {
  const OwnMask mask = mixed_mask();
  for (const int queries : {1, 3}) {
    const std::string name = queries == 1 ? "one_query" : "queries";
    cases.push_back({"additive_scores",
                     name,
                     {{"queries", {queries, 4, 7}}, {"keys", {5, 4, 7}}, {"v", {7}}},
                     [=](Ts in) { return additive_scores(in[0], in[1], in[2], mask); },
                     {}});
    cases.push_back({"masked_softmax",
                     name,
                     {{"scores", {queries, 4, 5}}},
                     [=](Ts in) { return masked_softmax(in[0], mask); },
                     {}});
    cases.push_back({"weighted_sum",
                     name,
                     {{"weights", {queries, 4, 5}}, {"values", {5, 4, 3}}},
                     [=](Ts in) { return weighted_sum(in[0], in[1], mask); },
                     {}});
  }
}

inline void add_logit_cases(std::vector<OpCase>& cases) {
  const NamedInputs logits = {{"logits", {2, 3, 7}}};
  cases.push_back({"log_softmax", "", logits, [](Ts in) { return log_softmax(in[0]); }, {}});
  const std::vector<std::int32_t> targets = {4, 0, 6, 4, 0, 2};
  const auto with = [=](CrossEntropy options) { return [=](Ts in) { return cross_entropy(in[0], targets, options); }; };
  cases.push_back({"cross_entropy", "", logits, with({}), {}});
  cases.push_back({"cross_entropy", "smoothed", logits, with({.smoothing = Real(0.1)}), {}});
  cases.push_back({"cross_entropy", "ignored_rows", logits, with({.ignored = 0}), {}});
  cases.push_back({"cross_entropy", "smoothed_ignored_rows", logits, with({.smoothing = Real(0.3), .ignored = 0}), {}});
  const auto in_place = [=](Ts in) {
    return cross_entropy(scale(in[0], 2), targets, {.smoothing = Real(0.3), .ignored = 0, .in_place = true});
  };
  cases.push_back({"cross_entropy", "in_place", logits, in_place, {}});
}

inline std::vector<OpCase> op_cases() {
  std::vector<OpCase> cases;
  add_pointwise_cases(cases);
  add_linear_cases(cases);
  add_arrange_cases(cases);
  add_recurrent_cases(cases);
  add_attention_cases(cases);
  add_logit_cases(cases);
  add_row_cases(cases);
  add_selection_cases(cases);
  add_pair_cases(cases);
  add_picture_cases(cases);
  return cases;
}

}  // namespace fovea
