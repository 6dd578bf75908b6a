// What weights take from the values: one oracle for each read.
#pragma once

#include "attention/oracles/look.h"

namespace fovea::oracle {

namespace read {

// sum_i a_i v_i
inline Row sum(const Look& look, const Row& a) { return weighted_sum(a, look.values); }

// Xu et al. 2015: sigmoid(w' q + b) sum_i a_i v_i
inline Row gated(const Look& look, const Row& a) {
  return scaled(sum(look, a), sigmoid(look.weights.affine("gate", look.query)[0]));
}

// The typo post: w sum_i a_i + b
inline Row total(const Look& look, const Row& a) { return look.weights.affine("spread", {oracle::sum(a)}); }

}  // namespace read

inline const Table<Read>& reads() {
  static const Table<Read> all = {{"sum", read::sum}, {"gated", read::gated}, {"total", read::total}};
  return all;
}

}  // namespace fovea::oracle
