#include <algorithm>

#include "kernels/pointwise.h"
#include "kernels/rows.h"
#include "tensor/ops.h"
#include "tensor/ops/products.h"

namespace fovea {

namespace {

void check_product(Tensor x, Tensor weight) {
  check(weight.shape().axes() == 2 && x.shape().last() == weight.shape()[0], "linear: {} does not meet a weight {}",
        x.shape().text(), weight.shape().text());
}

// dx += dy W', dW += x' dy
void product_backward(Tensor x, Tensor weight, Tensor y) {
  const int rows = x.shape().rows(), in = weight.shape()[0], out = weight.shape()[1];
  if (x.wants_gradient()) {
    write_product({y.gradient(), rows, out}, packed_transposed(weight), x.gradient(), kernels::Start::keep);
  }
  add_weight_gradient(weight, {x.data(), rows, in}, {y.gradient(), rows, out});
}

}  // namespace

Tensor linear(Tensor x, Tensor weight, Tensor bias) {
  check_product(x, weight);
  const int rows = x.shape().rows(), in = weight.shape()[0], out = weight.shape()[1];
  if (bias) check(bias.shape().count() == out, "linear: a bias {} for {} outputs", bias.shape().text(), out);
  Tensor y = x.tape().make(x.shape().with_last(out),
                           x.wants_gradient() || weight.wants_gradient() || (bias && bias.wants_gradient()));
  write_product({x.data(), rows, in}, packed_plain(weight), y.data(), kernels::Start::zero,
                bias ? bias.data() : nullptr);
  if (y.wants_gradient()) {
    y.tape().record([=] {
      if (!y.has_gradient()) return;
      product_backward(x, weight, y);
      if (bias && bias.wants_gradient()) kernels::add_rows(y.gradient(), rows, out, bias.gradient());
    });
  }
  return y;
}

// The forms of W change places, and so do inputs and gradients in W's gradient.
Tensor linear_transposed(Tensor x, Tensor weight, Tensor bias) {
  const int rows = x.shape().rows(), in = weight.shape()[1], out = weight.shape()[0];
  check(x.shape().last() == in && bias.shape().count() == out, "linear_transposed: {} meets a weight {} and a bias {}",
        x.shape().text(), weight.shape().text(), bias.shape().text());
  Tensor y =
      x.tape().make(x.shape().with_last(out), x.wants_gradient() || weight.wants_gradient() || bias.wants_gradient());
  write_product({x.data(), rows, in}, packed_transposed(weight), y.data(), kernels::Start::zero, bias.data());
  if (y.wants_gradient()) {
    y.tape().record([=] {
      if (!y.has_gradient()) return;
      if (x.wants_gradient()) {
        write_product({y.gradient(), rows, out}, packed_plain(weight), x.gradient(), kernels::Start::keep);
      }
      add_weight_gradient(weight, {y.gradient(), rows, out}, {x.data(), rows, in});
      if (bias.wants_gradient()) kernels::add_rows(y.gradient(), rows, out, bias.gradient());
    });
  }
  return y;
}

Tensor add_products(Tensor base, std::initializer_list<Product> products) {
  Tape& tape = base.tape();
  const auto kept = tape.arena().array<Product>(products.size());
  std::ranges::copy(products, kept.begin());
  bool wants_gradient = base.wants_gradient();
  for (const Product& p : kept) {
    check_product(p.x, p.weight);
    check(p.x.shape().rows() == base.shape().rows() && p.weight.shape()[1] == base.shape().last(),
          "add_products: {} times {} does not fit {}", p.x.shape().text(), p.weight.shape().text(),
          base.shape().text());
    wants_gradient = wants_gradient || p.x.wants_gradient() || p.weight.wants_gradient();
  }
  Tensor y = tape.make(base.shape(), wants_gradient);
  std::ranges::copy(base.values(), y.data());
  for (const Product& p : kept) {
    const int in = p.weight.shape()[0];
    write_product({p.x.data(), p.x.shape().rows(), in}, packed_plain(p.weight), y.data(), kernels::Start::keep);
  }
  if (wants_gradient) {
    tape.record([=] {
      if (!y.has_gradient()) return;
      if (base.wants_gradient()) kernels::add(y.gradients(), base.gradients());
      for (const Product& p : kept) product_backward(p.x, p.weight, y);
    });
  }
  return y;
}

}  // namespace fovea
