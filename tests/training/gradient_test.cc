// The gradient of a batch does not depend on how it is shared out.
#include "training/gradient.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "training/tiny_run.h"

namespace fovea::gradient_test {
namespace {

constexpr std::uint32_t rows = 19;  // shards of unequal size

class GradientTest : public testing::Test {
 protected:
  struct Computed {
    GradientResult result;
    std::vector<double> gradient;
  };

  GradientTest() : model_(untrained_model()) {
    for (const Example& example : tiny_examples(1, 160)) {
      examples_.push_back(model_.task().encode(example));
    }
    batch_.resize(rows);
    std::iota(batch_.begin(), batch_.end(), 5u);
  }

  GradientRequest request(int shards, double dropout = 0, double sampling = 0) const {
    return {.examples = batch_,
            .random = Random(1, Purpose::dropout),
            .dropout = dropout,
            .scheduled_sampling = sampling,
            .shards = shards};
  }

  Computed compute(const GradientRequest& request, int threads = 1) {
    Workers workers(threads);
    GradientWorker worker(model_, examples_, workers);
    Computed computed;
    computed.result = worker.compute(request);
    computed.gradient.assign(worker.gradient().begin(), worker.gradient().end());
    return computed;
  }

  static double distance(const Computed& a, const Computed& b) {
    double squares = 0;
    for (std::size_t i = 0; i < a.gradient.size(); ++i) squares += std::pow(a.gradient[i] - b.gradient[i], 2);
    return std::sqrt(squares) / a.result.norm;
  }

  Model model_;
  std::vector<Encoding> examples_;
  std::vector<std::uint32_t> batch_;
};

TEST_F(GradientTest, ShardsAgree) {
  for (const double dropout : {0.0, 0.3}) {
    for (const double sampling : {0.0, 0.5}) {
      const Computed one = compute(request(1, dropout, sampling));
      const Computed four = compute(request(4, dropout, sampling));
      EXPECT_LT(distance(one, four), 1e-5) << "dropout " << dropout << ", sampling " << sampling;
      EXPECT_NEAR(one.result.loss, four.result.loss, 1e-4);
      EXPECT_NEAR(one.result.norm, four.result.norm, 1e-5);
    }
  }
}

TEST_F(GradientTest, ThreadsAgreeToTheBit) {
  const Computed one = compute(request(4, 0.2, 0.5), 1);
  for (const int threads : {2, 4, 7}) {
    const Computed more = compute(request(4, 0.2, 0.5), threads);
    EXPECT_TRUE(one.gradient == more.gradient) << threads << " threads";
    EXPECT_EQ(one.result.norm, more.result.norm);
  }
}

TEST_F(GradientTest, CountsAndNorm) {
  const Computed computed = compute(request(4));
  std::int64_t symbols = 0, tokens = 0;
  for (const std::uint32_t i : batch_) {
    symbols += static_cast<std::int64_t>(examples_[i].target.size()) + 1;
    tokens += static_cast<std::int64_t>(examples_[i].source.size() + examples_[i].target.size());
  }
  EXPECT_EQ(computed.result.symbols, symbols);
  EXPECT_EQ(computed.result.tokens, tokens);
  // An untrained model guesses.
  EXPECT_NEAR(computed.result.loss / static_cast<double>(symbols), std::log(model_.task().target().size()), 0.3);
  double squares = 0;
  for (const double g : computed.gradient) squares += g * g;
  EXPECT_NEAR(computed.result.norm, std::sqrt(squares), 1e-5 * std::sqrt(squares));
}

// The gradient is that of the mean loss per target symbol, whatever the size of the batch.
TEST_F(GradientTest, IsTheMeanOverSymbols) {
  const double step = sizeof(Real) == 8 ? 1e-6 : 1e-2;
  const Computed computed = compute(request(4));
  const double before = computed.result.loss / static_cast<double>(computed.result.symbols);
  const std::span<Real> weights = model_.parameters().values();
  for (std::size_t i = 0; i < weights.size(); ++i) {
    weights[i] -= static_cast<Real>(step * computed.gradient[i] / computed.result.norm);
  }
  model_.parameters().invalidate_packed();
  const double after = compute(request(4)).result.loss / static_cast<double>(computed.result.symbols);
  EXPECT_NEAR((before - after) / (step * computed.result.norm), 1, 0.02);
}

TEST_F(GradientTest, DropoutAndSamplingHaveTheirOwnEffect) {
  const Computed plain = compute(request(4));
  const Computed dropped = compute(request(4, 0.3));
  const Computed sampled = compute(request(4, 0, 0.9));
  EXPECT_GT(distance(plain, dropped), 1e-3);
  EXPECT_GT(distance(plain, sampled), 1e-3);
  EXPECT_TRUE(dropped.gradient == compute(request(4, 0.3)).gradient);
  EXPECT_TRUE(sampled.gradient == compute(request(4, 0, 0.9)).gradient);
  GradientRequest other = request(4, 0.3);
  other.random = other.random.at(1);
  EXPECT_GT(distance(dropped, compute(other)), 1e-3) << "another step drops other values";
}

// A worker is used for batch after batch: nothing of the last one remains.
TEST_F(GradientTest, ForgetsTheLastBatch) {
  const Computed fresh = compute(request(2));
  Workers workers(2);
  GradientWorker worker(model_, examples_, workers);
  std::vector<std::uint32_t> large(100);
  std::iota(large.begin(), large.end(), 0u);
  GradientRequest first = request(8);
  first.examples = large;
  worker.compute(first);
  EXPECT_EQ(worker.compute(request(2)).loss, fresh.result.loss);
  EXPECT_TRUE(std::equal(fresh.gradient.begin(), fresh.gradient.end(), worker.gradient().begin()));
}

}  // namespace
}  // namespace fovea::gradient_test
