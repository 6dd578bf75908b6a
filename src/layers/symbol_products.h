// What a layer that reads symbols makes of each of them: its vector * weight + bias, once for each symbol, with the
// bits that the product of every position has. In prediction they are kept from when a symbol is first met until the
// weights change, for all workers.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "layers/symbol_vectors.h"

namespace fovea {

class SymbolProducts {
 public:
  SymbolProducts(SymbolVectors vectors, ParameterId weight, ParameterId bias)
      : vectors_(std::move(vectors)), weight_(weight), bias_(bias) {}

  // Whether vectors go into the product as they are, and so many twice that it is worth it.
  bool serves(const Pass& pass, Ids ids) const;

  // ids [leading...] -> [leading..., out]
  Tensor operator()(Pass& pass, Ids ids, Shape leading) const;

 private:
  Tensor of_symbols(Pass& pass, const std::vector<std::int32_t>& symbols) const;
  void prepare(const Parameters& parameters, int symbols, int out) const;
  void keep(const std::vector<std::int32_t>& symbols, Tensor products) const;
  bool has(std::int32_t symbol) const { return symbol < room_ && ready_[symbol].load(std::memory_order_acquire); }

  SymbolVectors vectors_;
  ParameterId weight_;
  ParameterId bias_;
  mutable std::mutex changing_;
  mutable std::atomic<std::uint64_t> version_ = 0;  // of the weights these are products of
  mutable std::int32_t room_ = 0;                   // symbols; the most frequent have the lowest numbers
  mutable std::unique_ptr<Real[]> rows_;            // [room, out]
  mutable std::unique_ptr<std::atomic<bool>[]> ready_;
};

}  // namespace fovea
