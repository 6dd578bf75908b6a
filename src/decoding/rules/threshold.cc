// threshold: no answer where the best has p(y | x) < P. Chow 1970, "On optimum recognition error and reject tradeoff":
// of all ways to leave out as many, this one leaves the fewest mistakes, if probabilities are right. Of the whole
// answer, the stop symbol too, not of a symbol in the mean: one digit guessed among ten certain ones makes a date a
// guess.
#include <cmath>

#include "decoding/rule.h"

namespace fovea {

namespace {

class Threshold : public DecodingRule {
 public:
  explicit Threshold(double least) : least_(std::log(least)) {}

  bool abstains(const Written& best) const override { return !(best.log_probability >= least_); }

 private:
  double least_;
};

struct ThresholdSettings : CopiedSettings<ThresholdSettings> {
  double abstain_below = 0;

  void fields(FieldVisitor& visit) override {
    visit("abstain_below", abstain_below, "no answer where the best has a lower probability than this", between(0, 1));
  }
  std::unique_ptr<const DecodingRule> make(const RuleSymbols&) const override {
    if (abstain_below == 0) return nullptr;
    return std::make_unique<Threshold>(abstain_below);
  }
};

}  // namespace

extern const RuleKind Rule_threshold = {"threshold", "none where p(y | x) < P", "Chow 1970",
                                        settings_of<ThresholdSettings>};

}  // namespace fovea
