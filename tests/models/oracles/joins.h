// Several sources, each read by an encoder of its own, and how a decoder looks at them: one oracle for each join.
#pragma once

#include "base/as_size.h"
#include "models/oracles/encoders.h"

namespace fovea::oracle {

// Of the contexts that an attention to each source gives.
struct Together {
  Row context;
  Row shares;  // of each source
};

namespace join {

// Zoph & Knight 2016: c = W [c_1 ; ... ; c_K] + b
inline Together concatenate(const Weights& weights, const std::string& name, const Row&, const Rows& contexts) {
  Row all;
  for (const Row& context : contexts) all = joined(all, context);
  return {weights.affine(name, all), Row(contexts.size(), 1.0 / static_cast<double>(contexts.size()))};
}

// Libovický & Helcl 2017: e_k = v' tanh(W s + b + U_k c_k), b = softmax(e), c = sum_k b_k (V_k c_k + b_k)
inline Together hierarchical(const Weights& all, const std::string& name, const Row& query, const Rows& contexts) {
  const Weights weights = all.of(name);
  Row e;
  Rows values;
  for (std::size_t k = 0; k < contexts.size(); ++k) {
    const std::string source = "source" + std::to_string(k + 1);
    const Row hidden = tanh(plus(weights.affine("query", query), weights.map(source + ".key", contexts[k])));
    e.push_back(weights.map("score", hidden)[0]);
    values.push_back(weights.affine(source + ".value", contexts[k]));
  }
  return {weighted_sum(softmax(e), values), softmax(e)};
}

}  // namespace join

using Join = std::function<Together(const Weights&, const std::string& name, const Row& query, const Rows& contexts)>;

inline const Table<Join>& joins() {
  static const Table<Join> all = {{"flat", nullptr},  // has one attention, to W_k h_kj + b_k
                                  {"concatenate", join::concatenate},
                                  {"hierarchical", join::hierarchical}};
  return all;
}

// Of several sources the positions stand one source after the other, and the last states side by side.
inline Encoded encode(const Model& model, const Example& example) {
  const Encoder& encoder = encoders().at(model.options.encoder.kind);
  Encoded all = encoder(model, example.source);
  if (example.others.empty()) return all;
  std::vector<Encoded> each = {all};
  for (const std::vector<int>& source : example.others) {
    Model one = model;
    one.prefix += "source" + std::to_string(each.size() + 1) + ".";
    each.push_back(encoder(one, source));
  }
  const bool apart = joins().at(model.options.join) != nullptr;
  all.memory.clear();
  for (std::size_t k = 0; k < each.size(); ++k) {
    const std::string common = "join.source" + std::to_string(k + 1);
    for (const Row& h : each[k].memory) {
      all.memory.push_back(model.weights().has(common + ".weight") ? model.weights().affine(common, h) : h);
    }
    if (apart) all.parts.push_back(each[k].memory);
    for (std::size_t layer = 0; layer < all.last.size() && k > 0; ++layer) {
      all.last[layer].h = joined(all.last[layer].h, each[k].last[layer].h);
      all.last[layer].c = joined(all.last[layer].c, each[k].last[layer].c);
    }
  }
  return all;
}

// By an attention to all positions, or one to each source, whose weights are shared out.
inline Attended attend(const Model& model, const Encoded& encoded, const std::string& name,
                       const AttentionOptions& options, const Asking& asking) {
  if (encoded.parts.empty()) return model.attention(name, options).attend(encoded.memory, asking);
  std::vector<Attended> each;
  Rows contexts;
  for (std::size_t k = 0; k < encoded.parts.size(); ++k) {
    const std::string own = k == 0 ? name : name + std::to_string(k + 1);
    each.push_back(model.attention(own, options).attend(encoded.parts[k], asking));
    contexts.push_back(each.back().context);
  }
  const Together together = joins().at(model.options.join)(model.weights(), name + ".join", asking.query, contexts);
  Attended out = {Rows(as_size(options.heads)), Rows(as_size(options.heads)), together.context};
  for (std::size_t head = 0; head < out.weights.size(); ++head) {
    for (std::size_t k = 0; k < each.size(); ++k) {
      out.scores[head] = joined(out.scores[head], each[k].scores[head]);
      out.weights[head] = joined(out.weights[head], scaled(each[k].weights[head], together.shares[k]));
    }
  }
  return out;
}

}  // namespace fovea::oracle
