// For scores that multiply a query with a key, number by number.
#pragma once

#include "attention/mechanism.h"

namespace fovea {

inline void check_equal_sizes(std::string_view score, const AttentionSizes& sizes) {
  if (sizes.query == sizes.memory) return;
  throw usage_error(
      "attention.score = {} needs queries and keys of one size, but they have {} and {}; make the decoder's size that "
      "of the encoder (twice its size if it is bidirectional), or set attention.projections = true, or choose bilinear",
      score, sizes.query, sizes.memory);
}

}  // namespace fovea
