// The attention of a decoder to what was read: one to all of it, or one to each of several sources, joined.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "attention/attention.h"
#include "models/encoder.h"
#include "models/join.h"

namespace fovea {

class SourceAttention {
 public:
  struct Sizes {
    int query = 0;
    int written = 0;  // see Attention::Sizes
    EncodedSizes encoded;
    double gain = 1;  // likewise
  };
  SourceAttention(Parameters& parameters, const std::string& name, const AttentionOptions& options,
                  std::string_view join, const Sizes& sizes);

  // One entry for each attention.
  using Prepared = std::span<const Attention::Prepared>;
  int count() const { return static_cast<int>(parts_.size()); }
  void prepare(Pass& pass, const Encoded& encoded, std::vector<Attention::Prepared>& prepared) const;

  // Scores and weights are over the positions of all sources, one source after the other.
  Attention::Attended attend(Pass& pass, Tensor queries, When when, Prepared prepared, const History& history) const;

  int heads() const { return parts_[0].heads(); }
  int context_size() const { return parts_[0].context_size(); }
  bool looks_back() const { return parts_[0].looks_back(); }
  // Where there is one: all that it can do.
  const Attention& only() const { return parts_[0]; }

 private:
  std::vector<Attention> parts_;
  std::unique_ptr<Join> join_;  // of several
};

}  // namespace fovea
