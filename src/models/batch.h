// Examples side by side, as models read them: ids [length, batch], shorter ones filled up with pads.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tensor/ops.h"

namespace fovea {

// What positions stand for among the target's symbols, with memory of its own. See CopyMapView.
struct CopyMap {
  std::vector<std::int32_t> starts;
  std::vector<std::int32_t> symbols;
  std::vector<Real> shares;
  int width = 0;

  CopyMapView view() const { return {starts, symbols, shares, width}; }
};

// The features of each line of a batch, ids [length, batch]; without any, its length is 0.
struct FeatureIds {
  int length = 0;
  int batch = 0;
  std::vector<std::int32_t> ids;
  std::vector<std::uint8_t> real;
};

// One side of a batch.
struct Side {
  int length = 0;
  int batch = 0;
  std::vector<std::int32_t> ids;   // [length, batch]
  std::vector<std::uint8_t> real;  // [length, batch], 1 = not a pad
  std::vector<Real> values;        // [length, batch, width] of a source that is rows of numbers; else empty
  int width = 0;
  std::vector<std::int32_t> segments;  // [length, batch] of a source of sentences: which one each position is of

  Mask mask() const { return {real.data(), length, batch}; }
};

// The first source of lines, and all else that is read of them.
struct SourceBatch : Side {
  SourceBatch() = default;
  // Must outlive the answers to it, so that no Side passes for one by the way.
  explicit SourceBatch(Side only) : Side(std::move(only)) {}
  SourceBatch& operator=(Side only) { return *this = SourceBatch(std::move(only)); }

  std::vector<Side> others;  // further sources
  CopyMap copy_map;          // of positions that can be copied or looked up; else empty
  FeatureIds features;       // of the lines

  // Of all sources together, each row's without the pads between them.
  int positions() const;
};

// Fills `side` with sequences, each between an optional `first` and `last` symbol. Reuses its memory.
struct Frame {
  std::int32_t pad = 0;
  std::int32_t first = -1;  // -1: none
  std::int32_t last = -1;
};
void fill_side(std::span<const std::span<const std::int32_t>> sequences, Frame frame, Side& side);

// What a decoder reads of a target.
struct PreviousSymbols : Side {
  double scheduled_sampling = 0;  // in training: share of them that are the model's own choice instead (Bengio 2015)
};

struct Batch {
  SourceBatch source;                 // closed by the stop symbol
  PreviousSymbols previous;           // target, opened by the start symbol
  Side targets;                       // target, closed by the stop symbol
  std::vector<std::int64_t> samples;  // which example each row is
  double expected = 0;                // moving average of the log-likelihood of a target symbol over earlier updates
  std::vector<Real> alignment;  // [target length, batch, source length] wanted weights; a row of zeros: none known

  // For the other direction: the target read, the source written.
  SourceBatch reverse_source;
  PreviousSymbols reverse_previous;
  Side reverse_targets;
};

}  // namespace fovea
