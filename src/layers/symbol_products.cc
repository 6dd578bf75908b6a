#include "layers/symbol_products.h"

#include <algorithm>

namespace fovea {

namespace {
constexpr std::size_t most_bytes = std::size_t(64) << 20;  // only what is used of it takes memory
}

void SymbolProducts::prepare(const Parameters& parameters, int symbols, int out) const {
  if (version_.load(std::memory_order_acquire) == parameters.version()) return;
  const std::scoped_lock lock(changing_);
  if (version_.load(std::memory_order_relaxed) == parameters.version()) return;
  if (!rows_) {
    const std::size_t row = static_cast<std::size_t>(out) * sizeof(Real);
    room_ = static_cast<std::int32_t>(std::min(static_cast<std::size_t>(symbols), most_bytes / row));
    rows_ = std::make_unique_for_overwrite<Real[]>(static_cast<std::size_t>(room_) * out);
    ready_ = std::make_unique<std::atomic<bool>[]>(static_cast<std::size_t>(room_));
  }
  for (std::int32_t symbol = 0; symbol < room_; ++symbol) ready_[symbol].store(false, std::memory_order_relaxed);
  version_.store(parameters.version(), std::memory_order_release);
}

void SymbolProducts::keep(const std::vector<std::int32_t>& symbols, Tensor products) const {
  const int out = products.shape()[1];
  const std::scoped_lock lock(changing_);
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    const std::int32_t symbol = symbols[i];
    if (symbol >= room_ || has(symbol)) continue;
    std::copy_n(products.data() + static_cast<std::ptrdiff_t>(i) * out, out, &rows_[std::ptrdiff_t(symbol) * out]);
    ready_[symbol].store(true, std::memory_order_release);
  }
}

Tensor SymbolProducts::operator()(Pass& pass, Ids ids, Shape leading) const {
  const Tensor table = pass(table_), weight = pass(weight_);
  const int symbols = table.shape()[0], out = weight.shape()[1];
  check(std::ssize(ids) == leading.count(), "symbol products: {} ids for {}", ids.size(), leading.text());
  prepare(pass.parameters(), symbols, out);
  std::vector<std::int32_t> missing;
  for (const std::int32_t id : ids) {
    check(id >= 0 && id < symbols, "symbol products: id {} in a table of {}", id, symbols);
    if (!has(id)) missing.push_back(id);
  }
  Tensor made;
  if (!missing.empty()) {
    std::ranges::sort(missing);
    missing.erase(std::ranges::unique(missing).begin(), missing.end());
    made = linear(embed(table, missing, {static_cast<int>(missing.size())}), weight, pass(bias_));
    keep(missing, made);
  }
  const Tensor y = pass.tape().make(leading.axes() == 1 ? Shape{leading[0], out} : Shape{leading[0], leading[1], out});
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const Real* row = has(ids[i]) ? &rows_[std::ptrdiff_t(ids[i]) * out]
                                  : made.data() + (std::ranges::lower_bound(missing, ids[i]) - missing.begin()) * out;
    std::copy_n(row, out, y.data() + static_cast<std::ptrdiff_t>(i) * out);
  }
  return y;
}

}  // namespace fovea
