// The axes of attention. A mechanism is one file in score/, bias/, select/ or read/ that defines an entry, and one line
// in mechanisms.def; the command line, help and tests read the lists below.
//
//   scores  e = score(query, keys) + biases(history)      where would I look?
//   weights a = select(e)                                 where do I look?
//   context c = read(a, values)                           what do I see there?
//
// Queries are [queries, batch, size], the memory [positions, batch, size], scores and weights [queries, batch,
// positions]. With several heads each head is a row of the batch of its own.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "attention/options.h"
#include "base/registry.h"
#include "layers/pass.h"

namespace fovea {

// What is attended to.
struct Memory {
  Tensor values;  // [positions, batch, size]
  Mask mask;
};

// What earlier steps did; empty at the first.
struct History {
  Tensor last;     // [queries, batch, positions] weights of the step before
  Tensor total;    // the same, summed over all steps before
  Tensor written;  // [queries, batch, size] vector of the symbol written last; empty if there are none
  std::span<const std::uint8_t> stepped;  // [queries * batch / heads] whether that symbol moves on by a position
  std::vector<Tensor> own;                // what each bias keeps, if it keeps anything: [queries, batch, any]
  int layer = -1;                         // whose forced weights (see Pass) are used; -1: none are
};

struct Question {
  Tensor queries;
  When when;
  const Memory& memory;
  const History& history;
  int heads;                   // rows of the batch for each example
  std::string_view name = {};  // of the attention: random numbers are its own
};

// What a mechanism is built for.
struct AttentionSizes {
  int query = 0;
  int memory = 0;
  int hidden = 0;   // of the scoring network
  int written = 0;  // of the vector of a target symbol; 0: none is written
  const AttentionOptions& options;
};

class Score {
 public:
  virtual ~Score() = default;
  // What it needs of each position, prepared once for a memory: [positions, batch, any].
  virtual Tensor keys(Pass&, const Memory& memory) const { return memory.values; }
  virtual Tensor scores(Pass& pass, const Question& question, Tensor keys) const = 0;
};

class Bias {
 public:
  virtual ~Bias() = default;
  struct Added {
    Tensor bias;  // added to the scores; empty: nothing
    Tensor own;   // kept for the next step; empty: nothing
  };
  virtual Added add(Pass& pass, const Question& question, Tensor own) const = 0;
  // What it has kept once the last step, now in the history, is done; for objectives.
  virtual Tensor finish(Pass&, const Question&, Tensor own) const { return own; }
};

struct Selected {
  Tensor weights;
  // Where the position is drawn: the log-probability of the one drawn, [queries, batch, 1], and the probabilities of
  // all, [queries, batch, positions].
  Tensor drawn;
  Tensor probabilities;
};

class Select {
 public:
  virtual ~Select() = default;
  virtual Selected select(Pass& pass, const Question& question, Tensor scores) const = 0;
};

class Read {
 public:
  virtual ~Read() = default;
  // [queries, batch, context_size()]
  virtual Tensor context(Pass& pass, const Question& question, Tensor weights) const = 0;
  virtual int context_size(int memory) const { return memory; }
};

// What a mechanism does differently from most.
struct Traits {
  bool looks_back = false;        // needs the steps before: cannot do all steps at once
  bool sums_to_one = true;        // its weights
  bool estimated = false;         // its gradient holds on average only
  bool draws = false;             // without a gradient of its own: learned by REINFORCE
  bool marginal = false;          // its weights are where the symbol may come from: outputs are mixed, not values
  bool ignores_query = false;     // the same at every step
  bool ignores_scores = false;    // a control
  bool ignores_values = false;    // sees how much was looked at, not what
  bool plain = false;             // of a read: the weighted sum of the values and nothing else
  bool may_be_negative = false;   // its weights
  bool equal_sizes = false;       // multiplies query and key number by number: both are projected if their sizes differ
  bool mixes_keys = false;        // a key knows its neighbours, later ones too: not under a causal mask
  bool counts_positions = false;  // has weights for each of attention.positions places, and knows no others
  bool acts = false;              // goes where the target says: its symbols are actions
};

template <class Axis>
struct Mechanism {
  std::string_view name;
  std::string_view formula;
  std::string_view paper;
  std::unique_ptr<Axis> (*make)(Parameters& parameters, const std::string& name, const AttentionSizes& sizes);
  Traits traits = {};
};

// For entries: how a mechanism is made, with its weights or, if it has none, without.
template <class Axis, class Made>
std::unique_ptr<Axis> made(Parameters& parameters, const std::string& name, const AttentionSizes& sizes) {
  if constexpr (std::is_constructible_v<Made, Parameters&, const std::string&, const AttentionSizes&>) {
    return std::make_unique<Made>(parameters, name, sizes);
  } else if constexpr (std::is_constructible_v<Made, const AttentionOptions&>) {
    return std::make_unique<Made>(sizes.options);
  } else {
    return std::make_unique<Made>();
  }
}

const Registry<Mechanism<Score>>& scores();
const Registry<Mechanism<Bias>>& biases();
const Registry<Mechanism<Select>>& selects();
const Registry<Mechanism<Read>>& reads();

}  // namespace fovea
