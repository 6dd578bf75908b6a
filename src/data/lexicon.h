// A lexicon: what a source word may become and how probable that is, for the lexicon bias of Arthur et al. 2016.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/vocabulary.h"

namespace fovea {

class Lexicon {
 public:
  struct Entry {
    std::string target;
    double probability = 0;  // in (0, 1]
  };

  // Lines of source<TAB>target<TAB>probability in any order, plain or gzipped; blank lines do not count. The
  // probabilities of a source need not add up to one. Any other line, and a pair given twice, is a data_error.
  explicit Lexicon(const std::string& path, std::int64_t max_lines = 20'000'000);

  // In byte order of the targets; empty for a source that is not there. Valid as long as the lexicon.
  std::span<const Entry> of(std::string_view source) const;
  // Pairs of source and target.
  std::size_t size() const { return size_; }
  // Tells lexicons apart; the order of their lines does not matter.
  std::uint64_t fingerprint() const;

 private:
  std::size_t size_ = 0;
  std::unordered_map<std::string, std::vector<Entry>, StringHash, std::equal_to<>> entries_;  // by source
};

}  // namespace fovea
