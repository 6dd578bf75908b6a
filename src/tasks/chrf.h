// chrF (Popović 2015): how many n-grams of characters, up to six, an answer and its target share.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace fovea {

class Chrf {
 public:
  void add(std::string_view target, std::string_view answer);

  // Of all that was added: the F-score, recall counting twice as much as precision, of their means over n; 0 to 100.
  // Spaces do not count. The same figure as sacreBLEU's chrF2.
  double score() const;

 private:
  static constexpr std::size_t longest = 6;
  struct Counts {
    std::int64_t target = 0, answer = 0, shared = 0;
  };
  std::array<Counts, longest> counts_;  // by n - 1
};

}  // namespace fovea
