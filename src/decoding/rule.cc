#include "decoding/rule.h"

#include <algorithm>
#include <iterator>

namespace fovea {

#define RULE(name) extern const RuleKind Rule_##name;
#include "decoding/rules/rules.def"
#undef RULE

const Registry<RuleKind>& decoding_rules() {
  static const Registry<RuleKind> list("decoding rule", {
#define RULE(name) &Rule_##name,
#include "decoding/rules/rules.def"
#undef RULE
                                                        });
  return list;
}

void NextSymbols::only(std::vector<std::int32_t> symbols) {
  std::ranges::sort(symbols);
  if (only_) {
    std::vector<std::int32_t> both;
    std::ranges::set_intersection(*only_, symbols, std::back_inserter(both));
    symbols = std::move(both);
  }
  only_ = std::move(symbols);
}

bool NextSymbols::allows(std::int32_t symbol) const {
  if (symbol == always_) return true;
  if (forced_) return symbol == *forced_;
  if (only_ && !std::ranges::binary_search(*only_, symbol)) return false;
  return std::ranges::find(never_, symbol) == never_.end();
}

std::optional<std::vector<std::int32_t>> NextSymbols::listed() const {
  if (!only_ && !forced_) return {};
  std::vector<std::int32_t> symbols;
  if (forced_) {
    symbols.push_back(*forced_);
  } else {
    std::ranges::copy_if(*only_, std::back_inserter(symbols), [&](std::int32_t symbol) { return allows(symbol); });
  }
  if (always_ && std::ranges::find(symbols, *always_) == symbols.end()) symbols.push_back(*always_);
  return symbols;
}

bool Rules::restrict() const {
  return std::ranges::any_of(rules_, [](const auto& rule) { return rule->restricts(); });
}

void Rules::restrict(std::span<const std::int32_t> written, NextSymbols& next) const {
  for (const auto& rule : rules_) rule->restrict(written, next);
}

double Rules::score(const Written& answer) const {
  double score = answer.log_probability;
  for (const auto& rule : rules_) score = rule->score(score, answer);
  return score;
}

double Rules::best_score(double log_probability, int max_steps) const {
  double score = log_probability;
  for (const auto& rule : rules_) score = rule->best_score(score, max_steps);
  return score;
}

bool Rules::abstain(const Written& best) const {
  return std::ranges::any_of(rules_, [&](const auto& rule) { return rule->abstains(best); });
}

std::string_view Rules::needing_attention() const {
  for (const auto& rule : rules_) {
    if (!rule->needs_attention().empty()) return rule->needs_attention();
  }
  return {};
}

int Rules::room() const {
  int most = 0;
  for (const auto& rule : rules_) most = std::max(most, rule->room());
  return most;
}

RuleOptions::RuleOptions()
    : MemberOptions([] {
        std::vector<std::unique_ptr<RuleSettings>> all;
        for (const RuleKind* kind : decoding_rules()) all.push_back(kind->settings());
        return all;
      }()) {}

Rules RuleOptions::make(const RuleSymbols& symbols) const {
  std::vector<std::unique_ptr<const DecodingRule>> rules;
  for (const auto& settings : members()) {
    if (auto rule = settings->make(symbols)) rules.push_back(std::move(rule));
  }
  return Rules(std::move(rules));
}

}  // namespace fovea
