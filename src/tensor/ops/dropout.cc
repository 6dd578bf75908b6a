#include "kernels/pointwise.h"
#include "tensor/ops.h"

namespace fovea {

// Whether a value stays depends on the random stream, the example, the position and the column: not on the shape of the
// batch or who computes it.
Tensor dropout(Tensor x, const Dropout& d) {
  if (d.share <= 0) return x;
  check(d.share < 1, "dropout of {}: below 1 is wanted", d.share);
  const Shape& shape = x.shape();
  const int batch = shape[shape.axes() - 2], size = shape.last();
  check(static_cast<int>(d.samples.size()) == batch, "dropout: {} samples for {}", d.samples.size(), shape.text());
  // Four decisions of 16 bits from every draw.
  const auto threshold = static_cast<std::uint64_t>(static_cast<double>(d.share) * 65536.0);
  const Real kept_factor = Real(1) / (Real(1) - d.share);
  Tensor factors = x.tape().make(shape);
  Real* out = factors.data();
  for (int row = 0; row < shape.rows(); ++row) {
    const Random random = d.random.at(static_cast<std::uint64_t>(d.samples[row % batch]))
                              .at(static_cast<std::uint64_t>(d.first + row / batch));
    std::uint64_t bits = 0;
    for (int j = 0; j < size; ++j, bits >>= 16) {
      if (j % 4 == 0) bits = random.bits(static_cast<std::uint64_t>(j / 4));
      *out++ = (bits & 0xFFFF) < threshold ? Real(0) : kept_factor;
    }
  }
  return multiply(x, factors);
}

}  // namespace fovea
