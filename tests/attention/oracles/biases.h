// What the history adds to the score of each position: one oracle for each bias.
#pragma once

#include "base/as_size.h"
#include "attention/oracles/cells.h"
#include "attention/oracles/look.h"

namespace fovea::oracle {

namespace bias {

// w' x_{i-k..i+k} of every position
inline Row around(const Look& look, const Row& x) {
  Rows column;
  for (const double value : x) column.push_back({value});
  Row added;
  for (std::size_t i = 0; i < x.size(); ++i) {
    added.push_back(look.weights.map("weight", window(column, i, look.options.reach, look.options.reach))[0]);
  }
  return added;
}

// Cohn et al. 2016: w' a_{t-1, i-k..i+k}
inline Row markov(const Look& look) {
  return look.before.empty() ? Row(look.positions()) : around(look, look.before.back());
}

// Cohn 2016 (local fertility): w' sum_{t' < t} a_{t', i-k..i+k}
inline Row fertility(const Look& look) { return around(look, look.total()); }

// Tu, Lu, Liu, Liu & Li 2016: v' tanh(w cov_i + b), cov_i = sum_{t' < t} a_{t'i} / (N sigmoid(u' h_i + b))
inline Row coverage(const Look& look) {
  Row added(look.positions());
  const Row total = look.total();
  for (std::size_t i = 0; i < added.size(); ++i) {
    const double good_for = look.options.fertility * sigmoid(look.weights.affine("fertility", look.values[i])[0]);
    added[i] = look.weights.map("v", tanh(look.weights.affine("hidden", {total[i] / good_for})))[0];
  }
  return added;
}

// Mi, Sankaran, Wang & Ittycheriah 2016: cov_i starts as tanh(W h_i + b) and becomes GRU(cov_i, [a_{t-1,i} ; y_{t-1}])
inline Rows coverage_embeddings(const Look& look) {
  Rows covers;
  for (std::size_t i = 0; i < look.positions(); ++i) {
    Row& cover = covers.emplace_back(tanh(look.weights.affine("first", look.values[i])));
    for (std::size_t t = 0; t < look.before.size(); ++t) {
      Row seen = {look.before[t][i]};
      if (!look.written.empty()) seen = joined(seen, look.written[t + 1]);
      cover = gru(look.weights.of("cell"), seen, {}, cover);
    }
  }
  return covers;
}
// ... and adds v' tanh(W cov_i + b)
inline Row coverage_embedding(const Look& look) {
  Row added;
  for (const Row& cover : coverage_embeddings(look)) {
    added.push_back(look.weights.map("v", tanh(look.weights.affine("hidden", cover)))[0]);
  }
  return added;
}

// Cohn 2016: v' tanh(W [log(1 + t), log(1 + i), log(1 + n)] + b)
inline Row position(const Look& look) {
  const double t = look.step, n = static_cast<double>(look.positions());
  Row added;
  for (double i = 0; i < n; ++i) {
    const Row places = {std::log(1 + t), std::log(1 + i), std::log(1 + n)};
    added.push_back(look.weights.map("v", tanh(look.weights.affine("hidden", places)))[0]);
  }
  return added;
}

// Shaw, Uszkoreit & Vaswani 2018: q' r_{i-t} / sqrt(d), and b_{i-t} of Raffel et al. 2020; i - t held inside -D .. D
inline Row relative(const Look& look) {
  const Row q = scaled(look.query, 1 / std::sqrt(static_cast<double>(look.query.size())));
  const Row relative_bias = look.weights.affine("distance", q);
  Row added;
  for (int i = 0; i < static_cast<int>(look.positions()); ++i) {
    const int distance = std::clamp(i - look.step, -look.options.window, look.options.window);
    added.push_back(relative_bias[as_size(distance + look.options.window)]);
  }
  return added;
}

}  // namespace bias

inline const Table<Bias>& biases() {
  static const Table<Bias> all = {
      {"markov", bias::markov},       {"coverage", bias::coverage}, {"coverage_embedding", bias::coverage_embedding},
      {"fertility", bias::fertility}, {"position", bias::position}, {"relative", bias::relative}};
  return all;
}

}  // namespace fovea::oracle
