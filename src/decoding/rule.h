// Rules of search: what may be written next, what a finished answer is worth, whether it is good enough to be given. A
// rule sees what was written, its log-probability and, if it asks, how much was looked at each position; never a
// model's insides. It keeps nothing from one hypothesis to the next, so that an answer does not depend on what shares
// the batch.
//
// To add one: a file in decoding/rules/ with the rule, its options and its entry, and a line in rules.def. Flags, help
// and JSON come from the fields of the options.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/member_options.h"
#include "base/registry.h"

namespace fovea {

// A hypothesis, as far as it has come.
struct Written {
  std::span<const std::int32_t> symbols;   // without the stop symbol
  double log_probability = 0;              // of all steps
  int steps = 0;                           // those that write nothing and the stop symbol's counted
  std::span<const double> attention = {};  // sum_t a_ti of each real position, if a rule needs it
};

// Which symbols may come next. What several rules say holds together.
class NextSymbols {
 public:
  void never(std::int32_t symbol) { never_.push_back(symbol); }
  void only(std::vector<std::int32_t> symbols);
  // Just this one, whatever other rules say and however improbable it is.
  void force(std::int32_t symbol) { forced_ = symbol; }
  // Whatever was said: a symbol that writes nothing is no rule's business.
  void always(std::int32_t symbol) { always_ = symbol; }

  bool allows(std::int32_t symbol) const;
  bool forces(std::int32_t symbol) const { return forced_ == symbol; }
  // All that come into question, if they are few enough to have been listed.
  std::optional<std::vector<std::int32_t>> listed() const;

 private:
  std::vector<std::int32_t> never_;
  std::optional<std::vector<std::int32_t>> only_;  // rising
  std::optional<std::int32_t> forced_;
  std::optional<std::int32_t> always_;
};

class DecodingRule {
 public:
  virtual ~DecodingRule() = default;

  // Whether it has anything to say about the next symbol, and what.
  virtual bool restricts() const { return false; }
  virtual void restrict(std::span<const std::int32_t> /*written*/, NextSymbols& /*next*/) const {}

  // What an answer is worth that was worth `score` to the rules before; to the first, its log-probability.
  virtual double score(double score, const Written& /*answer*/) const { return score; }
  // The most that can become of it if it goes on, for at most so many steps in all.
  virtual double best_score(double score, int /*max_steps*/) const { return score; }

  // Whether the best answer is so bad that none is better.
  virtual bool abstains(const Written& /*best*/) const { return false; }

  // The option that needs to know where was looked; empty: none does.
  virtual std::string_view needs_attention() const { return {}; }
  // How many symbols an answer must have room for.
  virtual int room() const { return 0; }
};

// What rules may know of symbols.
struct RuleSymbols {
  std::int32_t stop = 0;
  // Those of a text; nothing if the model has not all of them.
  std::function<std::optional<std::vector<std::int32_t>>(std::string_view text)> encode;
};

// What of a rule can be set, declared as other options are.
class RuleSettings {
 public:
  virtual ~RuleSettings() = default;
  virtual void fields(FieldVisitor& visit) = 0;
  // Nothing where the values leave the rule out. Throws a usage_error or data_error where they make no sense.
  virtual std::unique_ptr<const DecodingRule> make(const RuleSymbols& symbols) const = 0;
  virtual std::unique_ptr<RuleSettings> copy() const = 0;
};

template <class Settings>
using CopiedSettings = Copied<Settings, RuleSettings>;

struct RuleKind {
  std::string_view name;
  std::string_view formula;
  std::string_view paper;
  std::unique_ptr<RuleSettings> (*settings)();  // with their defaults
};

template <class Settings>
std::unique_ptr<RuleSettings> settings_of() {
  return std::make_unique<Settings>();
}

// In the order in which they are applied.
const Registry<RuleKind>& decoding_rules();

// The rules that take part in a search. Many threads may use them at once.
class Rules {
 public:
  Rules() = default;
  explicit Rules(std::vector<std::unique_ptr<const DecodingRule>> rules) : rules_(std::move(rules)) {}

  bool restrict() const;
  void restrict(std::span<const std::int32_t> written, NextSymbols& next) const;
  double score(const Written& answer) const;
  double best_score(double log_probability, int max_steps) const;
  bool abstain(const Written& best) const;
  std::string_view needing_attention() const;
  int room() const;

 private:
  std::vector<std::unique_ptr<const DecodingRule>> rules_;
};

// The options of every rule there is.
class RuleOptions : public MemberOptions<RuleSettings> {
 public:
  RuleOptions();

  Rules make(const RuleSymbols& symbols) const;
};

}  // namespace fovea
