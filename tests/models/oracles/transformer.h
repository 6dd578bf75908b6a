// Layers of a Transformer, Vaswani et al. 2017: x + part(norm(x)) (Xiong et al. 2020) or norm(x + part(x)), the parts
// being attention to itself, attention to a memory if there is one, and W2 relu(W1 x).
#pragma once

#include "models/oracles/model.h"

namespace fovea::oracle {

// Ba, Kiros & Hinton 2016: gain (x - mean) / sqrt(variance + 1e-5) + bias
inline Row layer_norm(const Weights& weights, Row x) {
  const double n = static_cast<double>(x.size()), middle = sum(x) / n;
  x = each(x, [=](double value) { return value - middle; });
  x = scaled(x, 1 / std::sqrt(dot(x, x) / n + 1e-5));
  return plus(product(x, weights.row("gain")), weights.row("bias"));
}

// How a decoder looks at what was read, by the attention of that name.
using Looking = std::function<Attended(const std::string& name, const AttentionOptions& options, const Asking& asking)>;

struct TransformerStack {
  const Model& model;
  std::string name;  // "encoder" or "decoder"
  int size;
  int layers;
  std::string positions;
  std::string norm;

  // sqrt(d) E x_i, brought to the size of the layers if it has another, + P_i
  Rows embedded(const std::vector<int>& symbols) const {
    const Weights weights = model.weights().of(name);
    Rows all;
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      Row x = weights.row("embedding.table", symbols[i]);
      x = scaled(x, std::sqrt(static_cast<double>(x.size())));
      if (weights.has("widen.weight")) x = weights.map("widen", x);
      all.push_back(plus(x, position_vector(weights, "positions", positions, size, static_cast<int>(i))));
    }
    return all;
  }

  struct Made {
    Rows x;
    std::vector<Attended> attended;  // of each step, to the memory
  };
  // With something to look at, each step sees itself and those before it only.
  Made layer(int index, const Rows& x, const Looking& look) const {
    const std::string layer_name = name + ".layer" + std::to_string(index);
    const Weights weights = model.weights().of(layer_name);
    const AttentionOptions itself = inside(model.options.self_attention), looking = inside(model.options.attention);
    const Attention self_attention = model.attention(layer_name + ".self_attention", itself);
    const bool first = norm == "pre";
    const auto before = [&](const char* part, const Row& row) {
      return first ? layer_norm(weights.of(part), row) : row;
    };
    const auto after = [&](const char* part, const Row& row, const Row& added) {
      return first ? plus(row, added) : layer_norm(weights.of(part), plus(row, added));
    };
    Rows asking;
    for (const Row& row : x) asking.push_back(before("self_attention_norm", row));
    Made made;
    for (std::size_t t = 0; t < x.size(); ++t) {
      const Rows seen = look ? Rows(asking.begin(), asking.begin() + static_cast<std::ptrdiff_t>(t) + 1) : asking;
      Row row = after("self_attention_norm", x[t], self_attention.attend(seen, asked(asking[t], t)).context);
      if (look) {
        made.attended.push_back(look(layer_name + ".attention", looking, asked(before("attention_norm", row), t)));
        row = after("attention_norm", row, made.attended.back().context);
      }
      const Row wide = each(weights.affine("wide", before("forward_norm", row)), relu);
      made.x.push_back(after("forward_norm", row, weights.affine("narrow", wide)));
    }
    return made;
  }

  Rows normed_last(Rows x) const {
    for (Row& row : x) row = norm == "pre" ? layer_norm(model.weights().of(name).of("norm"), row) : row;
    return x;
  }

 private:
  AttentionOptions inside(AttentionOptions options) const {
    options.size = size;
    options.projections = true;
    return options;
  }
  Asking asked(const Row& query, std::size_t t) const {
    Asking asking = {.query = query, .step = static_cast<int>(t)};
    asking.random = model.random;
    asking.sample = model.sample;
    return asking;
  }
};

}  // namespace fovea::oracle
