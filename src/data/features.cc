#include "data/features.h"

#include <algorithm>

namespace fovea {

std::vector<std::string_view> split_features(std::string_view text) {
  constexpr std::string_view separators = ";,| ";
  std::vector<std::string_view> features;
  for (std::size_t start = 0; (start = text.find_first_not_of(separators, start)) != text.npos;) {
    const std::size_t end = std::min(text.find_first_of(separators, start), text.size());
    features.push_back(text.substr(start, end - start));
    start = end;
  }
  return features;
}

}  // namespace fovea
