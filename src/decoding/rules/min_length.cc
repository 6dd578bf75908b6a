// min_length: an answer may not stop before it has so many symbols. Klein et al. 2017, "OpenNMT: open-source toolkit
// for neural machine translation", have it as min_length.
#include "decoding/rule.h"

namespace fovea {

namespace {

class MinLength : public DecodingRule {
 public:
  MinLength(int least, std::int32_t stop) : least_(least), stop_(stop) {}

  bool restricts() const override { return true; }
  void restrict(std::span<const std::int32_t> written, NextSymbols& next) const override {
    if (std::ssize(written) < least_) next.never(stop_);
  }
  int room() const override { return least_; }

 private:
  int least_;
  std::int32_t stop_;
};

struct MinLengthSettings : CopiedSettings<MinLengthSettings> {
  int min_output = 0;

  void fields(FieldVisitor& visit) override {
    visit("min_output", min_output, "shortest answer in symbols", between(0, 1'000'000));
  }
  std::unique_ptr<const DecodingRule> make(const RuleSymbols& symbols) const override {
    if (min_output == 0) return nullptr;
    return std::make_unique<MinLength>(min_output, symbols.stop);
  }
};

}  // namespace

extern const RuleKind Rule_min_length = {"min_length", "p(stop) = 0 while |y| < N", "Klein 2017",
                                         settings_of<MinLengthSettings>};

}  // namespace fovea
