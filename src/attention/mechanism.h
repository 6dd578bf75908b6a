// The axes of attention. A mechanism is one file in score/, bias/, select/ or read/ that defines an entry, and one line
// in mechanisms.def; the command line, help and tests read the lists below.
//
//   scores  e = score(query, keys) + biases(history)      where would I look?
//   weights a = select(e)                                 where do I look?
//   context c = read(a, values)                           what do I see there?
//
// Queries are [queries, batch, size], the memory [positions, batch, size], scores and weights [queries, batch,
// positions].
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "layers/pass.h"

namespace fovea {

// What is attended to.
struct Memory {
  Tensor values;  // [positions, batch, size]
  Mask mask;
};

// What earlier steps did; empty at the first.
struct History {
  Tensor last;   // [queries, batch, positions] weights of the step before
  Tensor total;  // the same, summed over all steps before
};

// What a mechanism is built for.
struct AttentionSizes {
  int query = 0;
  int memory = 0;
  int hidden = 0;  // of the scoring network
};

class Score {
 public:
  virtual ~Score() = default;
  // What it needs of each position, prepared once for a memory: [positions, batch, any].
  virtual Tensor keys(Pass& pass, const Memory& memory) const = 0;
  virtual Tensor scores(Pass& pass, Tensor queries, Tensor keys, Mask mask) const = 0;
};

class Bias {
 public:
  virtual ~Bias() = default;
  // Added to the scores.
  virtual Tensor bias(Pass& pass, Tensor queries, const Memory& memory, const History& history) const = 0;
};

class Select {
 public:
  virtual ~Select() = default;
  virtual Tensor weights(Pass& pass, Tensor scores, Mask mask) const = 0;
};

class Read {
 public:
  virtual ~Read() = default;
  // [queries, batch, size]; one more axis of positions before the size where the context is kept apart per position.
  virtual Tensor context(Pass& pass, Tensor queries, Tensor weights, const Memory& memory) const = 0;
};

template <class Axis>
struct Mechanism {
  std::string_view name;
  std::string_view formula;
  std::string_view paper;
  std::unique_ptr<Axis> (*make)(Parameters& parameters, const std::string& name, AttentionSizes sizes);
};

std::span<const Mechanism<Score>* const> scores();
std::span<const Mechanism<Bias>* const> biases();
std::span<const Mechanism<Select>* const> selects();
std::span<const Mechanism<Read>* const> reads();

template <class Axis>
std::vector<std::string> mechanism_names(std::span<const Mechanism<Axis>* const> list) {
  std::vector<std::string> names;
  for (const Mechanism<Axis>* entry : list) names.emplace_back(entry->name);
  return names;
}

}  // namespace fovea
