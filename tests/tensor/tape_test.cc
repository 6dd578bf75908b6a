// The tape: who gets a gradient, what is recorded, and what is said when shapes do not fit.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "support/gradient_check.h"
#include "tensor/op_cases.h"
#include "tensor/ops.h"
#include "tensor/tensor.h"

namespace fovea::tape_test {
namespace {

class TapeTest : public testing::Test {
 protected:
  Tensor make(Shape shape, bool wants_gradient, const std::string& name = "x") {
    const Tensor x = tape_.make(shape, wants_gradient);
    std::ranges::copy(random_values(shape.count(), name), x.data());
    return x;
  }
  // The sum of all values.
  Tensor sum(Tensor x) {
    const int count = x.shape().count();
    const Tensor ones = tape_.make({count, 1});
    std::ranges::fill(ones.values(), Real(1));
    return linear(as_shape(x, {1, count}), ones);
  }
  std::vector<Real> gradient_of(Tensor x) { return {x.gradients().begin(), x.gradients().end()}; }

  Arena arena_;
  Tape tape_{arena_};
};

TEST_F(TapeTest, MoreNumbersThanAnIntCountsAreRefused) {
  for (const Shape& shape : {Shape{65536, 65536}, Shape{2048, 2048, 1024}, Shape{200, 640, 50000}}) {
    EXPECT_THROW(tape_.make(shape), Error) << std::string(shape.text());
  }
}

TEST_F(TapeTest, AViewSharesValuesAndGradient) {
  const Tensor x = make({2, 3}, true);
  const Tensor view = tape_.view(x, 3, {3});
  view.data()[0] = 42;
  EXPECT_EQ(x.data()[3], 42);
  EXPECT_TRUE(view.wants_gradient());
  EXPECT_FALSE(view.has_gradient());
  tape_.backward(sum(view));
  EXPECT_TRUE(x.has_gradient());
  EXPECT_EQ(gradient_of(x), (std::vector<Real>{0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(gradient_of(tape_.view(view, 1, {2})), (std::vector<Real>{1, 1}));
}

TEST_F(TapeTest, AViewOfAViewAddsToTheSamePlace) {
  const Tensor x = make({3, 2, 2}, true);
  const Tensor entry = step(step(x, 1), 1);
  tape_.backward(sum(add(entry, add(entry, step(step(x, 1), 0)))));
  EXPECT_EQ(gradient_of(x), (std::vector<Real>{0, 0, 0, 0, 1, 1, 2, 2, 0, 0, 0, 0}));
}

TEST_F(TapeTest, AViewOfSomethingFixedWantsNothing) {
  const Tensor view = tape_.view(make({2, 3}, false), 0, {3});
  EXPECT_FALSE(view.wants_gradient());
  EXPECT_THROW(view.gradient(), Error);
}

TEST_F(TapeTest, BorrowedGradientsAreAddedTo) {
  std::vector<Real> values = {1, 2, 3}, gradients = {10, 20, 30};
  const Tensor x = tape_.borrow({3}, values.data(), gradients.data());
  tape_.backward(sum(scale(x, 2)), Real(0.5));
  EXPECT_EQ(gradients, (std::vector<Real>{11, 21, 31}));
  EXPECT_EQ(values, (std::vector<Real>{1, 2, 3}));
}

TEST_F(TapeTest, BackwardIsScaled) {
  const Tensor x = make({3}, true);
  tape_.backward(sum(x), Real(-0.25));
  EXPECT_EQ(gradient_of(x), std::vector<Real>(3, Real(-0.25)));
}

TEST_F(TapeTest, WhatLedElsewhereGetsNoGradient) {
  const Tensor x = make({3}, true), y = make({3}, true);
  const Tensor unused = tanh(multiply(x, y));
  tape_.backward(sum(x));
  EXPECT_FALSE(unused.has_gradient());
  EXPECT_FALSE(y.has_gradient());
}

// The second pass has new records and nothing of the first.
TEST_F(TapeTest, TwoLossesOneAfterTheOther) {
  std::vector<Real> values = random_values(15, "w"), plain(15), packed(15);
  const Packed forms(values.data(), 3, 5);
  for (const bool with_forms : {false, true}) {
    std::vector<Real>& gradient = with_forms ? packed : plain;
    const Tensor w = tape_.borrow({3, 5}, values.data(), gradient.data(), with_forms ? &forms : nullptr);
    tape_.backward(sum(tanh(linear(make({2, 3}, false, "first"), w))));
    tape_.backward(sum(tanh(linear(make({4, 3}, false, "second"), w))));
  }
  expect_close(packed, plain, "gradient of w");

  std::vector<Real> both(15);
  const Tensor w = tape_.borrow({3, 5}, values.data(), both.data());
  tape_.backward(
      add(sum(tanh(linear(make({2, 3}, false, "first"), w))), sum(tanh(linear(make({4, 3}, false, "second"), w)))));
  expect_close(plain, both, "gradient of w");
}

TEST_F(TapeTest, NothingIsRecordedWhereNobodyWantsAGradient) {
  for (const OpCase& op : op_cases()) {
    const auto used = [&](bool wanted) {
      Arena arena;
      Tape tape(arena);
      std::vector<Tensor> inputs;
      for (const NamedInput& input : op.inputs) {
        inputs.push_back(tape.make(input.shape, wanted));
        std::ranges::copy(input.values, inputs.back().data());
      }
      op.apply(inputs);
      return arena.used();
    };
    // Views record nothing either way.
    if (op.operation == "step" || op.operation == "as_shape") continue;
    EXPECT_LT(used(false), used(true)) << op.name();
  }
}

TEST_F(TapeTest, BackwardStartsFromASingleNumber) {
  const Tensor x = make({2, 3}, true);
  try {
    tape_.backward(tanh(x));
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("[2, 3]"), std::string::npos) << error.what();
  }
  EXPECT_FALSE(x.has_gradient());
}

TEST_F(TapeTest, BackwardFromSomethingFixedDoesNothing) {
  const Tensor x = make({1}, false);
  tape_.backward(scale(x, 3));
  EXPECT_FALSE(x.has_gradient());
}

TEST_F(TapeTest, AViewStaysInside) {
  const Tensor x = make({2, 3}, true);
  EXPECT_THROW(tape_.view(x, 4, {3}), Error);
  EXPECT_THROW(tape_.view(x, -1, {3}), Error);
  EXPECT_THROW(step(x, 2), Error);
  EXPECT_THROW(step(x, -1), Error);
}

TEST_F(TapeTest, ErrorsNameBothShapes) {
  const OwnMask mask({"11111", "11000"});
  const auto x = [&](Shape shape) { return make(shape, false); };
  struct Mistake {
    std::function<void()> make;
    std::vector<std::string> named;
  };
  const std::vector<Mistake> mistakes = {
      {[&] { add(x({2, 3}), x({3, 2})); }, {"add", "[2, 3]", "[3, 2]"}},
      {[&] { multiply(x({2, 3}), x({6})); }, {"multiply", "[2, 3]", "[6]"}},
      {[&] { linear(x({2, 3}), x({4, 5})); }, {"linear", "[2, 3]", "[4, 5]"}},
      {[&] { linear(x({2, 3}), x({3, 5}), x({4})); }, {"linear", "[4]", "5"}},
      {[&] { add_products(x({2, 5}), {{x({3, 4}), x({4, 5})}}); }, {"add_products", "[2, 5]", "[3, 4]", "[4, 5]"}},
      {[&] { concat({x({2, 3}), x({3, 3})}); }, {"concat", "[2, 3]", "[3, 3]"}},
      {[&] { stack(std::vector{x({2, 3}), x({2, 4})}); }, {"stack", "[2, 3]", "[2, 4]"}},
      {[&] { as_shape(x({2, 3}), {7}); }, {"[2, 3]", "[7]"}},
      {[&] { gather_rows(x({2, 3}), std::vector{2}); }, {"gather_rows", "2", "[2, 3]"}},
      {[&] { masked_mean(x({4, 2, 3}), mask); }, {"masked_mean", "[5, 2]", "[4, 2, 3]"}},
      {[&] { embed(x({2, 3}), std::vector{1}, {1, 2}); }, {"embed", "1", "[1, 2]"}},
      {[&] { embed(x({2, 3}), std::vector{2}, {1}); }, {"embed", "id 2", "2"}},
      {[&] { lstm(x({5, 2, 3}), {x({4, 8}), x({2, 8}), x({8})}, {}, mask, Direction::forward); },
       {"lstm", "[4, 8]", "[2, 8]", "[5, 2, 3]"}},
      {[&] { lstm(x({5, 3, 3}), {x({3, 8}), x({2, 8}), x({8})}, {}, mask, Direction::forward); },
       {"lstm", "[5, 2]", "[5, 3, 3]"}},
      {[&] { lstm_step(x({2, 8}), x({2, 3})); }, {"lstm_step", "[2, 8]", "[2, 3]"}},
      {[&] { gru(x({5, 2, 3}), {x({4, 6}), x({6}), x({2, 6}), x({6})}, {}, mask, Direction::forward); },
       {"gru", "[4, 6]", "[2, 6]", "[5, 2, 3]"}},
      {[&] { gru_step(x({2, 6}), x({2, 9}), x({2, 2})); }, {"gru_step", "[2, 6]", "[2, 9]", "[2, 2]"}},
      {[&] { additive_scores(x({1, 3, 4}), x({5, 2, 4}), x({4}), mask); },
       {"additive_scores", "[1, 3, 4]", "[5, 2, 4]"}},
      {[&] { additive_scores(x({1, 2, 4}), x({5, 2, 3}), x({3}), mask); },
       {"additive_scores", "[1, 2, 4]", "[5, 2, 3]"}},
      {[&] { masked_softmax(x({1, 2, 4}), mask); }, {"masked_softmax", "[1, 2, 4]", "[5, 2]"}},
      {[&] { weighted_sum(x({1, 2, 4}), x({5, 2, 3}), mask); }, {"weighted_sum", "[1, 2, 4]", "[5, 2, 3]"}},
      {[&] { dropout(x({4, 2, 3}), {Real(0.5), Random(1, Purpose::dropout), std::vector<std::int64_t>{1, 2, 3}}); },
       {"dropout", "3 samples", "[4, 2, 3]"}},
      {[&] { cross_entropy(x({2, 3}), std::vector{0, 1, 2}, {}); }, {"cross_entropy", "3", "[2, 3]"}},
      {[&] { cross_entropy(x({1, 3}), std::vector{3}, {}); }, {"cross_entropy", "target 3", "3"}},
  };
  for (const Mistake& mistake : mistakes) {
    try {
      mistake.make();
      ADD_FAILURE() << "nothing was thrown for " << mistake.named[0];
    } catch (const Error& error) {
      for (const std::string& name : mistake.named) {
        EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << name << " is not in: " << error.what();
      }
    }
  }
}

// Whether a value is dropped is decided by the example, the position and the column, not by the rest of the batch.
TEST_F(TapeTest, DropoutFollowsTheExample) {
  const auto factors = [&](int steps, const std::vector<std::int64_t>& samples) {
    const Tensor x = tape_.make({steps, static_cast<int>(samples.size()), 33});
    std::ranges::fill(x.values(), Real(1));
    return dropout(x, {Real(0.25), Random(7, Purpose::dropout), samples});
  };
  const Tensor batch = factors(4, {5, 6, 7}), alone = factors(3, {6});
  int dropped = 0;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 33; ++j) {
      const Real factor = alone.data()[i * 33 + j];
      EXPECT_EQ(factor, batch.data()[(i * 3 + 1) * 33 + j]) << i << ", " << j;
      EXPECT_TRUE(factor == 0 || factor == Real(1) / Real(0.75)) << factor;
    }
  }
  const Tensor many = factors(50, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  for (const Real factor : many.values()) dropped += factor == 0;
  EXPECT_NEAR(dropped / 16500.0, 0.25, 0.015);
}

}  // namespace
}  // namespace fovea::tape_test
