// How symbols are chosen from what the decoder offers: one oracle for each generator.
#pragma once

#include "base/as_size.h"
#include "models/oracles/model.h"

namespace fovea::oracle {

// What a step of a decoder offers.
struct Readout {
  Row features;   // t
  Row state;      // s
  Row context;    // c; empty without attention
  Row embedding;  // y, of the symbol written before
  Attended attended;
  Row asked = {};  // the query of a recurrent decoder
};

struct Written {
  Row log_probabilities;  // of the target's symbols, then of those that only the source has
  double gate = 1;        // the vocabulary's share
  Row copying = {};       // by position
  Row vocabulary = {};    // log-probabilities of the vocabulary's part; empty if it is all
};

namespace generator {

// V t + b; with `tied` V is the table of the target's symbols, and t is first brought to the size of its rows.
inline Row logits(const Model& model, Row t) {
  const Weights weights = model.weights();
  if (!model.options.generator.tied) return weights.affine("generator.choice", t);
  if (weights.has("generator.narrow.weight")) t = weights.map("generator.narrow", t);
  return plus(weights.transposed_times("decoder.embedding.table", t), weights.row("generator.choice.bias"));
}

// By symbol, what the shares of the positions come to.
inline Row spread(const Example& example, const Row& shares) {
  Row by_symbol(as_size(example.width));
  for (std::size_t i = 0; i < shares.size(); ++i) {
    for (const Share& link : example.copy_map[i]) {
      by_symbol[as_size(link.symbol)] += link.share * shares[i];
    }
  }
  return by_symbol;
}

// log(g softmax(V t + b) + sum_i shares_i [x_i = w]), no log below 1e-30
inline Written mixed(const Row& logits, double gate, const Row& shares, const Example& example) {
  Row p = spread(example, shares);
  const Row vocabulary = softmax(logits);
  for (std::size_t j = 0; j < vocabulary.size(); ++j) p[j] += gate * vocabulary[j];
  return {each(p, [](double x) { return std::log(std::max(x, 1e-30)); }), gate, shares,
          each(vocabulary, [](double x) { return std::log(x); })};
}

// p = softmax(V t + b)
inline Written generate(const Model& model, const Example&, const Rows&, const Readout& readout) {
  const Row scores = logits(model, readout.features);
  return {each(scores, [total = log_sum(scores)](double x) { return x - total; })};
}

// See, Liu & Manning 2017: p = g p_vocabulary + (1 - g) sum_{x_i = w} a_i, g = sigmoid(w' [c ; s ; y] + b); with
// `own_attention` a is a softmax of its own for copying (Allamanis 2016).
inline Written pointer_generator(const Model& model, const Example& example, const Rows& memory,
                                 const Readout& readout) {
  Row a = readout.attended.weights.empty() ? Row() : readout.attended.looked();
  if (model.options.generator.own_attention) {
    AttentionOptions own = model.options.attention;
    own.bias.clear();
    if (own.score == "additive_coverage" || own.score == "location_aware") own.score = "additive";  // of no history
    own.select = "softmax", own.read = "sum";
    own.heads = 1, own.rotary = false;
    a = model.attention("generator.attention", own).attend(memory, {.query = readout.state}).looked();
  }
  const Row all = joined(joined(readout.context, readout.state), readout.embedding);
  const double g = sigmoid(model.weights().affine("generator.gate", all)[0]);
  return mixed(logits(model, readout.features), g, scaled(a, 1 - g), example);
}

// Gu, Lu, Li & Li 2016: one softmax over V t + b and, for each position, tanh(Wc h_j)' s
inline Written copynet(const Model& model, const Example& example, const Rows& memory, const Readout& readout) {
  const Row from_vocabulary = logits(model, readout.features);
  Row all = from_vocabulary;
  for (const Row& h : memory) all.push_back(dot(tanh(model.weights().map("generator.copy", h)), readout.state));
  const Row p = softmax(all);
  const std::size_t symbols = from_vocabulary.size();
  return mixed(from_vocabulary, sum(part(p, 0, symbols)), part(p, symbols, memory.size()), example);
}

// ... and what the next step reads beside the symbol y: sum_j rho_j h_j, rho the shares of the positions that stand for
// y, normalised (selective read); nothing where y was not copied.
inline Row selective_read(const Example& example, const Rows& memory, const Row& copying, int y) {
  Row rho(memory.size());
  for (std::size_t j = 0; j < copying.size(); ++j) {
    for (const Share& link : example.copy_map[j]) rho[j] = link.symbol == y ? copying[j] : rho[j];
  }
  return scaled(weighted_sum(rho, memory), 1 / (sum(rho) + 1e-10));
}

// Merity, Xiong, Bradbury & Socher 2016: q = tanh(W s + b), [a ; g] = softmax [q' h_i ; q' z],
// p = g p_vocabulary + sum_{x_i = w} a_i
inline Written sentinel(const Model& model, const Example& example, const Rows& memory, const Readout& readout) {
  const Row q = tanh(model.weights().affine("generator.pointer", readout.state));
  Row scores;
  for (const Row& h : memory) scores.push_back(dot(q, h));
  scores.push_back(model.weights().map("generator.sentinel", q)[0]);
  const Row p = softmax(scores);
  return mixed(logits(model, readout.features), p.back(), part(p, 0, memory.size()), example);
}

// Vinyals, Fortunato & Jaitly 2015: p = sum_{x_i = w} a_i, a = softmax_i v' tanh(W h_i + U t + b), no log below 1e-30.
// There is no vocabulary that a share could be spread over.
inline Written pointer(const Model& model, const Example& example, const Rows& memory, const Readout& readout) {
  const Weights weights = model.weights();
  const Row asked = weights.affine("generator.query", readout.features), v = weights.row("generator.score");
  Row scores;
  for (const Row& h : memory) scores.push_back(dot(v, tanh(plus(weights.map("generator.key", h), asked))));
  const Row a = softmax(scores);
  return {each(spread(example, a), [](double x) { return std::log(x + 1e-30); }), 0, a};
}

// Arthur, Neubig & Nakamura 2016: p = softmax(V t + b + log(L a + eps))
inline Written lexicon_bias(const Model& model, const Example& example, const Rows&, const Readout& readout) {
  Row scores = logits(model, readout.features);
  const Row by_lexicon = spread(example, readout.attended.looked());
  for (std::size_t j = 0; j < scores.size(); ++j) {
    scores[j] += std::log(by_lexicon[j] + model.options.generator.lexicon_floor);
  }
  return {each(scores, [total = log_sum(scores)](double x) { return x - total; })};
}

// Arthur 2016 (linear interpolation): p = (1 - lambda) p_vocabulary + lambda L a, lambda given or sigmoid(learned);
// what the lexicon does not know of a word goes to the vocabulary.
inline Written lexicon_mix(const Model& model, const Example& example, const Rows&, const Readout& readout) {
  const double given = model.options.generator.lexicon_share;
  const double lambda = given > 0 ? given : sigmoid(model.weights().number("generator.lexicon_share"));
  const Row shares = scaled(readout.attended.looked(), lambda);
  return mixed(logits(model, readout.features), 1 - sum(spread(example, shares)), shares, example);
}

}  // namespace generator

using Generator = std::function<Written(const Model&, const Example&, const Rows& memory, const Readout&)>;

inline const Table<Generator>& generators() {
  static const Table<Generator> all = {{"softmax", generator::generate},
                                       {"pointer", generator::pointer},
                                       {"pointer_generator", generator::pointer_generator},
                                       {"copynet", generator::copynet},
                                       {"sentinel", generator::sentinel},
                                       {"lexicon_bias", generator::lexicon_bias},
                                       {"lexicon_mix", generator::lexicon_mix}};
  return all;
}

}  // namespace fovea::oracle
