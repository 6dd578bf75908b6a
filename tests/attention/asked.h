// An attention by itself, asked for a few steps about a batch of sources, and what became of each source.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "attention/attention.h"
#include "layers/loss_check.h"

namespace fovea {

using Vector = std::vector<Real>;

// A row of the batch: its memory, and the queries of each step.
struct Source {
  std::vector<Vector> memory;                // [positions][memory_size]
  std::vector<std::vector<Vector>> queries;  // [steps][queries][query_size]
};

// What became of a source, at each step and for each query.
struct Seen {
  std::vector<Vector> weights;  // of its real positions
  std::vector<Vector> contexts;
  std::vector<Vector> beyond;  // weights of the pads
  Vector query_gradients, memory_gradients;
  bool operator==(const Seen& other) const { return weights == other.weights && contexts == other.contexts; }
};

class Asked {
 public:
  static constexpr int query_size = 3, memory_size = 5, steps = 3;

  explicit Asked(const AttentionOptions& options)
      : attention_(parameters_, "attention", options, query_size, memory_size) {
    parameters_.allocate();
    std::ranges::copy(random_values(static_cast<int>(parameters_.count()), "weights"), parameters_.values().begin());
    gradient_.assign(static_cast<std::size_t>(parameters_.count()), Real(0));
  }

  // `positions` at least as many as the longest source has; what is beyond a source's own is filled with garbage.
  std::vector<Seen> ask(const std::vector<Source>& sources, int positions, Real garbage = 0) {
    lay_out(sources, positions, garbage);
    EXPECT_TRUE(std::isfinite(run(true))) << "pads " << garbage;
    std::vector<Seen> all(sources.size());
    for (int b = 0; b < batch_; ++b) look(sources[b], b, all[b]);
    return all;
  }

  // Of weights, queries and memory.
  Difference gradient_error(const std::vector<Source>& sources, int positions) {
    lay_out(sources, positions, 0);
    run(true);
    const Vector weights = gradient_, queries = dqueries_, memory = dmemory_;  // run() clears its own
    std::vector<Numbers> all = numbers_of(parameters_, weights);
    all.push_back({"queries", queries_, queries});
    all.push_back({"memory", memory_, memory});
    return largest_loss_gradient_error(all, [&] { return run(false); });
  }

  std::span<const Real> weight_gradient() const { return gradient_; }

 private:
  // Where row b of entry `outer` begins, in [outer, batch, size].
  std::ptrdiff_t at(int outer, int b, int size) const { return (std::ptrdiff_t(outer) * batch_ + b) * size; }

  void lay_out(const std::vector<Source>& sources, int positions, Real garbage) {
    batch_ = static_cast<int>(sources.size());
    positions_ = positions;
    query_count_ = static_cast<int>(sources[0].queries[0].size());
    memory_.assign(at(positions, 0, memory_size), garbage);
    real_.assign(at(positions, 0, 1), 0);
    queries_.assign(at(steps * query_count_, 0, query_size), 0);
    for (int b = 0; b < batch_; ++b) {
      for (int i = 0; i < std::ssize(sources[b].memory); ++i) {
        std::ranges::copy(sources[b].memory[i], memory_.begin() + at(i, b, memory_size));
        real_[i * batch_ + b] = 1;
      }
      for (int row = 0; row < steps * query_count_; ++row) {
        std::ranges::copy(sources[b].queries[row / query_count_][row % query_count_],
                          queries_.begin() + at(row, b, query_size));
      }
    }
  }

  // The probed sum of all weights and contexts.
  double run(bool with_gradient) {
    parameters_.invalidate_packed();
    std::ranges::fill(gradient_, Real(0));
    dqueries_.assign(queries_.size(), 0);
    dmemory_.assign(memory_.size(), 0);
    const TrainingPass training = {gradient_, Random(1, Purpose::dropout), {}, 0, 0};
    Pass pass(parameters_, arena_, training);
    const Memory memory = {pass.tape().borrow({positions_, batch_, memory_size}, memory_.data(), dmemory_.data()),
                           {real_.data(), positions_, batch_}};
    const Tensor queries =
        pass.tape().borrow({steps, query_count_ * batch_, query_size}, queries_.data(), dqueries_.data());
    const Attention::Prepared prepared = attention_.prepare(pass, memory);
    History history;
    std::vector<Tensor> outputs;
    std::vector<Vector> probes;
    for (int s = 0; s < steps; ++s) {
      const Attention::Attended attended =
          attention_.attend(pass, as_shape(step(queries, s), {query_count_, batch_, query_size}), prepared, history);
      history = attended.history;
      for (const Tensor output : {attended.weights, attended.context}) {
        outputs.push_back(output);
        probes.push_back(random_values(output.shape().count(), fmt::format("probe{}", outputs.size())));
      }
    }
    outputs_.clear();
    for (const Tensor output : outputs) outputs_.emplace_back(output.values().begin(), output.values().end());
    double loss = 0;
    const Tensor sum = gradient_check::probed_sum(outputs, probes, loss);
    if (with_gradient) pass.tape().backward(sum);
    return loss;
  }

  void look(const Source& source, int b, Seen& seen) const {
    for (int s = 0; s < steps; ++s) {
      const Vector& weights = outputs_[static_cast<std::size_t>(2 * s)];
      const Vector& contexts = outputs_[static_cast<std::size_t>(2 * s + 1)];
      const int size = static_cast<int>(contexts.size()) / (query_count_ * batch_);
      for (int q = 0; q < query_count_; ++q) {
        const auto row = weights.begin() + at(q, b, positions_);
        seen.weights.emplace_back(row, row + std::ssize(source.memory));
        seen.beyond.emplace_back(row + std::ssize(source.memory), row + positions_);
        const auto context = contexts.begin() + at(q, b, size);
        seen.contexts.emplace_back(context, context + size);
      }
    }
    const auto append = [&](const Vector& from, int outer, int size, Vector& to) {
      const auto first = from.begin() + at(outer, b, size);
      to.insert(to.end(), first, first + size);
    };
    for (int row = 0; row < steps * query_count_; ++row) append(dqueries_, row, query_size, seen.query_gradients);
    for (int i = 0; i < positions_; ++i) append(dmemory_, i, memory_size, seen.memory_gradients);
  }

  Parameters parameters_;
  Attention attention_;
  Arena arena_;
  int batch_ = 0, positions_ = 0, query_count_ = 0;
  Vector memory_, queries_, dmemory_, dqueries_, gradient_;
  std::vector<std::uint8_t> real_;
  std::vector<Vector> outputs_;  // weights and context of each step
};

inline Source make_source(const std::string& name, int positions, int queries = 2) {
  const auto values = [&](int size, const std::string& place, Real scale) {
    return random_values(size, name + place, scale);
  };
  Source source;
  for (int i = 0; i < positions; ++i) source.memory.push_back(values(Asked::memory_size, fmt::format("m{}", i), 1));
  for (int s = 0; s < Asked::steps; ++s) {
    auto& step = source.queries.emplace_back();
    for (int q = 0; q < queries; ++q) step.push_back(values(Asked::query_size, fmt::format("q{}.{}", s, q), 2));
  }
  return source;
}

}  // namespace fovea
