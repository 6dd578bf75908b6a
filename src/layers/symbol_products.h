// What a layer that reads symbols makes of each of them: its vector * weight + bias. In prediction nothing else happens
// to a vector before that product, so it is kept from when a symbol is first met until the weights change, for all
// workers. The kept rows have the bits that the product has.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "layers/pass.h"

namespace fovea {

class SymbolProducts {
 public:
  SymbolProducts(ParameterId table, ParameterId weight, ParameterId bias)
      : table_(table), weight_(weight), bias_(bias) {}

  // ids [leading...] -> [leading..., out]. Nothing flows back through it: not for training.
  Tensor operator()(Pass& pass, Ids ids, Shape leading) const;

 private:
  void prepare(const Parameters& parameters, int symbols, int out) const;
  void keep(const std::vector<std::int32_t>& symbols, Tensor products) const;
  bool has(std::int32_t symbol) const { return symbol < room_ && ready_[symbol].load(std::memory_order_acquire); }

  ParameterId table_;
  ParameterId weight_;
  ParameterId bias_;
  mutable std::mutex changing_;
  mutable std::atomic<std::uint64_t> version_ = 0;  // of the weights these are products of
  mutable std::int32_t room_ = 0;                   // symbols; the most frequent have the lowest numbers
  mutable std::unique_ptr<Real[]> rows_;            // [room, out]
  mutable std::unique_ptr<std::atomic<bool>[]> ready_;
};

}  // namespace fovea
