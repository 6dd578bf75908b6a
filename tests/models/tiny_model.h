// A model so small that its numbers can be checked one by one, and a batch of examples to ask it about: ragged on both
// sides, with symbols that only the source has, copy_map for generators that copy or look up, and alignments.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/as_size.h"
#include "layers/loss_check.h"
#include "models/encoder_decoder.h"

namespace fovea {

inline constexpr int source_symbols = 9, target_symbols = 7;  // the source's last two are unknown to the target
inline constexpr std::int32_t unknown = 1, start = 2, stop = 3;

using Sequence = std::vector<std::int32_t>;
struct TinyExample {
  Sequence source;
  Sequence target;  // may have symbols that only the source has
  std::int64_t sample = 0;
};
inline std::vector<TinyExample> tiny_examples() {
  return {{{4, 7, 6}, {5, 7}, 11}, {{6, 8, 5, 4}, {4, 8, 6, 5}, 12}, {{5}, {}, 13}};
}

enum class Linked { none, copies, lexicon };
inline Linked linked_of(const ModelOptions& options) {
  const GeneratorTraits traits = generators().find(options.generator.kind).traits;
  return traits.copies ? Linked::copies : traits.lexicon ? Linked::lexicon : Linked::none;
}

// What a source symbol stands for among the target's; a pad for nothing.
struct Meaning {
  std::int32_t symbol;
  Real share;
};
inline std::vector<Meaning> meanings(std::int32_t symbol, Linked linked) {
  if (symbol == stop) return {{stop, 1}};
  if (symbol < stop) return {};
  if (linked == Linked::copies) return {{symbol, 1}};
  return {{4 + symbol % 3, Real(0.6)}, {4 + (symbol + 1) % 3, Real(0.25)}};
}

// With `more` pads than the longest sequence needs.
inline Side tiny_side(const std::vector<Sequence>& sequences, Frame frame, int more) {
  const std::vector<std::span<const std::int32_t>> rows(sequences.begin(), sequences.end());
  Side side;
  fill_side(rows, frame, side);
  side.length += more;
  side.ids.resize(side.ids.size() + as_size(more) * rows.size(), frame.pad);
  side.real.resize(side.ids.size(), 0);
  return side;
}

inline void link(SourceBatch& side, Linked linked) {
  side.copy_map.width = linked == Linked::copies ? source_symbols : target_symbols;
  side.copy_map.starts = {0};
  for (const std::int32_t id : side.ids) {
    for (const Meaning& meaning : meanings(id, linked)) {
      side.copy_map.symbols.push_back(meaning.symbol);
      side.copy_map.shares.push_back(meaning.share);
    }
    side.copy_map.starts.push_back(static_cast<std::int32_t>(side.copy_map.symbols.size()));
  }
}

inline Batch tiny_batch(const std::vector<TinyExample>& examples, Linked linked, int more = 0) {
  std::vector<Sequence> sources, targets;
  Batch batch;
  for (const TinyExample& example : examples) {
    sources.push_back(example.source);
    targets.push_back(example.target);
    for (std::int32_t& id : targets.back()) {
      if (id >= target_symbols && linked != Linked::copies) id = unknown;
    }
    batch.samples.push_back(example.sample);
  }
  batch.source = tiny_side(sources, {.last = stop}, more);
  batch.previous = {tiny_side(targets, {.first = start}, more)};
  batch.targets = tiny_side(targets, {.last = stop}, more);
  batch.reverse_source = tiny_side(targets, {.last = stop}, more);
  batch.reverse_previous = {tiny_side(sources, {.first = start}, more)};
  batch.reverse_targets = tiny_side(sources, {.last = stop}, more);
  if (linked != Linked::none) link(batch.source, linked);
  // Step t wants the positions t and t + 1; of step 1 nothing is known.
  batch.alignment.assign(batch.targets.ids.size() * as_size(batch.source.length), 0);
  const int rows = batch.source.batch;
  for (int t = 0; t < batch.targets.length; ++t) {
    for (int b = 0; b < rows; ++b) {
      if (t == 1 || !batch.targets.real[t * rows + b]) continue;
      const int last = static_cast<int>(examples[b].source.size());
      for (const int i : {std::min(t, last), std::min(t + 1, last)}) {
        batch.alignment[(t * rows + b) * batch.source.length + i] += Real(0.5);
      }
    }
  }
  return batch;
}

inline ModelOptions tiny_options() {
  ModelOptions options;
  options.encoder.size = options.encoder.embedding = 4;
  options.decoder.size = options.decoder.embedding = 4;
  options.attention.size = options.self_attention.size = options.intra_attention.size = options.generator.size = 4;
  options.self_attention.heads = 2;
  options.encoder.feed_forward = options.decoder.feed_forward = 8;  // so many that not all are zero
  options.encoder.max_positions = options.decoder.max_positions = 6;
  options.encoder.rows = 3;
  options.attention.window = options.self_attention.window = options.intra_attention.window = 2;
  options.attention.positions = 12;
  return options;
}

// Filled with weights that make no gate saturate and no bias zero.
struct TinyModel {
  static constexpr Random random = Random(1, Purpose::dropout);  // of training
  static constexpr double expected = -0.7;                       // of a symbol's log-likelihood

  explicit TinyModel(const ModelOptions& options, int feature_symbols = 0,
                     std::vector<SourceShape> sources = {SourceShape::of_symbols(source_symbols)})
      : linked(linked_of(options)),
        network(parameters, options, {std::move(sources), target_symbols, feature_symbols}) {
    parameters.allocate();
    std::ranges::copy(random_values(static_cast<int>(parameters.count()), "weights", Real(0.8)),
                      parameters.values().begin());
  }

  Batch batch(int more = 0) const { return tiny_batch(tiny_examples(), linked, more); }

  struct Term {
    std::string name;
    double value;
  };
  // In training; the total first, then what it is the sum of.
  std::vector<Term> terms(const Batch& batch, std::span<Real> gradient = {}, double dropout = 0, double sampling = 0) {
    parameters.invalidate_packed();
    std::vector<Real> ignored(gradient.empty() ? as_size(parameters.count()) : 0);
    Batch taught = batch;
    taught.previous.scheduled_sampling = taught.reverse_previous.scheduled_sampling = sampling;
    taught.expected = expected;
    const TrainingPass training = {gradient.empty() ? ignored : gradient, random, batch.samples, dropout};
    Pass pass(parameters, arena, training);
    const EncoderDecoder::Loss loss = network.loss(pass, taught);
    std::vector<Term> all = {{"total", static_cast<double>(*loss.total.data())}};
    for (const LossTerm& term : loss.terms) all.push_back({term.name, static_cast<double>(*term.value.data())});
    if (!gradient.empty()) pass.tape().backward(loss.total);
    return all;
  }
  double loss(const Batch& batch) { return terms(batch)[0].value; }

  // Minus the log-likelihood, as in use.
  double nll(const Batch& batch) {
    parameters.invalidate_packed();
    Pass pass(parameters, arena);
    return static_cast<double>(*network.loss(pass, batch).terms[0].value.data());
  }

  Parameters parameters;
  Linked linked;
  EncoderDecoder network;
  Arena arena;
};

inline void expect_every_weight_matters(const std::vector<Numbers>& all) {
  for (const Numbers& numbers : all) {
    EXPECT_TRUE(std::ranges::any_of(numbers.gradient, [](Real g) { return g != 0; })) << numbers.name;
  }
}

// Up to `most` numbers of each, spread evenly.
inline std::vector<Numbers> some_of(const std::vector<Numbers>& all, std::size_t most) {
  std::vector<Numbers> some;
  for (const Numbers& numbers : all) {
    const std::size_t size = numbers.values.size(), count = std::min(size, most);
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t i = k * size / count;
      some.push_back(
          {fmt::format("{}[{}]", numbers.name, i), numbers.values.subspan(i, 1), numbers.gradient.subspan(i, 1)});
    }
  }
  return some;
}

// The log-probabilities of all symbols, [rows, any], along the batch's targets: one step after another.
inline std::vector<std::vector<Real>> stepped(const TinyModel& model, const StepModel& asked, const Side& inputs) {
  std::vector<std::vector<Real>> rows;
  Arena arenas[2];
  State state;
  for (int t = 0; t < inputs.length; ++t) {
    Pass pass(model.parameters, arenas[t % 2]);
    if (t == 0) state = asked.start(pass);
    const auto batch = as_size(inputs.batch);
    const StepResult result = asked.step(pass, state, Ids(inputs.ids).subspan(as_size(t) * batch, batch));
    rows.emplace_back(result.log_probabilities.values().begin(), result.log_probabilities.values().end());
    state = result.state;
  }
  return rows;
}

// Minus the log-probability of the batch's targets, of three rows, one step after another.
inline double stepped_nll(const TinyModel& model, const Batch& batch) {
  Arena arena;
  Pass pass(model.parameters, arena);
  const auto rows = stepped(model, *model.network.begin(pass, batch.source), batch.previous);
  double sum = 0;
  for (std::size_t cell = 0; cell < batch.targets.ids.size(); ++cell) {
    if (!batch.targets.real[cell]) continue;
    const std::size_t width = rows[cell / 3].size() / 3;
    sum -= static_cast<double>(rows[cell / 3][cell % 3 * width + as_size(batch.targets.ids[cell])]);
  }
  return sum;
}

}  // namespace fovea
