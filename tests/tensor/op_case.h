// A way to call an operation, for ops_test.cc to run through, and masks to call it with.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/as_size.h"
#include "support/gradient_check.h"
#include "tensor/ops.h"

namespace fovea {

struct OpCase {
  std::string operation;  // its name in ops.h
  std::string variant;    // empty for the only one
  NamedInputs inputs;
  Operation apply;
  std::vector<int> weights;  // the inputs that may come with packed forms

  std::string name() const { return variant.empty() ? operation : operation + "_" + variant; }
};

// Which positions are real, with memory of its own. Pads may stand anywhere.
class OwnMask {
 public:
  // rows[b][i] is '1' where position i of row b is real.
  explicit OwnMask(const std::vector<std::string>& rows)
      : positions_(static_cast<int>(rows[0].size())), batch_(static_cast<int>(rows.size())) {
    for (int i = 0; i < positions_; ++i) {
      for (const std::string& row : rows) data_.push_back(row[as_size(i)] == '1');
    }
  }
  operator Mask() const { return {data_.data(), positions_, batch_}; }
  // 1 or 0 for each of the `size` values of each position and row: [positions, batch, size]
  std::vector<Real> as_values(int size) const {
    std::vector<Real> values;
    for (const std::uint8_t bit : data_) values.insert(values.end(), as_size(size), Real(bit));
    return values;
  }

 private:
  std::vector<std::uint8_t> data_;  // [positions, batch]
  int positions_;
  int batch_;
};

// Full, short, with holes, and all padding.
inline OwnMask mixed_mask() { return OwnMask({"11111", "11000", "01101", "00000"}); }

using Ts = std::span<const Tensor>;

}  // namespace fovea
