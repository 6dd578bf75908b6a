#include "decoding/hypotheses.h"

#include <algorithm>

namespace fovea::decoding {

void Beam::finish(Finished done, int most) {
  const auto place = std::ranges::find_if(
      finished, [&](const Finished& f) { return f.stopped != done.stopped ? done.stopped : f.score < done.score; });
  finished.insert(place, done);
  if (static_cast<int>(finished.size()) > most) finished.pop_back();
}

std::vector<std::int32_t> Beam::written(int node, const SearchSymbols& known) const {
  std::vector<std::int32_t> symbols;
  for (; node >= 0; node = nodes[node].parent) {
    const std::int32_t symbol = nodes[node].symbol;
    if (symbol != known.stop && symbol != known.silent) symbols.push_back(symbol);
  }
  std::ranges::reverse(symbols);
  return symbols;
}

}  // namespace fovea::decoding
