#include "models/batch.h"

#include <algorithm>

#include "base/as_size.h"

namespace fovea {

void fill_side(std::span<const std::span<const std::int32_t>> sequences, Frame frame, Side& side) {
  const int extra = (frame.first >= 0) + (frame.last >= 0);
  int longest = 0;
  for (const auto& sequence : sequences) longest = std::max(longest, static_cast<int>(sequence.size()));
  side.batch = static_cast<int>(sequences.size());
  side.length = longest + extra;
  const std::size_t cells = as_size(side.length) * sequences.size();
  side.ids.assign(cells, frame.pad);
  side.real.assign(cells, 0);
  for (int b = 0; b < side.batch; ++b) {
    int row = 0;
    const auto put = [&](std::int32_t id) {
      const std::size_t cell = as_size(row++) * sequences.size() + as_size(b);
      side.ids[cell] = id;
      side.real[cell] = 1;
    };
    if (frame.first >= 0) put(frame.first);
    for (const std::int32_t id : sequences[b]) put(id);
    if (frame.last >= 0) put(frame.last);
  }
}

int SourceBatch::positions() const {
  int most = 0;
  for (int b = 0; b < batch && !others.empty(); ++b) {
    const auto count = [&](const Side& side) {
      int real_positions = 0;
      for (int i = 0; i < side.length; ++i) real_positions += side.real[as_size(i * batch + b)];
      return real_positions;
    };
    int all = count(*this);
    for (const Side& other : others) all += count(other);
    most = std::max(most, all);
  }
  return others.empty() ? length : most;
}

}  // namespace fovea
