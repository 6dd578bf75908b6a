// What the lists of mechanisms make together. No mechanism is named here: what one cannot do its traits say.
#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "attention/mechanism.h"

namespace fovea {

struct Combination {
  AttentionOptions options;

  std::string name() const {
    std::string joined = options.score;
    for (const std::string& bias : options.bias) joined += "_" + bias;
    joined += "_" + options.select + "_" + options.read;
    if (options.heads > 1) joined += "_heads";
    if (options.projections) joined += "_projections";
    if (options.rotary) joined += "_rotary";
    return joined;
  }

  friend std::ostream& operator<<(std::ostream& out, const Combination& c) { return out << c.name(); }

  const Traits& score() const { return scores().find(options.score).traits; }
  const Traits& select() const { return selects().find(options.select).traits; }
  const Traits& read() const { return reads().find(options.read).traits; }
};

// Small, with windows that leave something out.
inline AttentionOptions small_attention() { return {.bias = {}, .size = 4, .positions = 24, .window = 2}; }

// Every mechanism once, in otherwise ordinary company.
inline std::vector<Combination> each_mechanism(const AttentionOptions& ordinary) {
  std::vector<Combination> all;
  const auto add = [&](const auto& list, auto change) {
    for (const std::string& name : list.names()) {
      Combination c = {ordinary};
      change(c.options, name);
      all.push_back(c);
    }
  };
  add(scores(), [](AttentionOptions& options, const std::string& name) { options.score = name; });
  add(biases(), [](AttentionOptions& options, const std::string& name) { options.bias = {name}; });
  add(selects(), [](AttentionOptions& options, const std::string& name) { options.select = name; });
  add(reads(), [](AttentionOptions& options, const std::string& name) { options.read = name; });
  return all;
}

// Every pair from two different lists.
inline std::vector<Combination> all_pairs(const AttentionOptions& ordinary) {
  std::vector<Combination> all;
  const auto add = [&](const std::string& score, const std::vector<std::string>& bias, const std::string& select,
                       const std::string& read) {
    Combination c = {ordinary};
    c.options.score = score, c.options.bias = bias, c.options.select = select, c.options.read = read;
    all.push_back(c);
  };
  for (const std::string& select : selects().names()) {
    for (const std::string& score : scores().names()) add(score, {}, select, ordinary.read);
    for (const std::string& bias : biases().names()) add(ordinary.score, {bias}, select, ordinary.read);
    for (const std::string& read : reads().names()) add(ordinary.score, {}, select, read);
  }
  for (const std::string& bias : biases().names()) {
    for (const std::string& score : scores().names()) add(score, {bias}, ordinary.select, ordinary.read);
  }
  return all;
}

inline std::vector<Combination> all_combinations() {
  std::vector<Combination> all = all_pairs(small_attention());
  const auto also = [&](const AttentionOptions& ordinary) {
    const auto each = each_mechanism(ordinary);
    all.insert(all.end(), each.begin(), each.end());
  };
  AttentionOptions heads = small_attention(), projections = small_attention(), rotary = small_attention();
  heads.heads = 2;
  projections.projections = true;
  rotary.rotary = true;
  also(heads);
  also(projections);
  also(rotary);
  return all;
}

template <class Check>
void for_every_combination(const Check& check) {
  for (const Combination& c : all_combinations()) {
    SCOPED_TRACE(c.name());
    check(c);
  }
}

}  // namespace fovea
