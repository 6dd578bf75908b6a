// coverage: score + beta sum_i log min(sum_t a_ti, 1): what left parts of the source unread is worth less. Wu et al.
// 2016, "Google's neural machine translation system: bridging the gap between human and machine translation",
// section 7.
#include <algorithm>
#include <cmath>

#include "decoding/rule.h"

namespace fovea {

namespace {

class Coverage : public DecodingRule {
 public:
  explicit Coverage(double beta) : beta_(beta) {}

  // What was never looked at counts as 1e-6, 13.8 beta: weights can be exactly 0, and even then an answer that leaves
  // one position out is to beat one that leaves two.
  double score(double score, const Written& answer) const override {
    double sum = 0;
    for (const double looked : answer.attention) sum += std::log(std::clamp(looked, 1e-6, 1.0));
    return score + beta_ * sum;
  }
  std::string_view needs_attention() const override { return "coverage_penalty"; }

 private:
  double beta_;
};

struct CoverageSettings : CopiedSettings<CoverageSettings> {
  double coverage_penalty = 0;

  void fields(FieldVisitor& visit) override {
    visit("coverage_penalty", coverage_penalty, "what unread parts of the source cost (Wu 2016)", between(0, 100));
  }
  std::unique_ptr<const DecodingRule> make(const RuleSymbols&) const override {
    if (coverage_penalty == 0) return nullptr;
    return std::make_unique<Coverage>(coverage_penalty);
  }
};

}  // namespace

extern const RuleKind Rule_coverage = {"coverage", "score + beta sum_i log min(sum_t a_ti, 1)", "Wu 2016",
                                       settings_of<CoverageSettings>};

}  // namespace fovea
