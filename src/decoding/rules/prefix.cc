// prefix: an answer begins with a given text, and search goes on from there. Its log-probability counts like any other,
// so that answers stay comparable. Knowles & Koehn 2016, "Neural interactive translation prediction".
#include "base/error.h"
#include "base/utf8.h"
#include "decoding/rule.h"

namespace fovea {

namespace {

class Prefix : public DecodingRule {
 public:
  explicit Prefix(std::vector<std::int32_t> symbols) : symbols_(std::move(symbols)) {}

  bool restricts() const override { return true; }
  void restrict(std::span<const std::int32_t> written, NextSymbols& next) const override {
    if (written.size() < symbols_.size()) next.force(symbols_[written.size()]);
  }
  int room() const override { return static_cast<int>(symbols_.size()); }

 private:
  std::vector<std::int32_t> symbols_;
};

struct PrefixSettings : CopiedSettings<PrefixSettings> {
  std::string prefix;

  void fields(FieldVisitor& visit) override { visit("prefix", prefix, "what every answer begins with"); }
  std::unique_ptr<const DecodingRule> make(const RuleSymbols& symbols) const override {
    if (prefix.empty()) return nullptr;
    if (find_invalid_utf8(prefix)) throw usage_error("`prefix` \"{}\": this is not UTF-8", beginning(prefix));
    auto encoded = symbols.encode(prefix);
    if (!encoded) {
      throw usage_error("`prefix` \"{}\": the model does not know all of its symbols, so that it cannot write it",
                        beginning(prefix));
    }
    if (encoded->empty()) return nullptr;
    return std::make_unique<Prefix>(std::move(*encoded));
  }
};

}  // namespace

extern const RuleKind Rule_prefix = {"prefix", "y_1 .. y_n = given", "Knowles 2016", settings_of<PrefixSettings>};

}  // namespace fovea
