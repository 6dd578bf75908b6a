// Runs of tokens that two texts share.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/as_size.h"

namespace fovea {

// The tokens of a text, each ended by `separator`, which none of them holds, if it is not empty.
class Ngrams {
 public:
  Ngrams(const std::vector<std::string_view>& tokens, std::string_view separator) {
    for (const std::string_view token : tokens) {
      text_.append(token).append(separator);
      ends_.push_back(text_.size());
    }
  }

  std::int64_t tokens() const { return static_cast<std::int64_t>(ends_.size()) - 1; }
  std::int64_t count(std::size_t n) const {
    return ends_.size() <= n ? 0 : static_cast<std::int64_t>(ends_.size() - n);
  }

  // Those of n tokens that both have, each as often as the one that has fewer.
  std::int64_t shared(const Ngrams& other, std::size_t n) const {
    if (text_ == other.text_) return count(n);
    std::unordered_map<std::string_view, std::int64_t> known;
    known.reserve(as_size(other.count(n)));
    other.for_each(n, [&](std::string_view gram) { ++known[gram]; });
    std::int64_t found = 0;
    for_each(n, [&](std::string_view gram) {
      const auto left = known.find(gram);
      found += left != known.end() && left->second-- > 0;
    });
    return found;
  }

 private:
  template <class Use>
  void for_each(std::size_t n, const Use& use) const {
    for (std::size_t i = 0; i + n < ends_.size(); ++i) {
      use(std::string_view(text_).substr(ends_[i], ends_[i + n] - ends_[i]));
    }
  }

  std::string text_;
  std::vector<std::size_t> ends_ = {0};  // of each token, after the beginning of the first
};

// By n - 1. Texts that share none of n tokens share none of more.
template <std::size_t most>
std::array<std::int64_t, most> shared_ngrams(const Ngrams& a, const Ngrams& b) {
  std::array<std::int64_t, most> shared = {};
  for (std::size_t n = 1; n <= most && (n == 1 || shared[n - 2] > 0); ++n) shared[n - 1] = a.shared(b, n);
  return shared;
}

}  // namespace fovea
