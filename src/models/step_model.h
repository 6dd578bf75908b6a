// A model in the middle of answering a batch of sources, as search sees it: a state goes in with the last symbols,
// log-probabilities and the next state come out.
//
// Rows are [hypotheses, sources]: row h * sources() + s is hypothesis h of source s.
#pragma once

#include <span>
#include <vector>

#include "base/as_size.h"
#include "layers/state.h"

namespace fovea {

// Where the rows looked through one attention map.
struct StepLook {
  Tensor scores;   // [rows * maps, positions], the maps of a row side by side
  Tensor weights;  // the same
  Tensor context;  // [rows, size]
  int layer = 0;
  int head = 0;
  int maps = 1;
  int map = 0;        // which of them this is
  Tensor query = {};  // [rows * maps, any] what was scored; empty: nothing that is the same for all positions
  Tensor read = {};   // [rows * maps, any] what this map alone read; empty: the context

  std::span<const Real> scores_of(int row) const { return part(scores, row * maps + map); }
  std::span<const Real> weights_of(int row) const { return part(weights, row * maps + map); }
  std::span<const Real> context_of(int row) const { return part(context, row); }
  std::span<const Real> query_of(int row) const { return part(query, row * maps + map); }
  std::span<const Real> read_of(int row) const { return read ? part(read, row * maps + map) : context_of(row); }

 private:
  static std::span<const Real> part(Tensor x, int row) {
    if (!x) return {};
    const auto size = as_size(x.shape().last());
    return x.values().subspan(as_size(row) * size, size);
  }
};

struct StepResult {
  Tensor log_probabilities;  // [rows, symbols]
  State state;
  std::vector<StepLook> looks;
  std::vector<StepLook> self_looks;     // at what was written before, the start symbol first: only the weights
  Tensor gate;                          // [rows, 1] how much comes from the vocabulary; empty if all
  std::vector<StepLook> pointing = {};  // the generator's own weights, where they choose: none or one, without context
};

// How one layer of an encoder attends to its own positions.
struct SelfMap {
  int source = 0;
  int layer = 0;
  int heads = 1;
  std::vector<Tensor> weights;  // one behind the other: [queries, sources * heads, positions], later positions unseen
};

class StepModel {
 public:
  virtual ~StepModel() = default;

  virtual int sources() const = 0;
  // One hypothesis for each source.
  virtual State start(Pass& pass) const = 0;
  virtual StepResult step(Pass& pass, const State& state, Ids previous) const = 0;
  // Only these sources are still of interest, in this order. The rows of a state change accordingly (the caller's
  // part).
  virtual void keep(Ids sources) = 0;
  // [positions, sources] what it reads of the sources it began with, of a model that chooses; else nothing.
  virtual Mask rationale() const { return {}; }
  // Of the sources it began with.
  virtual std::span<const SelfMap> self_maps() const { return {}; }
};

}  // namespace fovea
