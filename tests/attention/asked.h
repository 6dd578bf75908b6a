// An attention by itself, asked about a batch of sources step by step, and what became of each source.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ranges>
#include <string>
#include <vector>

#include "base/as_size.h"
#include "attention/attention.h"
#include "layers/loss_check.h"

namespace fovea {

using Vector = std::vector<Real>;
using Vectors = std::vector<Vector>;

// A row of the batch: its memory, and what is asked and written, one after the other.
struct AskedSource {
  int id = 0;                              // its random numbers and what its answers count in the loss go by this
  Vectors memory;                          // [positions][size]
  Vectors queries;                         // [queries][size]
  Vectors written;                         // [queries][size]
  std::vector<std::uint8_t> stepped = {};  // [queries] whether what was written last is the step symbol; empty: never
};

// What became of a source: of each query, and of each head where there are several.
struct Seen {
  Vectors scores;   // of its real positions
  Vectors weights;  // the same
  Vectors contexts;
  Vectors beyond;  // weights of the pads
  Vector query_gradient, memory_gradient, pads_gradient;
};

struct Asking {
  int positions = 0;  // at least as many as the longest source has; what is beyond a source's own holds `garbage`
  Real garbage = 0;
  int at_once = 1;  // queries of a step
  int stride = 0;   // of those queries: 0, alternatives at one step, each with a history of its own; 1, several steps
  int causal = -1;
  bool training = true;
};

class Asked {
 public:
  static constexpr int written_size = 3;
  static constexpr Random random = Random(1, Purpose::dropout);  // of training

  static constexpr int query_size = 4;

  explicit Asked(const AttentionOptions& options, int memory_size = 6)
      : memory_size_(memory_size),
        heads_(options.heads),
        attention_(parameters_, "attention", options, {query_size, memory_size, written_size}) {
    parameters_.allocate();
    std::ranges::copy(random_values(static_cast<int>(parameters_.count()), "weights"), parameters_.values().begin());
    gradient_.assign(as_size(parameters_.count()), Real(0));
  }

  bool looks_back() const { return attention_.looks_back(); }
  std::int64_t weight_count() const { return parameters_.count(); }
  const Parameters& parameters() const { return parameters_; }

  AskedSource source(int id, int positions, int queries) const {
    AskedSource made = {id, {}, {}, {}};
    const auto vector = [&](int size, const char* kind, int i, Real scale) {
      return random_values(size, fmt::format("{}{}.{}", kind, id, i), scale);
    };
    for (int i = 0; i < positions; ++i) made.memory.push_back(vector(memory_size_, "memory", i, 1));
    for (int q = 0; q < queries; ++q) {
      made.queries.push_back(vector(query_size, "query", q, 2));
      made.written.push_back(vector(written_size, "written", q, 1));
    }
    return made;
  }

  std::vector<Seen> ask(const std::vector<AskedSource>& sources, const Asking& asking) {
    lay_out(sources, asking);
    run(asking.training ? Kind::training : Kind::use);
    for (const Vector& output : outputs_) {
      EXPECT_TRUE(std::ranges::all_of(output, [](Real value) { return std::isfinite(value); }));
    }
    std::vector<Seen> all;
    for (int b = 0; b < batch_; ++b) all.push_back(look(sources[as_size(b)], b));
    return all;
  }

  // Of weights, queries, memory and what was written.
  Difference gradient_error(const std::vector<AskedSource>& sources, const Asking& asking) {
    lay_out(sources, asking);
    run(Kind::training);
    std::vector<Numbers> all = numbers_of(parameters_, gradient_);
    all.push_back({"queries", queries_, dqueries_});
    all.push_back({"memory", memory_, dmemory_});
    all.push_back({"written", written_, dwritten_});
    return largest_loss_gradient_error(all, [&] { return run(Kind::forward); });
  }

  const Vector& weight_gradient() const { return gradient_; }

 private:
  // Where row b of entry `outer` begins, in [outer, batch, size].
  std::size_t at(int outer, int b, int size) const { return as_size((std::ptrdiff_t(outer) * batch_ + b) * size); }

  void lay_out(const std::vector<AskedSource>& sources, const Asking& asking) {
    asking_ = asking;
    batch_ = static_cast<int>(sources.size());
    rows_ = static_cast<int>(sources[0].queries.size());
    memory_.assign(at(asking.positions, 0, memory_size_), asking.garbage);
    real_.assign(at(asking.positions, 0, 1), 0);
    queries_.assign(at(rows_, 0, query_size), 0);
    written_.assign(at(rows_, 0, written_size), 0);
    stepped_.clear();
    samples_.clear();
    for (int b = 0; b < batch_; ++b) {
      const AskedSource& source = sources[as_size(b)];
      samples_.push_back(source.id);
      const auto place = [&](const Vectors& vectors, int size, Vector& all) {
        for (int i = 0; i < std::ssize(vectors); ++i) std::ranges::copy(vectors[i], all.data() + at(i, b, size));
      };
      place(source.memory, memory_size_, memory_);
      place(source.queries, query_size, queries_);
      place(source.written, written_size, written_);
      for (int i = 0; i < std::ssize(source.memory); ++i) real_[at(i, b, 1)] = 1;
      if (!source.stepped.empty()) stepped_.resize(at(rows_, 0, 1));
      for (int q = 0; q < std::ssize(source.stepped); ++q) stepped_[at(q, b, 1)] = source.stepped[q];
    }
  }

  // forward: as in training, but only the loss: without the way back, and nothing of it is kept. Differences take most
  // of the time of these tests.
  enum class Kind { use, forward, training };

  // All steps; returns the loss, if there is one.
  double run(Kind kind) {
    const bool forced = kind != Kind::use;
    parameters_.invalidate_packed();
    if (kind != Kind::forward) {
      std::ranges::fill(gradient_, Real(0));
      dqueries_.assign(queries_.size(), 0);
      dmemory_.assign(memory_.size(), 0);
      dwritten_.assign(written_.size(), 0);
    }
    const TrainingPass of_training = {gradient_, random, samples_};
    Pass pass = forced ? Pass(parameters_, arena_, of_training) : Pass(parameters_, arena_);
    const int steps = rows_ / asking_.at_once;
    const auto borrow = [&](Shape shape, Vector& values, Vector& gradient) {
      return pass.tape().borrow(shape, values.data(), forced ? gradient.data() : nullptr);
    };
    const Mask mask = {real_.data(), asking_.positions, batch_, asking_.causal};
    const Memory memory = {borrow({asking_.positions, batch_, memory_size_}, memory_, dmemory_), mask};
    const Tensor queries = borrow({steps, asking_.at_once * batch_, query_size}, queries_, dqueries_);
    const Tensor written = borrow({steps, asking_.at_once * batch_, written_size}, written_, dwritten_);
    const Attention::Prepared prepared = attention_.prepare(pass, memory);
    History history;
    std::vector<Tensor> outputs, scores;
    for (int s = 0; s < steps; ++s) {
      const auto now = [&](Tensor all, int size) { return as_shape(step(all, s), {asking_.at_once, batch_, size}); };
      history.written = now(written, written_size);
      const auto at_step = as_size(asking_.at_once * batch_);
      if (!stepped_.empty()) history.stepped = std::span(stepped_).subspan(as_size(s) * at_step, at_step);
      const When when = {asking_.stride == 0 ? s : s * asking_.at_once, asking_.stride};
      const auto attended = attention_.attend(pass, now(queries, query_size), when, prepared, history);
      if (!forced) expect_parts(pass, now(queries, query_size), when, prepared, history, attended);
      history = attended.history;
      outputs.insert(outputs.end(), {attended.context, attended.selected.weights});
      scores.push_back(attended.scores);
    }
    if (kind != Kind::forward) keep(outputs, scores);
    if (!forced) return 0;
    std::erase_if(outputs, [](Tensor output) { return !output.wants_gradient(); });  // the weights of a draw
    double loss = 0;
    const Tensor sum = gradient_check::probed_sum(outputs, counts_, loss);
    if (kind == Kind::training) pass.tape().backward(sum);
    return loss;
  }

  // What was seen, and what each of it counts in the loss.
  void keep(const std::vector<Tensor>& outputs, const std::vector<Tensor>& scores) {
    outputs_.clear(), scores_.clear(), counts_.clear();
    for (const Tensor score : scores) scores_.emplace_back(score.values().begin(), score.values().end());
    for (const Tensor output : outputs) outputs_.emplace_back(output.values().begin(), output.values().end());
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      if (outputs[o].wants_gradient()) counts_.push_back(probe(o));
    }
  }

  // Models that mix outputs call the parts of attend().
  void expect_parts(Pass& pass, Tensor queries, When when, const Attention::Prepared& prepared, const History& history,
                    const Attention::Attended& attended) const {
    const Tensor scores = attention_.score(pass, queries, when, prepared, history).scores;
    const Tensor weights = attention_.select(pass, queries, when, prepared, scores, history).weights;
    EXPECT_TRUE(std::ranges::equal(scores.values(), attended.scores.values()));
    EXPECT_TRUE(std::ranges::equal(weights.values(), attended.selected.weights.values()));
  }

  // What each number of an output counts: it depends on the source and the place in it, not on the batch. Pads count
  // nothing.
  Vector probe(std::size_t output) const {
    const bool weights = output % 2 == 1;
    const int heads = weights ? heads_ : 1, lines = asking_.at_once * batch_ * heads;
    const int size = static_cast<int>(outputs_[output].size()) / lines;
    Vector counts;
    for (int line = 0; line < lines; ++line) {
      const int head = line % heads, b = line / heads % batch_;
      const int query = static_cast<int>(output / 2) * asking_.at_once + line / heads / batch_;
      const Random random = Random(7, Purpose::data).at(samples_[b]).at(query).at(head).at(weights);
      for (int i = 0; i < size; ++i) {
        counts.push_back(weights && !real_[at(i, b, 1)] ? 0 : static_cast<Real>(2 * random.uniform(i) - 1));
      }
    }
    return counts;
  }

  Seen look(const AskedSource& source, int b) const {
    Seen seen;
    const auto own = std::ssize(source.memory);
    for (std::size_t s = 0; s < outputs_.size() / 2; ++s) {
      const Vector &contexts = outputs_[2 * s], &weights = outputs_[2 * s + 1];
      const int size = static_cast<int>(contexts.size()) / (asking_.at_once * batch_);
      for (int q = 0; q < asking_.at_once; ++q) {
        for (int h = 0; h < heads_; ++h) {
          const Real* row = weights.data() + at(q, b, heads_ * asking_.positions) + h * asking_.positions;
          const Real* scores = scores_[s].data() + (row - weights.data());
          seen.scores.emplace_back(scores, scores + own);
          seen.weights.emplace_back(row, row + own);
          seen.beyond.emplace_back(row + own, row + asking_.positions);
        }
        const Real* context = contexts.data() + at(q, b, size);
        seen.contexts.emplace_back(context, context + size);
      }
    }
    const auto append = [&](const Vector& from, int outer, int size, Vector& to) {
      const Real* first = from.data() + at(outer, b, size);
      to.insert(to.end(), first, first + size);
    };
    for (int row = 0; row < rows_; ++row) append(dqueries_, row, query_size, seen.query_gradient);
    for (int i = 0; i < asking_.positions; ++i) {
      append(dmemory_, i, memory_size_, i < own ? seen.memory_gradient : seen.pads_gradient);
    }
    return seen;
  }

  int memory_size_, heads_;
  Parameters parameters_;
  Attention attention_;
  Arena arena_;
  Asking asking_;
  int batch_ = 0, rows_ = 0;
  Vector memory_, queries_, written_, dmemory_, dqueries_, dwritten_, gradient_;
  std::vector<std::uint8_t> real_, stepped_;
  std::vector<std::int64_t> samples_;
  std::vector<Vector> outputs_;  // context and weights of each step
  std::vector<Vector> scores_;   // of each step
  std::vector<Vector> counts_;   // of each output that wants a gradient
};

}  // namespace fovea
