// A selection by itself, given scores and where earlier steps looked.
#pragma once

#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/as_size.h"
#include "attention/mechanism.h"
#include "support/gradient_check.h"

namespace fovea {

using Vector = std::vector<Real>;

class Selecting {
 public:
  explicit Selecting(const std::string& name, AttentionOptions options = {.bias = {}, .size = 4, .noise = 0})
      : options_(std::move(options)), select_(selects().find(name).make(parameters_, name, {1, 1, 4, 0, options_})) {
    parameters_.allocate();
    parameters_.initialise(1);
    gradient_.assign(as_size(parameters_.count()), Real(0));
  }

  struct Found {
    Vector weights;
    Vector gradient;  // of probe' weights, by the scores
  };
  struct Given {
    Vector scores;      // [rows, positions]
    int rows = 1;       // of the batch, sample r of training each
    Vector last = {};   // weights of the step before; empty: there was none
    Vector probe = {};  // empty: no gradient is asked for
    bool training = true;
    bool drawing = false;  // in use
    std::uint64_t seed = 1;
    int step = 0;
  };

  Found operator()(const Given& given) {
    const int positions = static_cast<int>(given.scores.size()) / given.rows;
    samples_.resize(as_size(given.rows));
    std::iota(samples_.begin(), samples_.end(), 0);
    real_.assign(given.scores.size(), 1);
    const TrainingPass of_training = {gradient_, random(given), samples_};
    Pass pass = given.training ? Pass(parameters_, arena_, of_training) : Pass(parameters_, arena_);
    const Drawing drawing = {random(given), samples_};
    if (given.drawing) pass.draw(drawing);
    Vector scores = given.scores, last = given.last, queries(samples_.size(), Real(0.5));
    Found found = {{}, Vector(scores.size(), Real(0))};
    const auto borrow = [&](Vector& values, int size) {
      return values.empty() ? Tensor() : pass.tape().borrow({1, given.rows, size}, values.data(), nullptr);
    };
    const Tensor e =
        pass.tape().borrow({1, given.rows, positions}, scores.data(), given.training ? found.gradient.data() : nullptr);
    const Memory memory = {{}, {real_.data(), positions, given.rows}};
    History history;
    history.last = borrow(last, positions);
    const Question question = {borrow(queries, 1), {given.step, 0}, memory, history, 1};
    const Selected selected = select_->select(pass, question, e);
    found.weights.assign(selected.weights.values().begin(), selected.weights.values().end());
    if (!given.probe.empty()) {
      double loss = 0;
      const std::vector<Vector> probes = {given.probe};
      pass.tape().backward(gradient_check::probed_sum({&selected.weights, 1}, probes, loss));
    }
    return found;
  }

  static Random random(const Given& given) { return Random(given.seed, Purpose::dropout); }

 private:
  AttentionOptions options_;
  Parameters parameters_;
  std::unique_ptr<Select> select_;
  Arena arena_;
  Vector gradient_;
  std::vector<std::int64_t> samples_;
  std::vector<std::uint8_t> real_;
};

inline double sum_of(const Vector& values) {
  return std::accumulate(values.begin(), values.end(), 0.0, [](double sum, Real v) { return sum + double(v); });
}

}  // namespace fovea
