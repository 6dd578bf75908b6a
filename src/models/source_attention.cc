#include "models/source_attention.h"

#include <algorithm>

#include "base/as_size.h"

namespace fovea {

namespace {

// Where each part's positions stand among those of all sources: behind the real ones of the parts before.
CopyMapView layout(Pass& pass, SourceAttention::Prepared parts) {
  const auto rows = as_size(parts[0].memory.mask.batch);
  std::size_t cells = 0;
  for (const Attention::Prepared& part : parts) cells += as_size(part.memory.mask.positions) * rows;
  const auto starts = pass.arena().array<std::int32_t>(cells + 1);
  const auto places = pass.arena().array<std::int32_t>(cells);
  const auto next = pass.arena().array<std::int32_t>(rows);
  std::ranges::fill(next, 0);
  std::size_t cell = 0;
  std::int32_t count = 0;
  for (const Attention::Prepared& part : parts) {
    const Mask mask = part.memory.mask;
    for (std::size_t i = 0; i < as_size(mask.positions); ++i) {
      for (std::size_t row = 0; row < rows; ++row) {
        starts[cell++] = count;
        if (mask.data[i * rows + row]) places[as_size(count++)] = next[row]++;
      }
    }
  }
  starts[cell] = count;
  const auto used = as_size(count);
  const auto ones = pass.arena().array<Real>(used);
  std::ranges::fill(ones, Real(1));
  return {starts, places.first(used), ones, *std::ranges::max_element(next)};
}

// [queries, batch, 1] -> [queries, batch * heads, 1]
Tensor for_each_head(Tensor x, int heads) {
  Tensor all = x;
  for (int head = 1; head < heads; ++head) all = concat({all, x});
  return as_shape(all, {x.shape()[0], x.shape()[1] * heads, 1});
}

}  // namespace

SourceAttention::SourceAttention(Parameters& parameters, const std::string& name, const AttentionOptions& options,
                                 std::string_view join, const Sizes& sizes) {
  const Attention::Sizes each = {sizes.query, sizes.encoded.memory, sizes.written, 0, sizes.gain};
  parts_.emplace_back(parameters, name, options, each);
  for (int k = 2; k <= sizes.encoded.memories; ++k) {
    parts_.emplace_back(parameters, name + std::to_string(k), options, each);
  }
  if (parts_.size() == 1) return;
  if (looks_back()) {
    throw usage_error(
        "join = {} with an attention that looks back at earlier steps: which of its sources they looked at is not "
        "kept; set join = flat, or choose a score, bias and selection that do not look back",
        join);
  }
  const Traits select = selects().find(options.select).traits;
  if (select.draws || select.marginal) {
    throw usage_error(
        "join = {} with attention.select = {}: a position comes from one source, not from each; set join = flat, or "
        "choose "
        "another selection",
        join, options.select);
  }
  join_ = joins().find(join).make(parameters, name + ".join",
                                  {sizes.encoded.memories, sizes.query, sizes.encoded.memory, context_size()});
}

void SourceAttention::prepare(Pass& pass, const Encoded& encoded, std::vector<Attention::Prepared>& prepared) const {
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    prepared.push_back(parts_[k].prepare(pass, parts_.size() == 1 ? encoded.memory : encoded.parts[k]));
  }
}

Attention::Attended SourceAttention::attend(Pass& pass, Tensor queries, When when, Prepared prepared,
                                            const History& history) const {
  if (parts_.size() == 1) return parts_[0].attend(pass, queries, when, prepared[0], history);
  std::vector<Attention::Attended> attended;
  std::vector<Tensor> contexts;
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    attended.push_back(parts_[k].attend(pass, queries, when, prepared[k], history));
    contexts.push_back(attended.back().context);
  }
  const Join::Joined joined = join_->join(pass, queries, contexts);
  Tensor scores, weights;
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const Tensor share = for_each_head(columns(joined.shares, static_cast<int>(k), 1), heads());
    const Tensor weighed = scale_rows(attended[k].selected.weights, share);
    scores = scores ? concat({scores, attended[k].scores}) : attended[k].scores;
    weights = weights ? concat({weights, weighed}) : weighed;
  }
  const CopyMapView places = layout(pass, prepared);
  Attention::Attended out;
  out.scores = scatter_to_vocabulary(scores, places);
  out.selected.weights = scatter_to_vocabulary(weights, places);
  out.read = out.context = joined.context;  // there is no query that is the same for all
  return out;
}

}  // namespace fovea
