// Examples side by side, as models read them: ids [length, batch], shorter ones filled up with pads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tensor/tensor.h"

namespace fovea {

// One side of a batch.
struct Side {
  int length = 0;
  int batch = 0;
  std::vector<std::int32_t> ids;   // [length, batch]
  std::vector<std::uint8_t> real;  // [length, batch], 1 = not a pad

  Mask mask() const { return {real.data(), length, batch}; }
};

// Fills `side` with sequences, each between an optional `first` and `last` symbol. Reuses its memory.
struct Frame {
  std::int32_t pad = 0;
  std::int32_t first = -1;  // -1: none
  std::int32_t last = -1;
};
void fill_side(std::span<const std::span<const std::int32_t>> sequences, Frame frame, Side& side);

struct Batch {
  Side source;                        // closed by the stop symbol
  Side inputs;                        // target, opened by the start symbol
  Side outputs;                       // target, closed by the stop symbol
  std::vector<std::int64_t> samples;  // which example each row is
};

}  // namespace fovea
