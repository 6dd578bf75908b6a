// What reads a source, symbols in, one column for each position out: one oracle for each encoder.
#pragma once

#include "base/as_size.h"
#include "models/oracles/model.h"
#include "models/oracles/transformer.h"

namespace fovea::oracle {

struct Encoded {
  Rows memory;
  std::vector<Cells> last;       // of each layer; c is empty for a GRU
  Rows summary = {};             // of a structured one: where each of its rows looks
  std::vector<Rows> parts = {};  // the memories of several sources, where each is looked at by itself
};

namespace encoder {

// The last state of an encoder that has none: the mean of its columns.
inline Encoded with_mean(const Rows& memory) { return {memory, {{mean(memory), {}}}}; }

inline Rows embedded(const Weights& weights, const std::vector<int>& source) {
  Rows x;
  for (const int symbol : source) x.push_back(weights.row("embedding.table", symbol));
  return x;
}

// One recurrent layer: h_i = [forward_i ; backward_i]
inline Encoded recurrent_layer(const Weights& weights, const EncoderOptions& options, const Rows& x) {
  const auto size = as_size(options.size);
  Encoded out = {Rows(x.size()), {}};
  Cells forward = {Row(size), Row(size)}, backward = forward;
  for (std::size_t i = 0; i < x.size(); ++i) {
    forward = cell(options.cell, weights.of("forward"), x[i], {}, forward);
    out.memory[i] = forward.h;
  }
  for (std::size_t i = x.size(); i-- > 0 && options.bidirectional;) {
    backward = cell(options.cell, weights.of("backward"), x[i], {}, backward);
    out.memory[i] = joined(out.memory[i], backward.h);
  }
  if (options.bidirectional) forward = {joined(forward.h, backward.h), joined(forward.c, backward.c)};
  if (options.cell == "gru") forward.c.clear();
  out.last = {forward};
  return out;
}

// Layers of LSTM or GRU; with `residual` from the second on each adds what it read.
inline Encoded recurrent_rows(const Weights& weights, const EncoderOptions& options, const Rows& x) {
  Encoded out = {x, {}};
  for (int layer = 0; layer < options.layers; ++layer) {
    Encoded above = recurrent_layer(weights.of("layer" + std::to_string(layer)), options, out.memory);
    for (std::size_t i = 0; i < x.size() && options.residual && layer > 0; ++i) {
      above.memory[i] = plus(above.memory[i], out.memory[i]);
    }
    out.memory = above.memory;
    out.last.push_back(above.last[0]);
  }
  return out;
}
inline Encoded recurrent(const Weights& weights, const EncoderOptions& options, const std::vector<int>& source) {
  return recurrent_rows(weights, options, embedded(weights, source));
}
inline Encoded rnn(const Model& model, const std::vector<int>& source) {
  return recurrent(model.weights().of("encoder"), model.options.encoder, source);
}

// h_i = [E x_i ; P_i]
inline Encoded embedding(const Model& model, const std::vector<int>& source) {
  const EncoderOptions& options = model.options.encoder;
  Rows memory = embedded(model.weights().of("encoder"), source);
  for (std::size_t i = 0; i < memory.size() && options.positions != "none"; ++i) {
    memory[i] = joined(memory[i], position_vector(model.weights(), "encoder.positions", options.positions,
                                                  options.embedding, static_cast<int>(i)));
  }
  return with_mean(memory);
}

// Gehring et al. 2017: h^0_i = E x_i + P_i / 10, brought to the size of the layers if it has another;
// h^l_i = (h^{l-1}_i + A * sigmoid(B)) / sqrt(2), [A ; B] = W h^{l-1}_{i-k..i+k} + b
inline Encoded convolution(const Model& model, const std::vector<int>& source) {
  const EncoderOptions& options = model.options.encoder;
  const Weights weights = model.weights().of("encoder");
  Rows x = embedded(weights, source);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Row place = position_vector(weights, "positions", options.positions, options.embedding, static_cast<int>(i));
    x[i] = plus(x[i], scaled(place, 0.1));
    if (weights.has("widen.weight")) x[i] = weights.affine("widen", x[i]);
  }
  const int before = (options.width - 1) / 2, after = options.width / 2;
  const auto size = as_size(options.size);
  for (int layer = 0; layer < options.layers; ++layer) {
    Rows y;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Row both = weights.affine("layer" + std::to_string(layer), window(x, i, before, after));
      const Row gated = product(part(both, 0, size), each(part(both, size, size), sigmoid));
      y.push_back(scaled(plus(x[i], gated), std::sqrt(0.5)));
    }
    x = y;
  }
  return with_mean(x);
}

// Chan, Jaitly, Le & Vinyals 2015: layer l reads [h_2i ; h_2i+1] of layer l - 1; zeros where there is no h_2i+1.
inline Encoded pyramid(const Model& model, const std::vector<int>& source) {
  const Weights weights = model.weights().of("encoder");
  Encoded out = {embedded(weights, source), {}};
  for (int level = 0; level < model.options.encoder.layers; ++level) {
    Rows x;
    for (std::size_t i = 0; i < out.memory.size() && level > 0; i += 2) x.push_back(window(out.memory, i, 0, 1));
    const Encoded above = recurrent_layer(weights.of("level" + std::to_string(level)).of("layer0"),
                                          model.options.encoder, level > 0 ? x : out.memory);
    out.memory = above.memory;
    out.last.push_back(above.last[0]);
  }
  return out;
}

// Vaswani et al. 2017
inline Encoded transformer(const Model& model, const std::vector<int>& source) {
  const EncoderOptions& options = model.options.encoder;
  const TransformerStack stack = {model, "encoder", options.size, options.layers, options.positions, options.norm};
  Rows x = stack.embedded(source);
  for (int layer = 0; layer < options.layers; ++layer) x = stack.layer(layer, x, {}).x;
  return with_mean(stack.normed_last(x));
}

// Cheng, Dong & Lapata 2016: h~_t, c~_t = sum_{i < t} a_i (h_i, c_i), a from the score of [x_t ; h~_{t-1}] and h_i;
// h_t, c_t = LSTM(x_t, h~_t, c~_t)
inline Encoded lstmn(const Model& model, const std::vector<int>& source) {
  const Weights weights = model.weights().of("encoder");
  const auto size = as_size(model.options.encoder.size);
  const Attention attention =
      model.attention("encoder.intra_attention", model.options.intra_attention, model.options.encoder.size);
  Rows past, memory;
  Cells summary = {Row(size), Row(size)};
  for (const Row& x : embedded(weights, source)) {
    if (!past.empty()) {
      const Asking asking = {.query = joined(x, summary.h), .step = static_cast<int>(past.size())};
      Row seen = attention.attend(past, asking).context;
      if (weights.has("back.weight")) seen = weights.affine("back", seen);
      summary = {part(seen, 0, size), part(seen, size, size)};
    }
    const Cells now = lstm(weights.of("cell"), x, {}, summary);
    past.push_back(joined(now.h, now.c));
    memory.push_back(now.h);
  }
  return with_mean(memory);
}

// Lin et al. 2017: A = softmax(W2 tanh(W1 H)) over the positions, M = A H, H of a recurrent encoder.
inline Encoded structured(const Model& model, const std::vector<int>& source) {
  Encoded out = rnn(model, source);
  const Weights weights = model.weights().of("encoder").of("summary");
  Rows scores;  // [positions][rows]
  for (const Row& h : out.memory) scores.push_back(weights.map("rows", tanh(weights.map("hidden", h))));
  Rows memory;
  for (std::size_t r = 0; r < scores[0].size(); ++r) {
    Row of_row;
    for (const Row& of_position : scores) of_row.push_back(of_position[r]);
    out.summary.push_back(softmax(of_row));
    memory.push_back(weighted_sum(out.summary.back(), out.memory));
  }
  out.memory = memory;
  return out;
}

// Yang et al. 2016: u_it = tanh(W h_it + b), a_it = softmax_t(u_it' v), s_i = sum_t a_it h_it of each sentence's words,
// and what reads s_1 s_2 ... gives the columns. `summary` has the a of each sentence.
inline Encoded hierarchical_sentences(const Model& model, const std::vector<std::vector<int>>& sentences) {
  const Weights weights = model.weights().of("encoder");
  Rows sums, shares;
  for (const std::vector<int>& sentence : sentences) {
    const Rows h = recurrent_rows(weights.of("words"), model.options.encoder, embedded(weights, sentence)).memory;
    Row scores;
    for (const Row& column : h) {
      scores.push_back(weights.map("summary.score", tanh(weights.affine("summary.hidden", column)))[0]);
    }
    shares.push_back(softmax(scores));
    sums.push_back(weighted_sum(shares.back(), h));
  }
  Encoded out = recurrent_rows(weights.of("sentences"), model.options.encoder, sums);
  out.summary = shares;
  return out;
}
inline Encoded hierarchical(const Model& model, const std::vector<int>& source) {
  Encoded out = hierarchical_sentences(model, {source});
  out.summary = {};
  return out;
}

}  // namespace encoder

using Encoder = std::function<Encoded(const Model&, const std::vector<int>& source)>;

inline const Table<Encoder>& encoders() {
  static const Table<Encoder> all = {{"rnn", encoder::rnn},
                                     {"embedding", encoder::embedding},
                                     {"convolution", encoder::convolution},
                                     {"pyramid", encoder::pyramid},
                                     {"transformer", encoder::transformer},
                                     {"lstmn", encoder::lstmn},
                                     {"structured", encoder::structured},
                                     {"hierarchical", encoder::hierarchical}};
  return all;
}

}  // namespace fovea::oracle
