// How scores become weights: one oracle for each selection. There is at least one position.
#pragma once

#include <numbers>

#include "base/as_size.h"
#include "attention/oracles/look.h"

namespace fovea::oracle {

namespace select {

// exp(e_i) / sum_j exp(e_j)
inline Row soft(const Look&, const Row& e) { return softmax(e); }

// Miller 2023: exp(e_i) / (1 + sum_j exp(e_j))
inline Row softmax_one(const Look&, const Row& e) {
  const Row powers = each(e, [](double x) { return std::exp(x); });
  return scaled(powers, 1 / (1 + sum(powers)));
}

// softmax(e / T), T given or 1 / softplus(learned)
inline Row temperature(const Look& look, const Row& e) {
  const double given = look.options.temperature;
  return softmax(scaled(e, given > 0 ? 1 / given : softplus(look.weights.number("learned"))));
}

// Graves, Wayne & Danihelka 2014: p_i^g / sum_j p_j^g, p = softmax(e), g = 1 + softplus(w' q + b)
inline Row sharpened(const Look& look, const Row& e) {
  const double g = 1 + softplus(look.weights.affine("power", look.query)[0]);
  const Row powers = each(softmax(e), [=](double p) { return std::pow(p, g); });
  return scaled(powers, 1 / sum(powers));
}

// f(e_i - tau) with the tau, between `low` and `high`, for which they sum to one: the larger, the less.
template <class Function>
Row with_threshold(const Row& e, double low, double high, const Function& f) {
  const auto weights = [&](double tau) { return each(e, [=](double x) { return f(x, tau); }); };
  for (int halving = 0; halving < 100; ++halving) {
    const double middle = (low + high) / 2;
    (sum(weights(middle)) > 1 ? low : high) = middle;
  }
  return weights(high);
}

// Martins & Astudillo 2016: max(0, e_i - tau)
inline Row sparsemax(const Look&, const Row& e) {
  const double largest = e[argmax(e)];
  return with_threshold(e, largest - 1, largest, [](double x, double tau) { return relu(x - tau); });
}

// Peters, Niculae & Martins 2019, alpha = 1.5: max(0, e_i / 2 - tau)^2
inline Row entmax(const Look&, const Row& e) {
  const double largest = e[argmax(e)] / 2;
  return with_threshold(e, largest - 1, largest, [](double x, double tau) { return std::pow(relu(x / 2 - tau), 2); });
}

inline Row each_alone(const Look&, const Row& e) { return each(e, oracle::sigmoid); }
inline Row identity(const Look&, const Row& e) { return e; }
inline Row uniform(const Look&, const Row& e) { return Row(e.size(), 1 / static_cast<double>(e.size())); }

// Xu et al. 2015: in training one i, drawn from p = softmax(e), or p itself for a share of the examples; in use the
// most probable i.
inline Row hard(const Look& look, const Row& e) {
  const Row p = softmax(e);
  if (look.training && look.uniform_of_example < look.options.soft_share) return p;
  if (!look.training) return one_hot(p.size(), argmax(p));
  double up_to = 0;  // p_0 + .. + p_i, of which u falls into one
  for (std::size_t i = 0; i < p.size(); ++i) {
    up_to += p[i];
    if (look.uniform(0) < up_to) return one_hot(p.size(), i);
  }
  return one_hot(p.size(), p.size() - 1);
}

// Jang, Gu & Poole 2017: argmax(e + g), g = -log(-log u); in use argmax(e)
inline Row gumbel(const Look& look, Row e) {
  for (std::size_t i = 0; i < e.size() && look.training; ++i) {
    e[i] -= std::log(-std::log(look.uniform(static_cast<int>(i))));
  }
  return one_hot(e.size(), argmax(e));
}

// softmax over the positions at most D from the one nearest to `centre`
inline Row softmax_near(const Look& look, const Row& e, double centre) {
  const double middle = std::clamp(std::round(centre), 0.0, static_cast<double>(e.size() - 1));
  Row near;
  for (std::size_t i = 0; i < e.size(); ++i) {
    near.push_back(std::abs(static_cast<double>(i) - middle) <= look.options.window ? e[i] : -HUGE_VAL);
  }
  return softmax(near);
}

// Luong, Pham & Manning 2015: softmax over t - D .. t + D
inline Row local_m(const Look& look, const Row& e) { return softmax_near(look, e, look.step); }

// Luong 2015: p = n sigmoid(v' tanh(W q + b)), softmax over p - D .. p + D times exp(-(i - p)^2 / (2 (D/2)^2))
inline Row local_p(const Look& look, const Row& e) {
  const Row hidden = tanh(look.weights.affine("hidden", look.query));
  const double p = static_cast<double>(e.size()) * oracle::sigmoid(look.weights.map("place", hidden)[0]);
  const double deviation = look.options.window / 2.0;
  Row a = softmax_near(look, e, p);
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] *= std::exp(-std::pow(static_cast<double>(i) - p, 2) / (2 * deviation * deviation));
  }
  return a;
}

// From where it was, past each position k with 1 - p_k, to a stop at i with p_i, all ways added up:
// sum_{j <= i} from_j prod_{j <= k < i} (1 - p_k) p_i
inline Row walk(const Row& from, const Row& p) {
  Row a(p.size());
  for (std::size_t j = 0; j < p.size(); ++j) {
    double going = from[j];
    for (std::size_t i = j; i < p.size(); ++i) {
      a[i] += going * p[i];
      going *= 1 - p[i];
    }
  }
  return a;
}

// Raffel, Luong, Liu, Weiss & Eck 2017: in training the expected stops, p = sigmoid(g e + r + noise); in use on from
// where it stood to the first p > 0.5, nowhere if there is none.
inline Row monotonic(const Look& look, Row e) {
  const double g = look.weights.number("scale"), r = look.weights.number("offset");
  e = each(e, [=](double x) { return g * x + r; });
  if (look.training) {
    for (std::size_t i = 0; i < e.size(); ++i) {  // Box & Muller 1958
      const double u = look.uniform(2 * static_cast<int>(i)), v = look.uniform(2 * static_cast<int>(i) + 1);
      e[i] += look.options.noise * std::sqrt(-2 * std::log(1 - u)) * std::cos(2 * std::numbers::pi * v);
    }
    return walk(look.from(), each(e, oracle::sigmoid));
  }
  const Row from = look.from();
  if (sum(from) == 0) return Row(e.size());
  for (std::size_t i = argmax(from); i < e.size(); ++i) {
    if (oracle::sigmoid(e[i]) > 0.5) return one_hot(e.size(), i);
  }
  return Row(e.size());
}

// Yu, Buys & Blunsom 2016: shift with 1 - p, emit with p = sigmoid(e), at the last position for certain
inline Row segments(const Look& look, const Row& e) {
  Row p = each(e, oracle::sigmoid);
  p.back() = 1;
  return walk(look.from(), p);
}

// Wu & Cotterell 2019: sum_{j <= i} from_j exp(e_i) / sum_{k >= j} exp(e_k)
inline Row monotonic_hmm(const Look& look, const Row& e) {
  const Row from = look.from();
  Row a(e.size());
  for (std::size_t j = 0; j < e.size(); ++j) {
    const Row jumps = softmax(part(e, j, e.size() - j));
    for (std::size_t i = j; i < e.size(); ++i) a[i] += from[j] * jumps[i - j];
  }
  return a;
}

// Aharoni & Goldberg 2017: as far to the right as step symbols were written, at most the last
inline Row actions(const Look& look, const Row& e) {
  return one_hot(e.size(), std::min(as_size(look.stepped), e.size() - 1));
}

}  // namespace select

inline const Table<Select>& selects() {
  static const Table<Select> all = {{"softmax", select::soft},
                                    {"softmax_one", select::softmax_one},
                                    {"temperature", select::temperature},
                                    {"sharpened", select::sharpened},
                                    {"sparsemax", select::sparsemax},
                                    {"entmax", select::entmax},
                                    {"sigmoid", select::each_alone},
                                    {"identity", select::identity},
                                    {"uniform", select::uniform},
                                    {"hard", select::hard},
                                    {"gumbel", select::gumbel},
                                    {"local_m", select::local_m},
                                    {"local_p", select::local_p},
                                    {"monotonic", select::monotonic},
                                    {"actions", select::actions},
                                    {"exact_hard", select::soft},
                                    {"monotonic_hmm", select::monotonic_hmm},
                                    {"segments", select::segments}};
  return all;
}

}  // namespace fovea::oracle
