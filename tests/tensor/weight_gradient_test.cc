#include "tensor/weight_gradient.h"

#include <gtest/gtest.h>

#include <list>

#include "base/as_size.h"
#include "support/gradient_check.h"
#include "support/random_values.h"

namespace fovea::weight_gradient_test {
namespace {

// Passes with products, looked-up rows and direct gradients, as asked for.
struct Kinds {
  bool products = false;
  bool rows = false;
  bool direct = false;
};

class Passes {
 public:
  Passes(Shape shape, int count, Kinds kinds) : shape_(shape) {
    const int in = shape[0], out = shape[1];
    for (int p = 0; p < count; ++p) {
      const int rows = 3 + 5 * p;
      WeightGradient pass;
      if (kinds.direct && p != 1) pass.direct = numbers(in * out, "direct", p);
      if (kinds.products && p != 2) {
        for (const char* name : {"first", "second"}) {
          products_.push_back(
              {{numbers(rows * in, name, p), rows, in}, {numbers(rows * out, name, -1 - p), rows, out}, pass.products});
          pass.products = &products_.back();
        }
      }
      if (kinds.rows && p != 0) {
        ids_.emplace_back();
        for (int i = 0; i < rows; ++i) ids_.back().push_back((i * 7 + p) % in / 2);
        row_notes_.push_back({ids_.back(), numbers(rows * out, "rows", p), nullptr});
        pass.rows = &row_notes_.back();
      }
      all.push_back(pass);
    }
  }

  std::vector<double> expected() const {
    const int out = shape_[1];
    std::vector<double> sum(as_size(shape_.count()));
    for (const WeightGradient& pass : all) {
      for (std::size_t i = 0; pass.direct && i < sum.size(); ++i) sum[i] += double(pass.direct[i]);
      for (const ProductNote* note = pass.products; note; note = note->next) {
        for (int r = 0; r < note->inputs.rows; ++r) {
          for (std::size_t i = 0; i < sum.size(); ++i) {
            sum[i] += double(note->inputs.data[r * shape_[0] + static_cast<int>(i) / out]) *
                      double(note->doutputs.data[r * out + static_cast<int>(i) % out]);
          }
        }
      }
      for (const RowsNote* note = pass.rows; note; note = note->next) {
        for (std::size_t r = 0; r < note->ids.size(); ++r) {
          for (int j = 0; j < out; ++j) {
            sum[as_size(note->ids[r] * out + j)] += double(note->drows[static_cast<int>(r) * out + j]);
          }
        }
      }
    }
    return sum;
  }

  std::vector<Real> sum(std::span<const WeightGradient> passes) const {
    const WeightGradientSum whole(shape_, passes);
    std::vector<Real> gradient(as_size(shape_.count()), Real(-7));
    Arena arena;
    const GradientRoom room(arena, passes.size());
    for (int part = whole.parts() - 1; part >= 0; --part) whole.compute(part, room, gradient.data());
    return gradient;
  }

  std::vector<WeightGradient> all;

 private:
  const Real* numbers(int count, const std::string& name, int which) {
    values_.push_back(random_values(count, name + std::to_string(which)));
    return values_.back().data();
  }

  Shape shape_;
  std::list<std::vector<Real>> values_;
  std::list<std::vector<std::int32_t>> ids_;
  std::list<ProductNote> products_;
  std::list<RowsNote> row_notes_;
};

const std::vector<Kinds>& all_kinds() {
  static const std::vector<Kinds> kinds = {{true, false, false}, {false, true, false}, {false, false, true},
                                           {true, true, false},  {true, false, true},  {true, true, true}};
  return kinds;
}

TEST(WeightGradientSum, IsTheSumOfAllPasses) {
  for (const Kinds& kinds : all_kinds()) {
    for (const int count : {1, 2, 4, 8}) {
      const Passes passes({29, 270}, count, kinds);
      const std::vector<Real> found = passes.sum(passes.all);
      const std::vector<double> expected = passes.expected();
      for (std::size_t i = 0; i < expected.size(); ++i) {
        ASSERT_NEAR(double(found[i]), expected[i], is_double ? 1e-12 : 2e-4) << count << " passes, number " << i;
      }
    }
  }
}

// Whoever holds the left half of the passes, and whoever the right, need only add their two sums.
TEST(WeightGradientSum, HasTheBitsOfTheSumOfItsHalves) {
  for (const Kinds& kinds : all_kinds()) {
    for (const int count : {2, 4, 8}) {
      const Passes passes({29, 31}, count, kinds);
      const auto middle = passes.all.begin() + count / 2;
      std::vector<Real> left = passes.sum({passes.all.begin(), middle});
      const std::vector<Real> right = passes.sum({middle, passes.all.end()});
      for (std::size_t i = 0; i < left.size(); ++i) left[i] += right[i];
      EXPECT_EQ(left, passes.sum(passes.all)) << count << " passes";
    }
  }
}

TEST(WeightGradientSum, OfPassesThatKnowNothingIsZero) {
  const std::vector<WeightGradient> passes(2);
  const WeightGradientSum nothing({5}, passes);
  std::vector<Real> gradient(5, Real(3));
  Arena arena;
  const GradientRoom room(arena, 2);
  for (int part = 0; part < nothing.parts(); ++part) nothing.compute(part, room, gradient.data());
  EXPECT_EQ(gradient, std::vector<Real>(5));
}

}  // namespace
}  // namespace fovea::weight_gradient_test
