// What writes a target with the right symbols as inputs: one oracle for each decoder, the styles of a recurrent one
// counted.
#pragma once

#include "base/as_size.h"
#include "models/oracles/encoders.h"
#include "models/oracles/generators.h"
#include "models/oracles/joins.h"

namespace fovea::oracle {

struct Step {
  Readout readout;
  Written written;
  Rows coverage_embeddings = {};  // of all heads, once the last step is done; empty without such a bias
};
using Steps = std::vector<Step>;

namespace decoder {

// A symbol that only the source has is read as unknown.
inline int known(const Model& model, int symbol) {
  constexpr int unknown = 1;
  return symbol < model.weights().rows("decoder.embedding.table") ? symbol : unknown;
}

// s_0: zeros, the encoder's last states (those of the top layers side by side; tanh(W h + b) where they do not fit),
// tanh(W mean_i h_i + b), or learned.
inline std::vector<Cells> bridge(const Model& model, const Encoded& encoded) {
  const DecoderOptions& options = model.options.decoder;
  const bool has_c = options.cell == "lstm";
  const bool fits = std::ssize(encoded.last[0].h) == options.size && !encoded.last[0].c.empty() == has_c;
  const Weights weights = model.weights().of("decoder").of("bridge");
  const auto first = [&](const std::string& name, const Row& last) {
    if (options.bridge == "zero") return Row(as_size(options.size));
    if (options.bridge == "learned") return weights.row(name);
    if (options.bridge == "last" && fits) return last;
    return tanh(weights.affine(name, options.bridge == "last" ? last : mean(encoded.memory)));
  };
  std::vector<Cells> layers;
  for (int layer = 0; layer < options.layers; ++layer) {
    const int beside = std::max(0, layer + static_cast<int>(encoded.last.size()) - options.layers);
    const Cells& last = encoded.last[as_size(beside)];
    Cells& cells = layers.emplace_back();
    cells.h = first("h" + std::to_string(layer), last.h);
    if (has_c) cells.c = first("c" + std::to_string(layer), last.c.empty() ? last.h : last.c);
  }
  return layers;
}

// W sum_k E f_k of the features of the line, which each step reads; nothing of a model without.
inline Row of_line(const Model& model, const Example& example) {
  const Weights weights = model.weights();
  if (!weights.has("line_features.table")) return {};
  Row sum(weights.row("line_features.table").size());
  for (const int feature : example.line_features) sum = plus(sum, weights.row("line_features.table", feature));
  return weights.times("decoder.line_features", sum);
}

// One step of all layers; what the top one makes. What the line has is added to the gates of the first.
inline Row run_layers(const Model& model, Row x, const Row& extra, const Row& line, std::vector<Cells>& layers) {
  for (std::size_t layer = 0; layer < layers.size(); ++layer) {
    const Weights weights = model.weights().of("decoder").of("layer" + std::to_string(layer));
    const bool first = layer == 0;
    layers[layer] =
        cell(model.options.decoder.cell, weights, x, first ? extra : Row(), layers[layer], first ? line : Row());
    x = model.options.decoder.residual && layer > 0 ? plus(layers[layer].h, x) : layers[layer].h;
  }
  return x;
}

// tanh(W [s ; c ; y] + b), of those that the style reads
inline Row features(const Model& model, const Readout& readout) {
  const Weights weights = model.weights().of("generator");
  Row all = weights.affine("state", readout.state);
  if (!readout.context.empty()) all = plus(all, weights.times("context", readout.context));
  if (model.options.decoder.style != "luong") all = plus(all, weights.times("embedding", readout.embedding));
  return tanh(all);
}

// Bahdanau, Cho & Bengio 2015: c_t from s_{t-1}, s_t = f(s_{t-1}, [y_{t-1} ; c_t]), chosen from [s_t ; c_t ; y_{t-1}].
// Luong, Pham & Manning 2015: s_t = f(s_{t-1}, [y_{t-1} ; t_{t-1}]), c_t from s_t, chosen from t_t = tanh(W [c_t ;
// s_t]); without feeding s_t = f(s_{t-1}, y_{t-1}). Sutskever, Vinyals & Le 2014 (plain): s_t = f(s_{t-1}, y_{t-1}),
// chosen from [s_t ; y_{t-1}].
inline Steps rnn(const Model& model, const Encoded& encoded, const Example& example) {
  const ModelOptions& options = model.options;
  const std::string& style = options.decoder.style;
  const bool copynet = options.generator.kind == "copynet";
  const auto& bias = options.attention.bias;
  const bool embeds_coverage =
      style != "plain" && std::find(bias.begin(), bias.end(), "coverage_embedding") != bias.end();
  std::vector<Cells> layers = bridge(model, encoded);
  const Row line = of_line(model, example);
  Row fed(as_size(options.generator.size));  // t_{t-1}
  constexpr int stop_symbol = 3, step_symbol = 4;
  Asking asking = {.query = {}};
  asking.random = model.random;
  asking.sample = model.sample;
  Steps steps;
  for (const int symbol : example.inputs) {
    Step step;
    Readout& readout = step.readout;
    readout.embedding = model.weights().row("decoder.embedding.table", known(model, symbol));
    asking.written.push_back(readout.embedding);
    asking.stepped += symbol == step_symbol;
    const auto look = [&](const Row& query) {
      asking.query = readout.asked = query;
      readout.attended = attend(model, encoded, "attention", options.attention, asking);
      readout.context = readout.attended.context;
      asking.before.push_back(readout.attended);
      ++asking.step;
    };
    Row extra;
    if (style == "bahdanau") look(layers.back().h), extra = readout.context;
    if (style == "luong" && options.decoder.feeding) extra = fed;
    if (copynet) {
      const Row copying = steps.empty() ? Row() : steps.back().written.copying;
      extra = joined(extra, generator::selective_read(example, encoded.memory, copying, symbol));
    }
    readout.state = run_layers(model, readout.embedding, extra, line, layers);
    if (style == "luong") look(readout.state);
    readout.features = fed = features(model, readout);
    step.written = generators().at(options.generator.kind)(model, example, encoded.memory, readout);
    steps.push_back(step);
  }
  if (embeds_coverage) {
    asking.written.push_back(model.weights().row("decoder.embedding.table", stop_symbol));
    const Attention attention = model.attention("attention", options.attention);
    steps.back().coverage_embeddings = attention.coverage_embeddings(encoded.memory, asking);
  }
  return steps;
}

// Vaswani et al. 2017: each layer sees the symbols written so far and the source.
inline Steps transformer(const Model& model, const Encoded& encoded, const Example& example) {
  const DecoderOptions& options = model.options.decoder;
  const TransformerStack stack = {model, "decoder", options.size, options.layers, options.positions, options.norm};
  std::vector<int> inputs = example.inputs;
  for (int& symbol : inputs) symbol = known(model, symbol);
  Rows embedded = stack.embedded(inputs);
  const Row line = of_line(model, example);
  for (Row& x : embedded) x = line.empty() ? x : plus(x, line);
  const Looking look = [&](const std::string& name, const AttentionOptions& attention, const Asking& asking) {
    return attend(model, encoded, name, attention, asking);
  };
  TransformerStack::Made made = {embedded, {}};
  for (int layer = 0; layer < options.layers; ++layer) made = stack.layer(layer, made.x, look);
  const Rows features = stack.normed_last(made.x);
  Steps steps;
  for (std::size_t t = 0; t < inputs.size(); ++t) {
    const Attended& attended = made.attended[t];
    const Readout readout = {features[t], features[t], attended.context, embedded[t], attended};
    steps.push_back({readout, generators().at(model.options.generator.kind)(model, example, encoded.memory, readout)});
  }
  return steps;
}

// What a step of the style luong without feeding knows about each position.
struct Positions {
  Row scores;
  Rows log_probabilities;  // of every symbol, if it comes from there: the position's column is the context
};
inline std::vector<Positions> by_position(const Model& model, const Encoded& encoded, const Example& example) {
  const Attention attention = model.attention("attention", model.options.attention);
  std::vector<Cells> layers = bridge(model, encoded);
  const Row line = of_line(model, example);
  std::vector<Positions> steps;
  for (const int symbol : example.inputs) {
    Positions& step = steps.emplace_back();
    Readout readout;
    readout.embedding = model.weights().row("decoder.embedding.table", known(model, symbol));
    readout.state = run_layers(model, readout.embedding, {}, line, layers);
    step.scores = attention.attend(encoded.memory, {.query = readout.state, .step = static_cast<int>(steps.size()) - 1})
                      .scores[0];
    for (const Row& position : encoded.memory) {
      readout.context = position;
      readout.features = features(model, readout);
      step.log_probabilities.push_back(generator::generate(model, example, {}, readout).log_probabilities);
    }
  }
  return steps;
}

// Where the position of each symbol is summed over: p(y_t) = sum_i prior_ti p(y_t | s_t, h_i), the prior selected by
// the scores from where the symbol before came from, given what it was. Wu, Shapiro & Cotterell 2018; Wu & Cotterell
// 2019; Yu, Buys & Blunsom 2016.
inline Steps marginal(const Model& model, const Encoded& encoded, const Example& example) {
  const Select& select = selects().at(model.options.attention.select);
  Look look = {model.weights(), model.options.attention, {}, encoded.memory, encoded.memory};
  Steps steps;
  for (const Positions& positions : by_position(model, encoded, example)) {
    const Row prior = select(look, positions.scores);
    const auto y = as_size(example.outputs[steps.size()]);
    Row posterior;
    Row p(positions.log_probabilities[0].size());
    for (std::size_t i = 0; i < prior.size(); ++i) {
      const Row here = each(positions.log_probabilities[i], [](double x) { return std::exp(x); });
      p = plus(p, scaled(here, prior[i]));
      posterior.push_back(prior[i] * here[y]);
    }
    posterior = scaled(posterior, 1 / sum(posterior));
    Step step;
    step.readout.attended = {{positions.scores}, {posterior}, {}};
    step.written = {each(p, [](double x) { return std::log(x); })};
    steps.push_back(step);
    look.before.push_back(posterior);
    ++look.step;
  }
  return steps;
}

}  // namespace decoder

using Decoder = std::function<Steps(const Model&, const Encoded&, const Example&)>;

// By the style of a recurrent one, or by kind.
inline const Table<Decoder>& decoders() {
  static const Table<Decoder> all = {{"bahdanau", decoder::rnn},
                                     {"luong", decoder::rnn},
                                     {"plain", decoder::rnn},
                                     {"transformer", decoder::transformer}};
  return all;
}

inline bool sums_over_positions(const ModelOptions& options) {
  const std::string& select = options.attention.select;
  return options.decoder.style != "plain" &&
         (select == "exact_hard" || select == "monotonic_hmm" || select == "segments");
}

inline Steps decode(const Model& model, const Encoded& encoded, const Example& example) {
  if (sums_over_positions(model.options)) return decoder::marginal(model, encoded, example);
  const DecoderOptions& options = model.options.decoder;
  return decoders().at(options.kind == "rnn" ? options.style : options.kind)(model, encoded, example);
}

}  // namespace fovea::oracle
