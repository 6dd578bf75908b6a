#include "attention/attention.h"

#include <algorithm>

#include "base/as_size.h"

namespace fovea {

namespace {

std::span<std::int32_t> repeat_ids(Pass& pass, Ids ids, int times) {
  const auto repeated = pass.arena().array<std::int32_t>(ids.size() * as_size(times));
  for (std::size_t i = 0; i < repeated.size(); ++i) {
    const auto t = as_size(times);
    repeated[i] = ids[i / t] * times + static_cast<std::int32_t>(i % t);
  }
  return repeated;
}

// Those of the heads that are forced in the place of their own.
Tensor with_forced(Pass& pass, Tensor weights, int layer, int heads) {
  for (const ForcedWeights& forced : pass.forced()) {
    if (forced.layer != layer) continue;
    const Tensor changed = pass.tape().make(weights.shape());
    std::ranges::copy(weights.values(), changed.data());
    const int positions = weights.shape().last();
    for (int row = forced.head; row < weights.shape().rows(); row += heads) {
      for (int i = 0; i < positions; ++i) {
        const auto at = as_size(i);
        changed.data()[std::ptrdiff_t(row) * positions + i] =
            at < forced.weights.size() ? static_cast<Real>(forced.weights[at]) : Real(0);
      }
    }
    weights = changed;
  }
  return weights;
}

Tensor split_heads(Tensor x, int heads) {
  const Shape& s = x.shape();
  return heads == 1 ? x : as_shape(x, {s[0], s[1] * heads, s[2] / heads});
}

}  // namespace

Mask repeat(Pass& pass, Mask mask, int times) {
  if (times == 1) return mask;
  const std::size_t cells = as_size(mask.positions) * as_size(mask.batch);
  const auto real = pass.arena().array<std::uint8_t>(cells * as_size(times));
  for (std::size_t i = 0; i < real.size(); ++i) real[i] = mask.data[i / as_size(times)];
  return {real.data(), mask.positions, mask.batch * times, mask.causal};
}

Mask pair_mask(Pass& pass, Mask mask, int queries) {
  const int rows = queries * mask.batch;
  const auto seen = pass.arena().array<std::uint8_t>(as_size(mask.positions) * rows);
  for (int i = 0; i < mask.positions; ++i) {
    for (int row = 0; row < rows; ++row) seen[i * rows + row] = mask.sees(row / mask.batch, row % mask.batch, i);
  }
  return {seen.data(), mask.positions, rows};
}

Attention::Attention(Parameters& parameters, const std::string& name, const AttentionOptions& options, Sizes sizes)
    : name_(parameters.prefix() + name),
      heads_(options.heads),
      key_size_(sizes.key > 0 ? sizes.key : sizes.memory),
      rotary_(options.rotary) {
  AttentionSizes made = {sizes.query, sizes.memory, options.size, sizes.written, options};
  const Mechanism<Score>& score = scores().find(options.score);
  if (options.projections || heads_ > 1) {
    if (options.size % heads_ != 0) {
      throw usage_error("{}.size = {} cannot be shared among {} heads; choose a multiple", name, options.size, heads_);
    }
    query_.emplace(parameters, name + ".project_query", sizes.query, options.size);
    key_.emplace(parameters, name + ".project_key", key_size_, options.size);
    value_.emplace(parameters, name + ".project_value", sizes.memory, options.size);
    made.query = made.memory = made.hidden = options.size / heads_;
  } else if (score.traits.equal_sizes && sizes.query != key_size_) {
    query_.emplace(parameters, name + ".project_query", sizes.query, options.size);
    key_.emplace(parameters, name + ".project_key", key_size_, options.size);
    made.query = options.size;
  }
  AttentionSizes keyed = made;  // for the score, whose keys may be less than the values, or projected
  keyed.memory = key_ ? made.query : key_size_;
  if (rotary_ && (keyed.query % 2 != 0 || keyed.memory % 2 != 0)) {
    throw usage_error("{}.rotary turns pairs of numbers: queries of {} and keys of {} must be even", name, keyed.query,
                      keyed.memory);
  }
  const auto make_for = [&](const AttentionSizes& of, const auto& entry) {
    looks_back_ = looks_back_ || entry.traits.looks_back;
    return entry.make(parameters, name + "." + std::string(entry.name), of);
  };
  const auto make = [&](const auto& entry) { return make_for(made, entry); };
  score_ = make_for(keyed, score);
  for (auto bias = options.bias.begin(); bias != options.bias.end(); ++bias) {
    if (std::find(options.bias.begin(), bias, *bias) != bias) {
      throw usage_error("{}.bias has {} twice; once is enough", name, *bias);
    }
  }
  for (const std::string& bias : options.bias) biases_.push_back(make(biases().find(bias)));
  select_ = make(selects().find(options.select));
  read_ = make(reads().find(options.read));
  context_size_ = read_->context_size(made.memory) * heads_;
  if (value_) {
    out_.emplace(parameters, name + ".project_context", context_size_, options.size, true, sizes.gain);
    context_size_ = options.size;
  }
}

Attention::Prepared Attention::Prepared::keep(Pass& pass, Ids examples, int heads) const {
  const Ids rows = repeat_ids(pass, examples, heads);
  const Mask old = memory.mask;
  const auto real = pass.arena().array<std::uint8_t>(as_size(old.positions) * rows.size());
  for (std::size_t i = 0; i < real.size(); ++i) {
    real[i] = old.data[(i / rows.size()) * as_size(old.batch) + as_size(rows[i % rows.size()])];
  }
  const Mask mask = {real.data(), old.positions, static_cast<int>(rows.size()), old.causal};
  return {{gather_batch(memory.values, rows), mask}, gather_batch(keys, rows)};
}

// x, projected if it is to be, each head a row of the batch.
Tensor Attention::project(Pass& pass, const std::optional<Linear>& projection, Tensor x, When when, bool turned) const {
  const Tensor split = split_heads(projection ? (*projection)(pass, x) : x, heads_);
  return turned && rotary_ ? rotate(split, when) : split;
}

Attention::Prepared Attention::prepare(Pass& pass, const Memory& memory, When when) const {
  const Mask mask = repeat(pass, memory.mask, heads_);
  const Tensor keys = memory.values.shape()[2] == key_size_ ? memory.values : columns(memory.values, 0, key_size_);
  const Memory keyed = {project(pass, key_, keys, when, true), mask};
  const Tensor values = value_ ? project(pass, value_, memory.values, when, false) : memory.values;
  return {{values, mask}, score_->keys(pass, keyed)};
}

Tensor Attention::add_biases(Pass& pass, const Question& question, Tensor scores, History& next) const {
  for (std::size_t i = 0; i < biases_.size(); ++i) {
    const Tensor own = i < question.history.own.size() ? question.history.own[i] : Tensor();
    const Bias::Added added = biases_[i]->add(pass, question, own);
    if (added.bias) scores = add(scores, added.bias);
    next.own.push_back(added.own);
  }
  return scores;
}

Attention::Scored Attention::score(Pass& pass, Tensor queries, When when, const Prepared& prepared,
                                   const History& history) const {
  const Question question = {project(pass, query_, queries, when, true), when, prepared.memory, history, heads_, name_};
  History next;
  return {question.queries, add_biases(pass, question, score_->scores(pass, question, prepared.keys), next)};
}

Selected Attention::select(Pass& pass, Tensor queries, When when, const Prepared& prepared, Tensor scores,
                           const History& history) const {
  const Question question = {project(pass, query_, queries, when, true), when, prepared.memory, history, heads_, name_};
  return select_->select(pass, question, scores);
}

std::vector<Tensor> Attention::finish(Pass& pass, Tensor queries, When when, const Prepared& prepared,
                                      const History& history) const {
  const Question question = {project(pass, query_, queries, when, true), when, prepared.memory, history, heads_, name_};
  std::vector<Tensor> kept;
  for (std::size_t i = 0; i < biases_.size(); ++i) {
    if (history.own[i]) kept.push_back(biases_[i]->finish(pass, question, history.own[i]));
  }
  return kept;
}

Attention::Attended Attention::attend(Pass& pass, Tensor queries, When when, const Prepared& prepared,
                                      const History& history) const {
  const Question question = {project(pass, query_, queries, when, true), when, prepared.memory, history, heads_, name_};
  Attended out;
  out.query = question.queries;
  out.scores = add_biases(pass, question, score_->scores(pass, question, prepared.keys), out.history);
  out.selected = select_->select(pass, question, out.scores);
  if (!pass.forced().empty()) {
    out.selected.weights = with_forced(pass, out.selected.weights, history.layer, heads_);
  }
  const Tensor weights = out.selected.weights;
  out.read = read_->context(pass, question, weights);
  const int batch = queries.shape()[1];
  out.context = as_shape(out.read, {queries.shape()[0], batch, out.read.shape()[2] * heads_});
  if (out_) out.context = (*out_)(pass, out.context);
  if (looks_back_) {
    out.history.last = weights;
    out.history.total = history.total ? add(history.total, weights) : weights;
  }
  return out;
}

}  // namespace fovea
