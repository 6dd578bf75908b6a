// length: score = log p(y | x) / |y|^power, the stop symbol counted. Without it short answers win, since every symbol
// costs something. The power is the alpha of Jean et al. 2015, "Montreal neural machine translation systems for
// WMT'15", who divide by the length, and of Wu et al. 2016.
#include <cmath>

#include "decoding/rule.h"

namespace fovea {

namespace {

class Length : public DecodingRule {
 public:
  explicit Length(double power) : power_(power) {}

  double score(double score, const Written& answer) const override { return normalised(score, answer.steps); }
  // Log-probabilities only fall: a longer answer gains at most by the length it could reach.
  double best_score(double score, int max_steps) const override { return normalised(score, max_steps); }

 private:
  double normalised(double score, int steps) const { return score / std::pow(static_cast<double>(steps), power_); }

  double power_;
};

struct LengthSettings : CopiedSettings<LengthSettings> {
  double length_power = 1;

  void fields(FieldVisitor& visit) override {
    visit("length_power", length_power, "scores are divided by length^power", between(0, 10));
  }
  std::unique_ptr<const DecodingRule> make(const RuleSymbols&) const override {
    if (length_power == 0) return nullptr;
    return std::make_unique<Length>(length_power);
  }
};

}  // namespace

extern const RuleKind Rule_length = {"length", "log p(y | x) / |y|^power", "Wu 2016", settings_of<LengthSettings>};

}  // namespace fovea
