// A product cut by columns has the bits of the whole, in floats and in whole numbers.
#include "tensor/share_products.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "base/as_size.h"
#include "support/random_values.h"
#include "tensor/ops.h"
#include "tensor/packed.h"

namespace fovea::share_products_test {
namespace {

struct Size {
  int rows, in, out;
};

class Product {
 public:
  explicit Product(Size size, bool int8)
      : size_(size),
        x_(random_values(size.rows * size.in, "x")),
        weight_(random_values(size.in * size.out, "w")),
        bias_(random_values(size.out, "b")),
        packed_(weight_.data(), size.in, size.out) {
    if (int8) packed_.use_int8();
  }

  std::vector<Real> compute() {
    Arena arena;
    Tape tape(arena);
    const Tensor x = tape.borrow({size_.rows, size_.in}, x_.data(), nullptr);
    const Tensor weight = tape.borrow({size_.in, size_.out}, weight_.data(), nullptr, &packed_);
    const Tensor y = linear(x, weight, tape.borrow({size_.out}, bias_.data(), nullptr));
    used_ = arena.used();
    const Tensor more = add_products(y, {{x, weight}});
    std::vector<Real> both(y.values().begin(), y.values().end());
    both.insert(both.end(), more.values().begin(), more.values().end());
    return both;
  }
  std::size_t used() const { return used_; }  // bytes of the arena, for one product

 private:
  Size size_;
  std::vector<Real> x_;
  std::vector<Real> weight_;
  std::vector<Real> bias_;
  Packed packed_;
  std::size_t used_ = 0;
};

TEST(ShareProducts, ChangesNoBit) {
  for (const Size size : {Size{1, 300, 512}, {5, 128, 513}, {5, 129, 1000}, {2, 4000, 16}, {3, 3000, 17}, {1, 7, 3}}) {
    for (const bool int8 : {false, true}) {
      Product product(size, int8);
      const std::vector<Real> expected = product.compute();
      for (const int threads : {1, 2, 3, 7}) {
        Workers workers(threads);
        const ShareProducts sharing(workers);
        for (int round = 0; round < 20; ++round) {
          ASSERT_EQ(product.compute(), expected)
              << size.rows << " x " << size.in << " x " << size.out << ", " << threads << " threads, int8 " << int8;
        }
      }
    }
  }
}

// All write what they have made whole numbers of at the same time.
TEST(ShareProducts, EachWorkerHasRoomOfItsOwn) {
  const Size size = {2, 300, 512};
  Product product(size, true);
  product.compute();
  const std::size_t alone = product.used(), room = sizeof(std::int16_t) * as_size(size.rows) * as_size(size.in);
  for (const int threads : {2, 5}) {
    Workers workers(threads);
    const ShareProducts sharing(workers);
    product.compute();
    EXPECT_GE(product.used() + Arena::alignment, alone + as_size(workers.count() - 1) * room) << threads;
  }
}

TEST(ShareProducts, EndsWhereItBegan) {
  EXPECT_EQ(ShareProducts::workers(), nullptr);
  Workers outer(2), inner(2);
  {
    const ShareProducts first(outer);
    EXPECT_EQ(ShareProducts::workers(), &outer);
    {
      const ShareProducts second(inner);
      EXPECT_EQ(ShareProducts::workers(), &inner);
    }
    EXPECT_EQ(ShareProducts::workers(), &outer);
    std::atomic<int> sharing = 0;
    inner.run(8, [&](int, int worker) { sharing += worker > 0 && ShareProducts::workers() != nullptr; });
    EXPECT_EQ(sharing, 0) << "other threads share with nobody";
  }
  EXPECT_EQ(ShareProducts::workers(), nullptr);
}

}  // namespace
}  // namespace fovea::share_products_test
