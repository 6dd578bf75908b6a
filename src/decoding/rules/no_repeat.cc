// no_repeat: no run of N symbols is written twice in an answer. Paulus, Xiong & Socher 2018, "A deep reinforced model
// for abstractive summarization", section 2.5, with N = 3.
#include <algorithm>

#include "base/as_size.h"
#include "decoding/rule.h"

namespace fovea {

namespace {

class NoRepeat : public DecodingRule {
 public:
  explicit NoRepeat(int length) : before_(as_size(length) - 1) {}

  bool restricts() const override { return true; }
  void restrict(std::span<const std::int32_t> written, NextSymbols& next) const override {
    if (written.size() < before_) return;
    const auto last = written.last(before_);
    for (std::size_t i = 0; i + before_ < written.size(); ++i) {
      if (std::ranges::equal(written.subspan(i, before_), last)) next.never(written[i + before_]);
    }
  }

 private:
  std::size_t before_;  // how many symbols of a run come before its last
};

struct NoRepeatSettings : CopiedSettings<NoRepeatSettings> {
  int no_repeat_ngram = 0;

  void fields(FieldVisitor& visit) override {
    visit("no_repeat_ngram", no_repeat_ngram, "no run of so many symbols comes twice in an answer; 0: any may",
          between(0, 1000));
  }
  std::unique_ptr<const DecodingRule> make(const RuleSymbols&) const override {
    if (no_repeat_ngram == 0) return nullptr;
    return std::make_unique<NoRepeat>(no_repeat_ngram);
  }
};

}  // namespace

extern const RuleKind Rule_no_repeat = {"no_repeat", "p(y_t) = 0 where y_{t-N+1} .. y_t came before", "Paulus 2018",
                                        settings_of<NoRepeatSettings>};

}  // namespace fovea
