#include "layers/symbol_products.h"

#include <algorithm>

#include "base/as_size.h"

namespace fovea {

namespace {

constexpr std::size_t max_bytes = std::size_t(64) << 20;  // only what is used of it takes memory

void make_distinct(std::vector<std::int32_t>& ids) {
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

std::int32_t place(const std::vector<std::int32_t>& distinct, std::int32_t id) {
  return static_cast<std::int32_t>(std::ranges::lower_bound(distinct, id) - distinct.begin());
}

Shape with_last(Shape leading, int last) {
  return leading.axes() == 1 ? Shape{leading[0], last} : Shape{leading[0], leading[1], last};
}

}  // namespace

void SymbolProducts::prepare(const Parameters& parameters, int symbols, int out) const {
  if (version_.load(std::memory_order_acquire) == parameters.version()) return;
  const std::scoped_lock lock(changing_);
  if (version_.load(std::memory_order_relaxed) == parameters.version()) return;
  if (!rows_) {
    const std::size_t row = as_size(out) * sizeof(Real);
    room_ = static_cast<std::int32_t>(std::min(as_size(symbols), max_bytes / row));
    rows_ = std::make_unique_for_overwrite<Real[]>(as_size(room_) * out);
    ready_ = std::make_unique<std::atomic<bool>[]>(as_size(room_));
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

bool SymbolProducts::serves(const Pass& pass, Ids ids) const {
  if (!pass.training()) return true;
  if (pass.training_pass().dropout > 0) return false;
  std::vector<std::int32_t> distinct(ids.begin(), ids.end());
  make_distinct(distinct);
  return 2 * distinct.size() <= ids.size();
}

Tensor SymbolProducts::of_symbols(Pass& pass, const std::vector<std::int32_t>& symbols) const {
  return linear(vectors_(pass, symbols, {static_cast<int>(symbols.size())}), pass(weight_), pass(bias_));
}

Tensor SymbolProducts::operator()(Pass& pass, Ids ids, Shape leading) const {
  const int symbols = pass(vectors_.table()).shape()[0], out = pass(weight_).shape()[1];
  check(std::ssize(ids) == leading.count(), "symbol products: {} ids for {}", ids.size(), leading.text());
  if (pass.training()) {
    std::vector<std::int32_t> distinct(ids.begin(), ids.end());
    make_distinct(distinct);
    std::vector<std::int32_t> places;
    for (const std::int32_t id : ids) places.push_back(place(distinct, id));
    return as_shape(gather_rows(of_symbols(pass, distinct), places), with_last(leading, out));
  }
  prepare(pass.parameters(), symbols, out);
  std::vector<std::int32_t> missing;
  for (const std::int32_t id : ids) {
    check(id >= 0 && id < symbols, "symbol products: id {} in a table of {}", id, symbols);
    if (!has(id)) missing.push_back(id);
  }
  Tensor made;
  if (!missing.empty()) {
    make_distinct(missing);
    made = of_symbols(pass, missing);
    keep(missing, made);
  }
  const Tensor y = pass.tape().make(with_last(leading, out));
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const Real* row =
        has(ids[i]) ? &rows_[std::ptrdiff_t(ids[i]) * out] : made.data() + std::ptrdiff_t(place(missing, ids[i])) * out;
    std::copy_n(row, out, y.data() + static_cast<std::ptrdiff_t>(i) * out);
  }
  return y;
}

}  // namespace fovea
