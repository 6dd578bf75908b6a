// Attention composed of its axes. It knows neither the model it serves nor what the steps are.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "attention/mechanism.h"
#include "layers/linear.h"

namespace fovea {

class Attention {
 public:
  struct Sizes {
    int query = 0;
    int memory = 0;
    int written = 0;  // of the vector of a target symbol; 0: none is written
    int key = 0;      // so many numbers of a position, the first, are its key; 0: all
    double gain = 1;  // of the first weights that make the context of what the heads have read
  };
  Attention(Parameters& parameters, const std::string& name, const AttentionOptions& options, Sizes sizes);

  // A memory as the steps want it, each head a row of the batch.
  struct Prepared {
    Memory memory;
    Tensor keys;

    // Only these examples of the batch, in the memory of `pass`.
    Prepared keep(Pass& pass, Ids examples, int heads) const;
  };
  Prepared prepare(Pass& pass, const Memory& memory, When when = {}) const;

  struct Attended {
    Tensor query;   // [queries, batch * heads, any] what was scored
    Tensor scores;  // [queries, batch * heads, positions]
    Selected selected;
    Tensor read;     // [queries, batch * heads, any] what each head read
    Tensor context;  // [queries, batch, context_size()] what they make of it together
    History history;
  };
  // queries [queries, batch, size]. All that happened before is in `history`. Where the pass has forced weights for its
  // layer, they are read by instead of those selected.
  Attended attend(Pass& pass, Tensor queries, When when, const Prepared& prepared, const History& history) const;

  // What each bias has kept, if it keeps anything, once the last step, now in `history`, is done.
  std::vector<Tensor> finish(Pass& pass, Tensor queries, When when, const Prepared& prepared,
                             const History& history) const;

  // Parts of attend(), for models that mix outputs instead of values.
  struct Scored {
    Tensor query;
    Tensor scores;
  };
  Scored score(Pass& pass, Tensor queries, When when, const Prepared& prepared, const History& history) const;
  Selected select(Pass& pass, Tensor queries, When when, const Prepared& prepared, Tensor scores,
                  const History& history) const;

  int heads() const { return heads_; }
  int bias_count() const { return static_cast<int>(biases_.size()); }
  int context_size() const { return context_size_; }
  // Whether any axis looks at the history; if none does it is not kept, and all steps can be taken at once.
  bool looks_back() const { return looks_back_; }

 private:
  Tensor project(Pass& pass, const std::optional<Linear>& projection, Tensor x, When when, bool turned) const;
  Tensor add_biases(Pass& pass, const Question& question, Tensor scores, History& next) const;

  std::string name_;
  int heads_;
  int key_size_;  // of what keys are made from
  bool rotary_;
  std::optional<Linear> query_;  // projections, if there are any
  std::optional<Linear> key_;
  std::optional<Linear> value_;
  std::optional<Linear> out_;
  std::unique_ptr<Score> score_;
  std::vector<std::unique_ptr<Bias>> biases_;
  std::unique_ptr<Select> select_;
  std::unique_ptr<Read> read_;
  int context_size_;
  bool looks_back_ = false;
};

// The mask of a batch in which each row stands `times` times, side by side.
Mask repeat(Pass& pass, Mask mask, int times);

// The mask of every query with every position, as ops/pairs.cc lays them out: row q * batch + b.
Mask pair_mask(Pass& pass, Mask mask, int queries);

}  // namespace fovea
