#include "training/gradient.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/as_size.h"
#include "kernels/pointwise.h"
#include "tasks/batching.h"

namespace fovea {

namespace {

constexpr std::size_t piece = std::size_t(1) << 15;
constexpr int fewest_rows = 4;  // of a shard: with fewer, products are mostly overhead

}  // namespace

GradientWorker::GradientWorker(const Model& model, std::span<const Encoding> examples, Workers& workers, Ranks& ranks)
    : model_(model),
      examples_(examples),
      workers_(workers),
      ranks_(ranks),
      word_dropout_(model.task(), examples),
      rooms_(as_size(workers.count())) {}

void GradientWorker::for_each_piece(const std::function<void(std::size_t, std::size_t)>& work) {
  for_each_piece_of({0, weights()}, [&](Part p) { work(p.start, p.count); });
}

void GradientWorker::for_each_piece_of(Part part, const std::function<void(Part)>& work) {
  workers_.run(static_cast<int>((part.count + piece - 1) / piece), [&](int task, int) {
    const std::size_t done = as_size(task) * piece;
    work({part.start + done, std::min(piece, part.count - done)});
  });
}

// Longest first, in stretches of equal size: a shard pads little, and the longest shard is begun first.
void GradientWorker::share_out(std::span<const std::uint32_t> examples, int shards) {
  std::vector<std::uint32_t> order(examples.begin(), examples.end());
  std::ranges::stable_sort(order, std::greater(), [&](std::uint32_t i) {
    return as_size(examples_[i].source.size()) + examples_[i].target.size();
  });
  const int rows = static_cast<int>(order.size());
  shard_count_ = std::clamp(rows / fewest_rows, 1, shards);
  if (static_cast<int>(shards_.size()) < shard_count_) shards_.resize(as_size(shard_count_));
  for (int s = 0; s < shard_count_; ++s) {
    const auto begin = order.begin() + static_cast<std::ptrdiff_t>(rows) * s / shard_count_;
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(rows) * (s + 1) / shard_count_;
    shard(s).examples.assign(begin, end);
  }
}

void GradientWorker::fill_shard(Shard& shard, const Random& random) {
  std::vector<const Encoding*> rows;
  shard.batch.samples.clear();
  for (const std::uint32_t sample : shard.examples) {
    rows.push_back(&examples_[sample]);
    shard.batch.samples.push_back(sample);
  }
  fill_batch(model_.task(), rows, shard.batch);
  word_dropout_.apply(random.at(static_cast<std::uint64_t>(Purpose::data)), shard.batch);
}

void GradientWorker::compute_shard(Shard& shard, const GradientRequest& request, double scale) {
  fill_shard(shard, request.random);
  for (PreviousSymbols* read : {&shard.batch.previous, &shard.batch.reverse_previous}) {
    read->scheduled_sampling = request.scheduled_sampling;
  }
  shard.batch.expected = request.expected;
  const TrainingPass training = {{}, request.random, shard.batch.samples, request.dropout};
  Pass pass(model_.parameters(), shard.arena, training);
  const EncoderDecoder::Loss loss = model_.network().loss(pass, shard.batch);
  pass.tape().note_gradients(loss.total, static_cast<Real>(scale));
  pass.weight_gradients(shard.gradients);
  shard.losses = {static_cast<double>(*loss.total.data())};
  shard.names.clear();
  for (const LossTerm& term : loss.terms) {
    shard.names.push_back(term.name);
    shard.losses.push_back(static_cast<double>(*term.value.data()));
  }
}

void GradientWorker::sum_branch(const Branch& branch) {
  const auto& entries = model_.parameters().entries();
  const std::size_t leaves = branch.leaves.size();
  notes_.clear();
  for (std::size_t w = 0; w < entries.size(); ++w) {
    for (const int s : branch.leaves) notes_.push_back(s == no_shard ? WeightGradient() : shard(s).gradients[w]);
  }
  struct Task {
    std::size_t weight;
    int part;
  };
  std::vector<WeightGradientSum> sums;
  std::vector<Task> tasks;
  for (std::size_t w = 0; w < entries.size(); ++w) {
    sums.emplace_back(entries[w].shape, std::span(notes_).subspan(w * leaves, leaves));
    for (int part = 0; part < sums.back().parts(); ++part) tasks.push_back({w, part});
  }
  LargeVector<Real>& sum = shard(branch.first).sum;
  sum.resize(weights());
  workers_.run(static_cast<int>(tasks.size()), [&](int task, int worker) {
    const auto& [weight, part] = tasks[as_size(task)];
    Arena& arena = rooms_[as_size(worker)];
    arena.reset();
    sums[weight].compute(part, GradientRoom(arena, leaves), sum.data() + entries[weight].offset);
  });
}

GradientWorker::Part GradientWorker::part_of(int rank) const {
  const auto begin = [&](int r) { return weights() * as_size(r) / as_size(ranks_.count()); };
  return {begin(rank), begin(rank + 1) - begin(rank)};
}

std::span<Real> GradientWorker::sum_of(int branch, Part part) {
  const std::span<Real> sum = shard(branch).sum;
  const std::size_t from = sum.size() == weights() ? 0 : part_of(ranks_.rank()).start;
  return sum.subspan(part.start - from, part.count);
}

// Each rank gets its part of what the others have, adds it up, and hands the sum to all: no rank sends or receives more
// than twice the weights where the number of ranks is a power of two.
void GradientWorker::sum_across_ranks(const ShardTree& tree) {
  const int me = ranks_.rank();
  const Part mine = part_of(me);
  shard(0).sum.resize(weights());
  std::vector<Ranks::Sending> out;
  std::vector<Ranks::Receiving> in;
  for (int other = 0; other < ranks_.count(); ++other) {
    if (other == me) continue;
    for (const Branch& b : tree.branches(me)) out.push_back({other, std::as_bytes(sum_of(b.first, part_of(other)))});
    for (const Branch& b : tree.branches(other)) {
      if (b.first > 0) shard(b.first).sum.resize(mine.count);
      in.push_back({other, std::as_writable_bytes(sum_of(b.first, mine))});
    }
  }
  ranks_.exchange(out, in);
  for_each_piece_of(mine, [&](Part p) {
    for (const auto& [into, from] : tree.across()) kernels::add(sum_of(from, p), sum_of(into, p));
  });
  out.clear(), in.clear();
  for (int other = 0; other < ranks_.count(); ++other) {
    if (other == me) continue;
    out.push_back({other, std::as_bytes(sum_of(0, mine))});
    in.push_back({other, std::as_writable_bytes(sum_of(0, part_of(other)))});
  }
  ranks_.exchange(out, in);
}

double GradientWorker::norm() {
  std::vector<double> squares((weights() + piece - 1) / piece);
  for_each_piece_of({0, weights()}, [&](Part p) { squares[p.start / piece] = kernels::sum_of_squares(sum_of(0, p)); });
  double total = 0;
  for (const double square : squares) total += square;
  return std::sqrt(total);
}

// First to last, on rank 0.
void GradientWorker::sum_losses(const ShardTree& tree, GradientResult& result) {
  std::vector<Ranks::Sending> out;
  std::vector<Ranks::Receiving> in;
  for (int rank = 1; rank < ranks_.count(); ++rank) {
    for (int s = tree.begin(rank); s < tree.begin(rank + 1); ++s) {
      std::vector<double>& losses = shard(s).losses;
      if (ranks_.first()) {
        losses.resize(shard(0).losses.size());
        in.push_back({rank, std::as_writable_bytes(std::span(losses))});
      } else if (rank == ranks_.rank()) {
        out.push_back({0, std::as_bytes(std::span(losses))});
      }
    }
  }
  ranks_.exchange(out, in);
  std::array<double, 2> totals = {};
  if (ranks_.first()) {
    const Shard& first = shard(0);
    std::vector<double> sums(first.losses.size());
    for (int s = 0; s < shard_count_; ++s) {
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += shard(s).losses[i];
    }
    for (std::size_t i = 0; i < first.names.size(); ++i) {
      result.terms.emplace_back(first.names[i], sums[i + 1] / static_cast<double>(result.symbols));
    }
    totals = {sums[0], sums[1]};
  }
  ranks_.broadcast(std::as_writable_bytes(std::span(totals)));
  result.loss = totals[0];
  result.nll = totals[1];
}

GradientResult GradientWorker::compute(const GradientRequest& request) {
  share_out(request.examples, request.shards);
  GradientResult result;
  for (const std::uint32_t i : request.examples) {
    result.symbols += model_.task().steps(examples_[i].target.size());
    result.tokens += examples_[i].source.size() + std::ssize(examples_[i].target);
  }
  const ShardTree tree(shard_count_, ranks_.count());
  const int begin = tree.begin(ranks_.rank()), end = tree.begin(ranks_.rank() + 1);
  const double scale = 1.0 / static_cast<double>(result.symbols);
  workers_.run(end - begin, [&](int task, int) { compute_shard(shard(begin + task), request, scale); });
  sum_losses(tree, result);
  for (const Branch& branch : tree.branches(ranks_.rank())) sum_branch(branch);
  if (ranks_.count() > 1) sum_across_ranks(tree);
  result.norm = norm();
  return result;
}

}  // namespace fovea
