// allowed: every finished answer is one of a list, which is walked as a trie: only what goes on towards one of them may
// come next. De Cao et al. 2021, "Autoregressive entity retrieval", section 3.2.
//
// The trie is the sorted list itself. Those that begin with what was written stand together, and what comes next in
// them is found by halving.
#include <algorithm>

#include "base/error.h"
#include "base/utf8.h"
#include "data/lines.h"
#include "decoding/rule.h"

namespace fovea {

namespace {

using Answers = std::vector<std::vector<std::int32_t>>;

class Allowed : public DecodingRule {
 public:
  Allowed(Answers answers, std::int32_t stop) : answers_(std::move(answers)), stop_(stop) {
    std::ranges::sort(answers_);
  }

  bool restricts() const override { return true; }
  void restrict(std::span<const std::int32_t> written, NextSymbols& next) const override {
    const std::size_t at = written.size();
    const auto beginning = [&](const std::vector<std::int32_t>& answer) {
      return std::span(answer).first(std::min(at, answer.size()));
    };
    const auto before = [](std::span<const std::int32_t> a, std::span<const std::int32_t> b) {
      return std::ranges::lexicographical_compare(a, b);
    };
    auto first = std::ranges::lower_bound(answers_, written, before, beginning);
    const auto last = std::ranges::upper_bound(first, answers_.end(), written, before, beginning);
    std::vector<std::int32_t> symbols;
    for (; first != last && first->size() == at; ++first) symbols.assign(1, stop_);
    while (first != last) {
      const std::int32_t symbol = (*first)[at];
      symbols.push_back(symbol);
      first = std::ranges::upper_bound(first, last, symbol, {}, [&](const auto& answer) { return answer[at]; });
    }
    next.only(std::move(symbols));
  }
  int room() const override {
    std::size_t longest = 0;
    for (const auto& answer : answers_) longest = std::max(longest, answer.size());
    return static_cast<int>(longest);
  }

 private:
  Answers answers_;  // rising
  std::int32_t stop_;
};

struct AllowedSettings : CopiedSettings<AllowedSettings> {
  std::vector<std::string> allowed;
  std::string word_list;

  void fields(FieldVisitor& visit) override {
    visit("allowed", allowed, "an answer that may be given, and no other but those named so; may be given again");
    visit("word_list", word_list, "file of all answers that may be given, one a line", a_file());
  }

  std::unique_ptr<const DecodingRule> make(const RuleSymbols& symbols) const override {
    if (allowed.empty() && word_list.empty()) return nullptr;
    Answers answers;
    const auto add = [&](const std::string& text) {
      if (text.empty() || find_invalid_utf8(text)) return;
      if (auto encoded = symbols.encode(text); encoded && !encoded->empty()) answers.push_back(std::move(*encoded));
    };
    for (const std::string& text : allowed) add(text);
    if (!word_list.empty()) {
      LineReader reader(word_list);
      for (std::string line; reader.next(line);) add(line);
    }
    if (answers.empty()) {
      throw usage_error("{}: the model knows all symbols of none of these answers, so that it can give none of them",
                        word_list.empty() ? "`allowed`" : "`word_list` " + word_list);
    }
    return std::make_unique<Allowed>(std::move(answers), symbols.stop);
  }
};

}  // namespace

extern const RuleKind Rule_allowed = {"allowed", "p(y_t) = 0 unless y_1 .. y_t begins one of a list", "De Cao 2021",
                                      settings_of<AllowedSettings>};

}  // namespace fovea
