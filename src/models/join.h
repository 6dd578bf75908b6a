// How several sources serve one decoder. A join is one file in joins/ that defines an entry, and one line in joins.def.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/registry.h"
#include "layers/linear.h"

namespace fovea {

struct JoinSizes {
  int sources = 0;
  int query = 0;
  int memory = 0;   // of a position
  int context = 0;  // that the attention to one source gives
};

class Join {
 public:
  virtual ~Join() = default;

  // Of a join with one attention: a source's positions as they stand among those of all, [positions, batch, memory].
  virtual Tensor as_common(Pass&, Tensor values, int /*source*/) const { return values; }

  // Of one with an attention to each source.
  struct Joined {
    Tensor context;  // [queries, batch, context]
    Tensor shares;   // [queries, batch, sources] of each source in it, together one
  };
  virtual Joined join(Pass& pass, Tensor queries, std::span<const Tensor> contexts) const = 0;
};

struct JoinKind {
  std::string_view name;
  std::string_view formula;
  std::string_view paper;
  bool one_attention;  // to the positions of all sources; else one to each
  std::unique_ptr<Join> (*make)(Parameters& parameters, const std::string& name, const JoinSizes& sizes);
};

const Registry<JoinKind>& joins();

template <class Made>
std::unique_ptr<Join> made_join(Parameters& parameters, const std::string& name, const JoinSizes& sizes) {
  return std::make_unique<Made>(parameters, name, sizes);
}

}  // namespace fovea
