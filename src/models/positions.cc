#include "models/positions.h"

#include <algorithm>
#include <cmath>

#include "base/as_size.h"

namespace fovea {

std::vector<std::string> position_names() { return {"none", "sinusoid", "learned"}; }

Positions::Positions(Parameters& parameters, const std::string& name, const std::string& kind, int size, int most)
    : kind_(kind == "none"      ? Kind::none
            : kind == "learned" ? Kind::learned
                                : Kind::sinusoid),
      size_(size),
      most_(most) {
  if (kind_ == Kind::learned) table_ = parameters.add(name + ".table", {most, size}, Initial::uniform(0.1));
  // Vaswani et al. 2017: sine and cosine of wavelengths from 2 pi to 10000 * 2 pi
  for (int j = 0; j < size && kind_ == Kind::sinusoid; ++j) {
    const int even = j - j % 2;
    turns_.push_back(std::pow(10000.0, -even / static_cast<double>(size)));
  }
}

Tensor Positions::vectors(Pass& pass, Shape leading, When when) const {
  const int steps = leading[0], batch = leading[1];
  if (kind_ == Kind::learned) {
    const auto ids = pass.arena().array<std::int32_t>(as_size(steps) * batch);
    for (int i = 0; i < steps * batch; ++i) ids[i] = std::min(when.first + i / batch * when.stride, most_ - 1);
    return embed(pass(table_), ids, leading);
  }
  Tensor out = pass.tape().make({steps, batch, size_});
  for (int t = 0; t < steps; ++t) {
    Real* first = out.data() + std::ptrdiff_t(t) * batch * size_;
    for (int j = 0; j < size_; ++j) {
      const double angle = (when.first + t * when.stride) * turns_[j];
      first[j] = static_cast<Real>(j % 2 == 0 ? std::sin(angle) : std::cos(angle));
    }
    for (int b = 1; b < batch; ++b) std::copy(first, first + size_, first + std::ptrdiff_t(b) * size_);
  }
  return out;
}

}  // namespace fovea
