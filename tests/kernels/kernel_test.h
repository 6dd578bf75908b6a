// For tests of kernels: each runs once with every instruction set, on buffers that lie at odd addresses and notice a
// write beyond their ends. References are written in double, the plain way.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/as_size.h"
#include "base/real.h"
#include "kernels/instruction_set.h"
#include "support/random_values.h"

namespace fovea::kernels {

// Uses one instruction set until the test ends.
class KernelTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    use_instruction_set("");
    const std::vector<std::string> here = instruction_sets();
    if (std::ranges::find(here, GetParam()) == here.end()) GTEST_SKIP() << "this machine has no " << GetParam();
    use_instruction_set(GetParam());
  }
  void TearDown() override { use_instruction_set(""); }
};

inline const std::vector<std::string>& tested_instruction_sets() {
  static const std::vector<std::string> names = {"AVX-512", "AVX2", "baseline"};
  return names;
}

inline std::string instruction_set_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::erase(name, '-');
  return name;
}

inline const std::vector<int>& odd_sizes() {
  static const std::vector<int> sizes = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12,
                                         13, 14, 15, 16, 17, 31, 32, 33, 63, 64, 65};
  return sizes;
}

inline constexpr double epsilon = std::numeric_limits<Real>::epsilon();
inline constexpr Real infinity = std::numeric_limits<Real>::infinity();

class Buffer {
 public:
  Buffer(const std::vector<Real>& values) : size_(values.size()), memory_(size_ + before + after, guard) {  // NOLINT
    std::ranges::copy(values, memory_.begin() + before);
  }
  Buffer(int count, Real value) : Buffer(std::vector<Real>(as_size(count), value)) {}
  Buffer(int count, const std::string& name, Real scale = 1) : Buffer(random_values(count, name, scale)) {}
  Buffer(const Buffer&) = default;
  Buffer& operator=(const Buffer&) = default;
  ~Buffer() {
    const auto is_guard = [](Real value) { return value == guard; };
    EXPECT_TRUE(std::all_of(memory_.begin(), memory_.begin() + before, is_guard)) << "written before the start";
    EXPECT_TRUE(std::all_of(memory_.end() - after, memory_.end(), is_guard)) << "written beyond the end";
  }

  // One past an aligned address.
  Real* data() { return memory_.data() + before; }
  const Real* data() const { return memory_.data() + before; }
  Real& operator[](std::size_t i) { return data()[i]; }
  Real operator[](std::size_t i) const { return data()[i]; }
  std::size_t size() const { return size_; }
  operator std::span<Real>() { return {data(), size_}; }
  operator std::span<const Real>() const { return {data(), size_}; }
  std::vector<Real> values() const { return {data(), data() + size_}; }
  bool all_finite() const {
    return std::all_of(data(), data() + size_, [](Real value) { return std::isfinite(value); });
  }

 private:
  static constexpr std::size_t before = 1, after = 16;
  static constexpr Real guard = Real(-987.25);

  std::size_t size_;
  std::vector<Real> memory_;
};

// |found - expected| <= tolerance * max(1, |expected|)
inline void expect_near(const Buffer& found, const std::vector<double>& expected, double tolerance,
                        const std::string& what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    // Written so that a NaN fails.
    ASSERT_TRUE(std::abs(double(found[i]) - expected[i]) <= tolerance * std::max(1.0, std::abs(expected[i])))
        << what << "[" << i << "] is " << found[i] << ", not " << expected[i];
  }
}

inline double sigmoid_of(double x) { return 1 / (1 + std::exp(-x)); }

}  // namespace fovea::kernels
