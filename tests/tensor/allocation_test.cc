// Once warm, a pass asks nothing of the heap. The counting operators below serve the whole test program; a sanitizer
// wants its own, so with one there is nothing to count.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include "support/random_values.h"
#include "tensor/op_cases.h"
#include "tensor/ops.h"
#include "tensor/packed.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__clang__)
#define SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define SANITIZED 0
#endif

#if !SANITIZED

namespace {
constexpr bool counting = true;
std::atomic<long> allocations = 0;
}  // namespace

// The array and nothrow forms of the standard library call these. Not inline: the compiler would see what comes from
// `new` given to `free`, and warn.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t align) {
  ++allocations;
  const auto alignment = static_cast<std::size_t>(align);
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  if (rounded >= size) {
    if (void* memory = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded)) return memory;
  }
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

#else

namespace {
constexpr bool counting = false;
constexpr long allocations = 0;
}  // namespace

#endif

namespace fovea::allocation_test {
namespace {

struct Parameter {
  Parameter(Shape s, const std::string& name)
      : shape(s), values(random_values(s.count(), name)), gradients(values.size()), packed(values.data(), s[0], s[1]) {}

  Tensor on(Tape& tape) { return tape.borrow(shape, values.data(), gradients.data(), &packed); }

  Shape shape;
  std::vector<Real> values;
  std::vector<Real> gradients;
  Packed packed;
};

// A small model with attention, and one pass of training over it.
class Model {
 public:
  double pass() {
    arena_.reset();
    Tape tape(arena_);
    const auto bias = [&](std::vector<Real>& values, std::vector<Real>& gradients) {
      return tape.borrow({static_cast<int>(values.size())}, values.data(), gradients.data());
    };
    const Tensor x = embed(table_.on(tape), ids_, {5, 4});
    const LstmWeights weights = {input_.on(tape), state_.on(tape), bias(bias_, dbias_)};
    const Tensor h = lstm(x, weights, {}, mask_, Direction::forward).h;
    const Tensor keys = linear(h, keys_.on(tape));
    const Tensor attended = masked_softmax(additive_scores(keys, keys, bias(v_, dv_), mask_), mask_);
    const Tensor context = weighted_sum(attended, h, mask_);
    const Tensor logits = linear(concat({context, h}), output_.on(tape));
    const Tensor loss = cross_entropy(logits, ids_, {.smoothing = Real(0.1), .ignored = 0});
    tape.backward(loss);
    for (Parameter* p : {&input_, &state_, &keys_, &output_}) p->packed.invalidate();  // as after an update
    return *loss.data();
  }

 private:
  static constexpr int size = 24, words = 40;

  Parameter table_{{words, size}, "table"}, input_{{size, 4 * size}, "input"}, state_{{size, 4 * size}, "state"};
  Parameter keys_{{size, size}, "keys"}, output_{{2 * size, words}, "output"};
  std::vector<Real> bias_ = random_values(4 * size, "bias"), dbias_ = bias_;
  std::vector<Real> v_ = random_values(size, "v"), dv_ = v_;
  std::vector<std::int32_t> ids_ = {1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 39, 12, 0, 0, 5, 5, 1, 0, 0, 0};
  OwnMask mask_ = mixed_mask();
  Arena arena_;
};

TEST(Allocations, AreCounted) {
  if (!counting) GTEST_SKIP() << "the sanitizer has its own allocator";
  const long before = allocations;
  ::operator delete(::operator new(5));
  ::operator delete[](::operator new[](5));
  ::operator delete(::operator new(5, std::nothrow));
  ::operator delete(::operator new(5, std::align_val_t(64)), std::align_val_t(64));
  ::operator delete[](::operator new[](5, std::align_val_t(64)), std::align_val_t(64));
  EXPECT_EQ(allocations - before, 5);
}

TEST(Allocations, NoneInAPassOnceWarm) {
  if (!counting) GTEST_SKIP() << "the sanitizer has its own allocator";
  Model model;
  model.pass();
  const double loss = model.pass();
  const long before = allocations;
  const double again = model.pass();
  const long after = allocations;
  EXPECT_EQ(after - before, 0);
  EXPECT_GT(before, 0);
  EXPECT_EQ(again, loss);
}

}  // namespace
}  // namespace fovea::allocation_test
