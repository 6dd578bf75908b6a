#include "tasks/chrf.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/utf8.h"

namespace fovea {

namespace {

// The characters of a text but for its spaces.
class Letters {
 public:
  explicit Letters(std::string_view text) {
    for (const std::string_view c : characters(text)) {
      if (c == " " || c == "\t" || c == "\u00A0" || c == "\u3000") continue;
      text_ += c;
      ends_.push_back(text_.size());
    }
  }

  std::size_t grams(std::size_t n) const { return ends_.size() <= n ? 0 : ends_.size() - n; }

  std::unordered_map<std::string_view, std::int64_t> count_grams(std::size_t n) const {
    std::unordered_map<std::string_view, std::int64_t> counts;
    for (std::size_t i = 0; i < grams(n); ++i) {
      ++counts[std::string_view(text_).substr(ends_[i], ends_[i + n] - ends_[i])];
    }
    return counts;
  }

 private:
  std::string text_;
  std::vector<std::size_t> ends_ = {0};  // of each letter, after the beginning of the first
};

}  // namespace

void Chrf::add(std::string_view target, std::string_view answer) {
  const Letters wanted(target), given(answer);
  for (std::size_t n = 1; n <= longest; ++n) {
    Counts& counts = counts_[n - 1];
    counts.target += static_cast<std::int64_t>(wanted.grams(n));
    // What is longer than the target has no reference, and does not count against the answer.
    if (wanted.grams(n) > 0) counts.answer += static_cast<std::int64_t>(given.grams(n));
    const auto known = wanted.count_grams(n);
    for (const auto& [gram, times] : given.count_grams(n)) {
      const auto found = known.find(gram);
      if (found != known.end()) counts.shared += std::min(times, found->second);
    }
  }
}

double Chrf::score() const {
  double precision = 0, recall = 0;
  int orders = 0;
  for (const Counts& counts : counts_) {
    if (counts.target == 0 || counts.answer == 0) continue;
    precision += static_cast<double>(counts.shared) / static_cast<double>(counts.answer);
    recall += static_cast<double>(counts.shared) / static_cast<double>(counts.target);
    ++orders;
  }
  if (orders == 0 || precision + recall == 0) return 0;
  constexpr double factor = 4;  // beta squared
  return 100 * (1 + factor) * (precision / orders) * (recall / orders) /
         (factor * precision / orders + recall / orders);
}

}  // namespace fovea
