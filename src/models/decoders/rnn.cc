#include "models/decoders/rnn.h"

#include <fmt/core.h>

#include <algorithm>

namespace fovea {

namespace {

// The row's largest logit.
std::int32_t best(Tensor logits, int row) {
  const int symbols = logits.shape().last();
  const Real* first = logits.data() + std::ptrdiff_t(row) * symbols;
  return static_cast<std::int32_t>(std::max_element(first, first + symbols) - first);
}

// The symbols fed to step t: those of the target, or with the pass's share of chance what the model just chose.
std::span<std::int32_t> sampled_inputs(Pass& pass, const Side& inputs, int t, Tensor previous_logits) {
  const auto ids = pass.arena().array<std::int32_t>(static_cast<std::size_t>(inputs.batch));
  const TrainingPass& training = pass.training_pass();
  for (int b = 0; b < inputs.batch; ++b) {
    ids[b] = inputs.ids[static_cast<std::size_t>(t) * inputs.batch + b];
    if (t == 0) continue;
    const Random random = training.random.at(static_cast<std::uint64_t>(Purpose::sampling)).at(training.samples[b]);
    if (random.uniform(static_cast<std::uint64_t>(t)) < training.sampling) ids[b] = best(previous_logits, b);
  }
  return ids;
}

}  // namespace

RnnDecoder::RnnDecoder(Parameters& parameters, const ModelOptions& options, int memory_size, int symbols)
    : embedding_(parameters, "decoder.embedding", symbols, options.decoder.embedding),
      bridge_(parameters, "decoder.bridge", options.decoder, options.encoder) {
  if (options.decoder.style == "bahdanau") {
    attention_.emplace(parameters, "attention", options.attention, options.decoder.size, memory_size);
  }
  for (int layer = 0; layer < options.decoder.layers; ++layer) {
    cells_.emplace_back(parameters, fmt::format("decoder.layer{}", layer), options.decoder.cell,
                        layer == 0 ? options.decoder.embedding : options.decoder.size, options.decoder.size,
                        layer == 0 ? context_size() : 0);
  }
}

RnnDecoder::Sources RnnDecoder::prepare(Pass& pass, const Encoded& encoded) const {
  if (!attention_) return {};
  return attention_->prepare(pass, encoded.memory);
}

State RnnDecoder::start(Pass& pass, const Encoded& encoded) const {
  State state;
  int layer = 0;
  for (const CellState& first : bridge_.states(pass, encoded)) {
    state.set(fmt::format("h{}", layer), first.h);
    if (first.c) state.set(fmt::format("c{}", layer), first.c);
    ++layer;
  }
  return state;
}

RnnDecoder::Step RnnDecoder::step(Pass& pass, const Sources& sources, const State& state, Ids previous) const {
  const Tensor embedded = embedding_(pass, previous, {static_cast<int>(previous.size())});
  return step_from(pass, sources, state, embedded, cells_[0].project(pass, embedded));
}

RnnDecoder::Step RnnDecoder::step_from(Pass& pass, const Sources& sources, const State& state, Tensor embedded,
                                       Tensor projected) const {
  Step out;
  out.readout.embedding = embedded;
  if (attention_) {
    const Tensor query = state.get(fmt::format("h{}", cells_.size() - 1));
    const int rows = query.shape()[0], batch = sources->memory.mask.batch, positions = sources->memory.mask.positions;
    const auto as_queries = [&](Tensor x, int size) { return as_shape(x, {rows / batch, batch, size}); };
    History history;
    if (const Tensor last = state.get("attention.last")) {
      history = {as_queries(last, positions), as_queries(state.get("attention.total"), positions)};
    }
    const Attention::Attended attended =
        attention_->attend(pass, as_queries(query, query.shape()[1]), *sources, history);
    const auto as_rows = [&](Tensor x) { return as_shape(x, {rows, x.shape().last()}); };
    out.readout.context = as_rows(attended.context);
    out.looks.push_back({as_rows(attended.scores), as_rows(attended.weights), out.readout.context});
    if (attention_->has_history()) {
      out.state.set("attention.last", as_rows(attended.history.last));
      out.state.set("attention.total", as_rows(attended.history.total));
    }
  }
  Tensor below;
  for (std::size_t layer = 0; layer < cells_.size(); ++layer) {
    if (layer > 0) projected = cells_[layer].project(pass, pass.drop(below, "decoder.layers"));
    const CellState previous = {state.get(fmt::format("h{}", layer)), state.get(fmt::format("c{}", layer))};
    const CellState next = cells_[layer].step(pass, projected, layer == 0 ? out.readout.context : Tensor(), previous);
    out.state.set(fmt::format("h{}", layer), next.h);
    if (next.c) out.state.set(fmt::format("c{}", layer), next.c);
    below = next.h;
  }
  out.readout.state = below;
  return out;
}

Tensor RnnDecoder::teach(Pass& pass, const Encoded& encoded, const Side& inputs, const Generate& output) const {
  const Sources sources = prepare(pass, encoded);
  State state = start(pass, encoded);
  const auto steps = static_cast<std::size_t>(inputs.length);
  if (pass.training() && pass.training_pass().sampling > 0) {
    const std::span<Tensor> logits = pass.arena().array<Tensor>(steps);
    for (std::size_t t = 0; t < steps; ++t) {
      const auto ids = sampled_inputs(pass, inputs, static_cast<int>(t), t > 0 ? logits[t - 1] : Tensor());
      Step next = step(pass, sources, state, ids);
      state = std::move(next.state);
      next.readout.state = pass.drop(next.readout.state, "decoder.state");
      logits[t] = output.logits(pass, next.readout);
    }
    return stack(logits);
  }
  // All inputs are known: their share of the first layer's gates, and the output layer, are one product each.
  Readout all;
  all.embedding = pass.drop(embedding_(pass, inputs.ids, {inputs.length, inputs.batch}), "decoder.embedding");
  const Tensor projected = cells_[0].project(pass, all.embedding);
  const std::span<Tensor> states = pass.arena().array<Tensor>(steps);
  const std::span<Tensor> contexts = pass.arena().array<Tensor>(steps);
  for (int t = 0; t < inputs.length; ++t) {
    Step next = step_from(pass, sources, state, fovea::step(all.embedding, t), fovea::step(projected, t));
    state = std::move(next.state);
    states[t] = next.readout.state;
    contexts[t] = next.readout.context;
  }
  all.state = pass.drop(stack(states), "decoder.state");
  if (attention_) all.context = pass.drop(stack(contexts), "decoder.context");
  return output.logits(pass, all);
}

}  // namespace fovea
