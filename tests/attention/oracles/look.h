// What one step of one head of an attention knows of one source, as the formulas name it: q, k_i, v_i, and what earlier
// steps did.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "base/as_size.h"
#include "attention/options.h"
#include "attention/oracles/numbers.h"

namespace fovea::oracle {

struct Look {
  Weights weights;  // of the mechanism
  const AttentionOptions& options;
  Row query;
  Rows keys;
  Rows values;
  int step = 0;       // t, from 0
  Rows before = {};   // [t] weights of the steps before
  Rows written = {};  // [t + 1] vector of the symbol that each step found written last
  int stepped = 0;    // how many of those were the step symbol
  bool training = false;
  std::function<double(int)> uniform = {};  // the random numbers of the mechanism, example, step and head
  double uniform_of_example = 0;            // of the attention and the example

  std::size_t positions() const { return keys.size(); }
  // sum_{t' < t} a_{t'i}, nothing at the first step
  Row total() const {
    Row sums(positions());
    for (const Row& weights : before) sums = plus(sums, weights);
    return sums;
  }
  // Where a monotonic selection is before it moves: at the first position, then where the step before looked.
  Row from() const {
    if (!before.empty()) return before.back();
    Row first(positions());
    first[0] = 1;
    return first;
  }
};

inline Row one_hot(std::size_t size, std::size_t at) {
  Row row(size);
  row[at] = 1;
  return row;
}
inline std::size_t argmax(const Row& x) { return as_size(std::max_element(x.begin(), x.end()) - x.begin()); }

// e; what is added to e; a of e; c of a.
using Score = std::function<Row(const Look&)>;
using Bias = std::function<Row(const Look&)>;
using Select = std::function<Row(const Look&, const Row& e)>;
using Read = std::function<Row(const Look&, const Row& a)>;

template <class Oracle>
using Table = std::map<std::string, Oracle>;

}  // namespace fovea::oracle
