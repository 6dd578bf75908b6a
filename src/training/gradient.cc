#include "training/gradient.h"

#include <algorithm>
#include <cmath>

#include "kernels/pointwise.h"

namespace fovea {

namespace {

constexpr std::size_t piece = std::size_t(1) << 15;
constexpr int fewest_rows = 4;  // of a shard: with fewer, products are mostly overhead

std::vector<float> unknown_by_count(const Model& model, std::span<const Encoding> examples) {
  std::vector<std::int64_t> times(static_cast<std::size_t>(model.task().source().size()));
  for (const Encoding& example : examples) {
    for (const std::int32_t id : example.source.symbols) ++times[static_cast<std::size_t>(id)];
  }
  SymbolCounts counts;
  for (int id = Vocabulary::first_symbol; id < model.task().source().size(); ++id) {
    counts.add(model.task().source().text(id), times[static_cast<std::size_t>(id)]);
  }
  return unknown_probabilities(model.task().source(), counts);
}

}  // namespace

GradientWorker::GradientWorker(const Model& model, std::span<const Encoding> examples, Workers& workers)
    : model_(model),
      examples_(examples),
      workers_(workers),
      unknown_(unknown_by_count(model, examples)),
      replaces_(model.config().model.objective.agreement == 0),
      rooms_(static_cast<std::size_t>(workers.count())),
      gradient_(static_cast<std::size_t>(model.parameters().count())) {}

void GradientWorker::for_each_piece(const std::function<void(std::size_t, std::size_t)>& work) {
  const std::size_t all = static_cast<std::size_t>(model_.parameters().count());
  workers_.run(static_cast<int>((all + piece - 1) / piece), [&](int task, int) {
    const std::size_t start = static_cast<std::size_t>(task) * piece;
    work(start, std::min(piece, all - start));
  });
}

// Longest first, in stretches of equal size: a shard pads little, and the longest shard is begun first.
void GradientWorker::share_out(std::span<const std::uint32_t> examples, int shards) {
  std::vector<std::uint32_t> order(examples.begin(), examples.end());
  std::ranges::stable_sort(order, std::greater(), [&](std::uint32_t i) {
    return examples_[i].source.symbols.size() + examples_[i].target.size();
  });
  const int rows = static_cast<int>(order.size());
  shard_count_ = std::clamp(rows / fewest_rows, 1, shards);
  if (static_cast<int>(shards_.size()) < shard_count_) shards_.resize(static_cast<std::size_t>(shard_count_));
  for (int s = 0; s < shard_count_; ++s) {
    const auto begin = order.begin() + static_cast<std::ptrdiff_t>(rows) * s / shard_count_;
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(rows) * (s + 1) / shard_count_;
    shards_[static_cast<std::size_t>(s)].examples.assign(begin, end);
  }
}

void GradientWorker::fill_batch(Shard& shard, const Random& random) {
  const Random replacing = random.at(static_cast<std::uint64_t>(Purpose::data));
  shard.changed.resize(shard.examples.size());
  std::vector<const Encoding*> rows;
  shard.batch.samples.clear();
  for (std::size_t r = 0; r < shard.examples.size(); ++r) {
    const std::uint32_t sample = shard.examples[r];
    Encoding& changed = shard.changed[r] = examples_[sample];
    Symbols& source = changed.source.symbols;
    for (std::size_t i = 0; i < source.size() && replaces_; ++i) {
      const float share = unknown_[static_cast<std::size_t>(source[i])];
      if (replacing.at(sample).uniform(i) < static_cast<double>(share)) source[i] = Vocabulary::unknown;
    }
    rows.push_back(&changed);
    shard.batch.samples.push_back(sample);
  }
  model_.task().fill_batch(rows, shard.batch);
}

void GradientWorker::compute_shard(Shard& shard, const GradientRequest& request, double scale) {
  fill_batch(shard, request.random);
  const TrainingPass training = {{}, request.random, shard.batch.samples, request.dropout, request.sampling};
  Pass pass(model_.parameters(), shard.arena, training);
  const Transducer::Loss loss = model_.transducer().loss(pass, shard.batch);
  pass.tape().note_gradients(loss.total, static_cast<Real>(scale));
  pass.weight_gradients(shard.gradients);
  shard.loss = static_cast<double>(*loss.total.data());
  shard.symbols = loss.symbols;
  shard.terms.clear();
  for (const LossTerm& term : loss.terms) shard.terms.emplace_back(term.name, static_cast<double>(*term.value.data()));
}

void GradientWorker::sum_shards() {
  const auto& entries = model_.parameters().entries();
  std::vector<WeightGradientSum> sums;
  struct Part {
    std::size_t weight;
    int part;
  };
  std::vector<Part> parts;
  for (std::size_t w = 0; w < entries.size(); ++w) {
    std::vector<WeightGradient> passes;
    for (int s = 0; s < shard_count_; ++s) passes.push_back(shards_[static_cast<std::size_t>(s)].gradients[w]);
    sums.emplace_back(entries[w].shape, std::move(passes));
    for (int part = 0; part < sums.back().parts(); ++part) parts.push_back({w, part});
  }
  workers_.run(static_cast<int>(parts.size()), [&](int task, int worker) {
    const Part& p = parts[static_cast<std::size_t>(task)];
    sums[p.weight].compute(p.part, rooms_[static_cast<std::size_t>(worker)],
                           gradient_.data() + entries[p.weight].offset);
  });
}

double GradientWorker::norm() {
  std::vector<double> squares((gradient_.size() + piece - 1) / piece);
  for_each_piece([&](std::size_t start, std::size_t count) {
    squares[start / piece] = kernels::sum_of_squares(std::span(gradient_).subspan(start, count));
  });
  double total = 0;
  for (const double square : squares) total += square;
  return std::sqrt(total);
}

GradientResult GradientWorker::compute(const GradientRequest& request) {
  share_out(request.examples, request.shards);
  GradientResult result;
  for (const std::uint32_t i : request.examples) {
    result.symbols += static_cast<std::int64_t>(examples_[i].target.size()) + 1;
    result.tokens += static_cast<std::int64_t>(examples_[i].source.symbols.size() + examples_[i].target.size());
  }
  const double scale = 1.0 / static_cast<double>(result.symbols);
  workers_.run(shard_count_,
               [&](int task, int) { compute_shard(shards_[static_cast<std::size_t>(task)], request, scale); });
  for (int s = 0; s < shard_count_; ++s) {
    const Shard& shard = shards_[static_cast<std::size_t>(s)];
    result.loss += shard.loss;
    result.terms.resize(shard.terms.size());
    for (std::size_t i = 0; i < shard.terms.size(); ++i) {
      result.terms[i].first = shard.terms[i].first;
      result.terms[i].second += shard.terms[i].second;
    }
  }
  result.likelihood = result.terms[0].second;
  for (auto& [name, value] : result.terms) value *= scale;
  sum_shards();
  result.norm = norm();
  return result;
}

}  // namespace fovea
