// How well a key matches the query, e_i: one oracle for each score.
#pragma once

#include "attention/oracles/look.h"

namespace fovea::oracle {

namespace score {

// e_i = f(q, k_i), key by key.
template <class Function>
Score of_keys(const Function& f) {
  return [=](const Look& look) {
    Row e;
    for (const Row& k : look.keys) e.push_back(f(look, look.query, k));
    return e;
  };
}

// Bahdanau, Cho & Bengio 2015: v' tanh(W q + U k + b); v / |v| if normalized (Raffel et al. 2017)
inline double additive(const Look& look, const Row& q, const Row& k) {
  const Row v = look.weights.row("v");
  const double e = dot(v, tanh(plus(look.weights.map("query", q), look.weights.affine("key", k))));
  return look.options.normalized ? e / norm(v) : e;
}

// See, Liu & Manning 2017: v' tanh(W q + U k_i + w cov_i + b), cov_i = sum_{t' < t} a_{t'i}
inline Row additive_coverage(const Look& look) {
  const Row cov = look.total();
  Row e;
  for (std::size_t i = 0; i < look.positions(); ++i) {
    const Row hidden = plus(look.weights.map("query", look.query), look.weights.affine("key", look.keys[i]));
    e.push_back(look.weights.map("v", tanh(plus(hidden, look.weights.times("coverage", {cov[i]}))))[0]);
  }
  return e;
}

// Luong, Pham & Manning 2015: w2' tanh(W1 [q ; k]), W1 = [W1_q W1_k]
inline double concat(const Look& look, const Row& q, const Row& k) {
  return dot(look.weights.row("w2"), tanh(plus(look.weights.map("w1_query", q), look.weights.map("w1_key", k))));
}

// Luong 2015 ("general"): q' W k
inline double bilinear(const Look& look, const Row& q, const Row& k) { return dot(q, look.weights.map("key", k)); }

// Luong 2015: q' k
inline double plain_dot(const Look&, const Row& q, const Row& k) { return dot(q, k); }

// Vaswani et al. 2017: q' k / sqrt(d)
inline double scaled_dot(const Look&, const Row& q, const Row& k) {
  return dot(q, k) / std::sqrt(static_cast<double>(q.size()));
}

// Graves, Wayne & Danihelka 2014: beta cos(q, W k), beta = softplus(w' q + b); W where the sizes differ. b is counted
// from 5.
inline double cosine(const Look& look, const Row& q, Row k) {
  if (look.weights.has("key.weight")) k = look.weights.map("key", k);
  const double beta = softplus(look.weights.affine("strength", q)[0] + 5);
  return beta * dot(q, k) / (norm(q) * norm(k));
}

// Sordoni, Bachman, Trischler & Bengio 2016: k' (W q + b)
inline double biased_general(const Look& look, const Row& q, const Row& k) {
  return dot(k, look.weights.affine("query", q));
}

// Ma, Li, Zhang & Wang 2017: act(q' W k + b)
inline double activated_general(const Look& look, const Row& q, const Row& k) {
  const double x = dot(q, look.weights.map("key", k)) + look.weights.number("bias");
  if (look.options.activation == "relu") return relu(x);
  return look.options.activation == "sigmoid" ? sigmoid(x) : std::tanh(x);
}

// Pavlopoulos, Malakasiotis & Androutsopoulos 2017: w' tanh(W2 tanh(W1 [q ; k] + b1) + b2) + b3, in `depth` layers
inline double deep(const Look& look, const Row& q, const Row& k) {
  Row x = tanh(plus(look.weights.map("query", q), look.weights.affine("key", k)));
  for (int layer = 1; layer < look.options.depth; ++layer) {
    x = tanh(look.weights.affine(layer == 1 ? "middle" : "middle" + std::to_string(layer), x));
  }
  return look.weights.affine("last", x)[0];
}

// Luong 2015: the i-th number of W q + b
inline Row location(const Look& look) { return part(look.weights.affine("place", look.query), 0, look.positions()); }

// Chorowski et al. 2015: v' tanh(W q + U k_i + F a_{t-1, i-k..i+k} + b), zeros beyond both ends
inline Row location_aware(const Look& look) {
  Rows before(look.positions(), Row(1));
  for (std::size_t i = 0; i < before.size() && !look.before.empty(); ++i) before[i][0] = look.before.back()[i];
  Row e;
  for (std::size_t i = 0; i < look.positions(); ++i) {
    const Row around = window(before, i, look.options.reach, look.options.reach);
    const Row hidden = plus(look.weights.map("query", look.query), look.weights.affine("key", look.keys[i]));
    e.push_back(look.weights.map("v", tanh(plus(hidden, look.weights.times("filters", around))))[0]);
  }
  return e;
}

// The typo post's shortcut: w_i' k_i
inline Row flat(const Look& look) {
  Row e;
  for (std::size_t i = 0; i < look.positions(); ++i) {
    e.push_back(dot(look.weights.row("places", static_cast<int>(i)), look.keys[i]));
  }
  return e;
}

// Allamanis, Peng & Sutton 2016: L1 = relu(conv(K)), L2 = conv(L1) * W q, e = strength conv(L2 / |L2|), each with a
// bias, the norm that of the whole matrix.
inline Row convolutional(const Look& look) {
  const int reach = look.options.reach;
  const auto convolved = [&](const char* name, const Rows& rows) {
    Rows out;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      out.push_back(look.weights.affine(name, window(rows, i, reach, reach)));
    }
    return out;
  };
  Rows l1 = convolved("first", look.keys);
  for (Row& row : l1) row = each(row, relu);
  Rows l2 = convolved("second", l1);
  double squares = 0;
  for (Row& row : l2) {
    row = product(row, look.weights.affine("query", look.query));
    squares += dot(row, row);
  }
  for (Row& row : l2) row = scaled(row, 1 / std::sqrt(squares));
  Row e;
  for (const Row& row : convolved("last", l2)) e.push_back(look.weights.number("strength") * row[0]);
  return e;
}

}  // namespace score

inline const Table<Score>& scores() {
  static const Table<Score> all = {{"additive", score::of_keys(score::additive)},
                                   {"additive_coverage", score::additive_coverage},
                                   {"concat", score::of_keys(score::concat)},
                                   {"bilinear", score::of_keys(score::bilinear)},
                                   {"dot", score::of_keys(score::plain_dot)},
                                   {"scaled_dot", score::of_keys(score::scaled_dot)},
                                   {"cosine", score::of_keys(score::cosine)},
                                   {"location", score::location},
                                   {"location_aware", score::location_aware},
                                   {"biased_general", score::of_keys(score::biased_general)},
                                   {"activated_general", score::of_keys(score::activated_general)},
                                   {"deep", score::of_keys(score::deep)},
                                   {"flat", score::flat},
                                   {"convolutional", score::convolutional}};
  return all;
}

}  // namespace fovea::oracle
