#include "tasks/confusions.h"

#include <algorithm>
#include <functional>

namespace fovea {

void Confusions::add(std::span<const Edit> path) {
  for (const Edit& edit : path) {
    if (!edit.same()) ++counts_[{std::string(edit.wanted), std::string(edit.given)}];
  }
}

std::vector<Confusion> Confusions::top(std::size_t count) const {
  std::vector<Confusion> all;
  for (const auto& [texts, times] : counts_) all.push_back({texts.first, texts.second, times});
  std::ranges::stable_sort(all, std::greater(), &Confusion::count);
  all.resize(std::min(all.size(), count));
  return all;
}

}  // namespace fovea
