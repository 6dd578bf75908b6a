#include "models/decoders/transformer.h"

#include <fmt/core.h>

#include <cmath>

#include "base/as_size.h"

namespace fovea {

TransformerDecoder::TransformerDecoder(Parameters& parameters, const ModelOptions& options, const EncodedSizes& encoded,
                                       int symbols, StepInputs inputs)
    : size_(options.decoder.size),
      symbol_count_(symbols),
      reads_(encoded.memory > 0),
      symbols_(parameters, "decoder.embedding", symbols, options.decoder.embedding, options.decoder.spread,
               options.decoder.frozen),
      positions_(parameters, "decoder.positions", options.decoder.positions, size_, options.decoder.max_positions) {
  if (inputs.feedback > 0) {
    throw usage_error(
        "decoder.kind = transformer with generator.kind = {}: each step would wait for what the one before "
        "copied; choose pointer_generator, or a recurrent decoder",
        options.generator.kind);
  }
  if (options.decoder.embedding != size_) {
    widen_.emplace(parameters, "decoder.widen", options.decoder.embedding, size_, false);
  }
  if (inputs.line_features > 0) {
    line_part_ = parameters.add("decoder.line_features", {inputs.line_features, size_},
                                Initial::glorot(inputs.line_features, size_));
  }
  const bool norm_first = options.decoder.norm == "pre";
  for (int layer = 0; layer < options.decoder.layers; ++layer) {
    layers_.push_back(std::make_unique<TransformerLayer>(
        parameters, fmt::format("decoder.layer{}", layer), options.self_attention, options.attention,
        TransformerSizes{options.decoder.layers, size_, options.decoder.feed_forward, norm_first, true, encoded},
        options.join));
  }
  if (norm_first) last_norm_.emplace(parameters, "decoder.norm", size_);
}

Decoder::Sources TransformerDecoder::prepare(Pass& pass, const Encoded& encoded) const {
  Sources sources;
  for (const auto& layer : layers_) {
    if (reads_) layer->cross_attention().prepare(pass, encoded, sources);
  }
  return sources;
}

SourceAttention::Prepared TransformerDecoder::of_layer(const Sources& sources, std::size_t layer) const {
  const std::size_t each = sources.size() / layers_.size();
  return std::span(sources).subspan(layer * each, each);
}

State TransformerDecoder::start(Pass& pass, const Encoded& encoded) const {
  State state;
  if (const Tensor line = vectors_of_line(pass, encoded)) state.set("line", line);
  return state;
}

Tensor TransformerDecoder::vectors_of_line(Pass& pass, const Encoded& encoded) const {
  return line_part_ ? linear(encoded.line_features, pass(line_part_)) : Tensor();
}

// [steps, batch, size]
Tensor TransformerDecoder::embed_at(Pass& pass, Ids ids, Shape leading, When when, Tensor line) const {
  Tensor x = symbols_(pass, known_symbols(pass, ids, symbol_count_), leading);
  x = scale(x, std::sqrt(static_cast<Real>(x.shape()[2])));  // embeddings start small; positions are of size one
  if (widen_) x = (*widen_)(pass, x);
  if (line) x = add_to_each_step(x, line);
  return positions_.none() ? x : add(x, positions_.vectors(pass, leading, when));
}

Readout TransformerDecoder::read(Pass& pass, Tensor embedded, const TransformerLayer::Made& last) const {
  Readout readout;
  readout.features = last_norm_ ? (*last_norm_)(pass, last.x) : last.x;
  readout.state = readout.features;
  readout.context = last.looked.context;
  readout.embedding = embedded;
  readout.selected = last.looked.selected;
  readout.heads = heads();
  return readout;
}

Decoder::Step TransformerDecoder::step(Pass& pass, const Sources& sources, const State& state, Ids previous,
                                       Tensor) const {
  Step out;
  out.state.step = state.step + 1;
  const int rows = static_cast<int>(previous.size());
  const int steps = state.step + 1;
  const Tensor line = state.get("line");
  const Tensor embedded = embed_at(pass, previous, {1, rows}, {state.step, 1}, line);
  if (line) out.state.set("line", scale(line, 1));  // in the memory of this step
  Tensor x = embedded;
  const int own_heads = layers_[0]->self_attention().heads();
  const auto ones = pass.arena().array<std::uint8_t>(as_size(steps) * rows * own_heads);
  std::ranges::fill(ones, std::uint8_t(1));
  TransformerLayer::Made made;
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    // Kept as [steps, rows, heads * any], so that rows can be reordered.
    const auto grow = [&](Tensor now, const char* name) {
      const int size = now.shape()[2];
      const Tensor all =
          out.state.grow(pass, state, fmt::format("{}{}", name, l), as_shape(now, {rows, size * own_heads}));
      return as_shape(all, {steps, rows * own_heads, size});
    };
    const auto with_past = [&](const Attention::Prepared& now) -> Attention::Prepared {
      return {{grow(now.memory.values, "values"), {ones.data(), steps, rows * own_heads}}, grow(now.keys, "keys")};
    };
    const int layer = static_cast<int>(l);
    made = (*layers_[l])(pass, x, {ones.data(), 1, rows}, {state.step, 1}, of_layer(sources, l), with_past, layer);
    if (reads_) add_looks(made.looked, heads(), layer, out.looks);
    Attention::Attended itself;
    itself.selected.weights = made.self_weights;
    add_looks(itself, own_heads, layer, out.self_looks);
    x = made.x;
  }
  const int batch = reads_ ? sources[0].memory.mask.batch / heads() : rows;
  out.readout = read(pass, embedded, made);
  const auto as_queries = [&](Tensor t) { return t ? as_shape(t, {rows / batch, batch, t.shape()[2]}) : t; };
  out.readout.features = as_queries(out.readout.features);
  out.readout.state = as_queries(out.readout.state);
  out.readout.embedding = as_queries(out.readout.embedding);
  out.readout.context = as_queries(out.readout.context);
  return out;
}

Readout TransformerDecoder::run(Pass& pass, const Sources& sources, Ids ids, const Side& inputs, Tensor line) const {
  const Tensor embedded = embed_at(pass, ids, {inputs.length, inputs.batch}, {}, line);
  Tensor x = pass.drop(embedded, "decoder.embedding");
  Mask mask = inputs.mask();
  mask.causal = 0;
  TransformerLayer::Made made;
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    made = (*layers_[l])(pass, x, mask, {}, of_layer(sources, l));
    x = made.x;
  }
  return read(pass, embedded, made);
}

// The inputs, some of them what the model chooses when it is given the right symbols: a first pass that learns nothing.
// Mihaylova & Martins 2019, "Scheduled sampling for transformers".
Ids TransformerDecoder::own_inputs(Pass& pass, Sources sources, const PreviousSymbols& inputs, Tensor line,
                                   const Generator& generator, GeneratorSources generator_sources) const {
  const Pass::Unrecorded unrecorded(pass);
  for (Attention::Prepared& source : sources) {
    source.keys = detach(source.keys);
    source.memory.values = detach(source.memory.values);
  }
  for (Tensor* x : {&generator_sources.memory.values, &generator_sources.keys, &generator_sources.own.keys,
                    &generator_sources.own.memory.values}) {
    if (*x) *x = detach(*x);
  }
  const Readout first = run(pass, sources, inputs.ids, inputs, line ? detach(line) : line);
  const Tensor chosen = generator.write(pass, first, generator_sources).log_probabilities;
  const auto ids = pass.arena().array<std::int32_t>(inputs.ids.size());
  for (int row = 0; row < inputs.length * inputs.batch; ++row) {
    const int t = row / inputs.batch, b = row % inputs.batch;
    ids[row] = reads_own_choice(pass, inputs, t, b) ? most_probable_symbol(chosen, row - inputs.batch)
                                                    : inputs.ids[as_size(row)];
  }
  return ids;
}

Decoder::TeacherForced TransformerDecoder::teacher_forced(Pass& pass, const Encoded& encoded, const Sources& sources,
                                                          const PreviousSymbols& inputs, const Generator& generator,
                                                          const GeneratorSources& generator_sources) const {
  const bool sampled = samples(pass, inputs);
  const Tensor line = vectors_of_line(pass, encoded);
  const Ids ids = sampled ? own_inputs(pass, sources, inputs, line, generator, generator_sources) : Ids(inputs.ids);
  return {run(pass, sources, ids, inputs, line), {}, {}};
}

extern const DecoderKind Decoder_transformer = {
    .name = "transformer",
    .formula = "x + attend(x), x + attend(memory), x + W2 relu(W1 x), in layers",
    .paper = "Vaswani 2017",
    .make = made_decoder<TransformerDecoder>,
    .inner = self_attention,
    .starts_unsteadily = true,
    .scales_vectors = true};

}  // namespace fovea
