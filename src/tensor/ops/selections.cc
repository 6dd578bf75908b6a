#include <algorithm>
#include <cmath>
#include <limits>

#include "base/as_size.h"
#include "tensor/ops.h"

namespace fovea {

namespace {

// Softmax leaves nothing of it, and differences of two such numbers are still finite.
constexpr Real no_score = Real(-1e30);

// What one query of one row of the batch has to choose from.
struct View {
  Mask mask;
  int query = 0;
  int row = 0;

  bool sees(int position) const { return mask.sees(query, row, position); }
  int index() const { return query * mask.batch + row; }
  std::ptrdiff_t start() const { return std::ptrdiff_t(index()) * mask.positions; }
};

template <class Visit>
void each_view(int queries, Mask mask, Visit visit) {
  for (int q = 0; q < queries; ++q) {
    for (int b = 0; b < mask.batch; ++b) visit(View{mask, q, b});
  }
}

void check_scores(const char* operation, const Shape& shape, Mask mask) {
  check(shape.axes() == 3 && shape[1] == mask.batch && shape[2] == mask.positions, "{}: a mask [{}, {}] for {}",
        operation, mask.positions, mask.batch, shape.text());
}

void check_centres(const char* operation, const Shape& shape, Mask mask) {
  check(shape.axes() == 3 && shape[1] == mask.batch && shape[2] == 1, "{}: centres {} for a mask [{}, {}]", operation,
        shape.text(), mask.positions, mask.batch);
}

// forward(view, scores, weights) and backward(view, weights, dweights, dscores) are given one row each.
template <class Forward, class Backward>
Tensor select(const char* operation, Tensor scores, Mask mask, Forward forward, Backward backward) {
  check_scores(operation, scores.shape(), mask);
  const int queries = scores.shape()[0];
  Tensor weights = scores.tape().make(scores.shape(), scores.wants_gradient());
  each_view(queries, mask,
            [&](View view) { forward(view, scores.data() + view.start(), weights.data() + view.start()); });
  if (weights.wants_gradient()) {
    weights.tape().record([=] {
      if (!weights.has_gradient()) return;
      each_view(queries, mask, [&](View view) {
        const std::ptrdiff_t start = view.start();
        backward(view, weights.data() + start, weights.gradient() + start, scores.gradient() + start);
      });
    });
  }
  return weights;
}

// Weights are a power of what z_i = factor (score_i - largest) exceeds the threshold by.
struct Cut {
  Real largest = 0;
  Real threshold = 0;
};

// The threshold of the k largest is grow(z_k, k), called for k = 1, 2, ... while z_k exceeds the threshold of those
// before it: z_k then exceeds the new one too. A heap, since only those above the threshold are needed in order.
template <class Grow>
Cut find_cut(View view, const Real* scores, Real factor, Real* room, Grow grow) {
  Real* end = room;
  for (int i = 0; i < view.mask.positions; ++i) {
    if (view.sees(i)) *end++ = scores[i];
  }
  if (end == room) return {};
  std::make_heap(room, end);
  Cut cut = {room[0], Real(-1)};
  for (int k = 1; end != room; ++k) {
    std::pop_heap(room, end);
    const Real z = factor * (*--end - cut.largest);
    if (z <= cut.threshold) break;
    cut.threshold = grow(z, k);
  }
  return cut;
}

}  // namespace

// sum_i max(0, z_i - threshold) = 1
Tensor sparsemax(Tensor scores, Mask mask) {
  Real* room = scores.tape().arena().array<Real>(as_size(mask.positions)).data();
  const auto forward = [=](View view, const Real* z, Real* weights) {
    Real sum = 0;
    const Cut cut = find_cut(view, z, 1, room, [&](Real next, int count) {
      sum += next;
      return (sum - 1) / Real(count);
    });
    for (int i = 0; i < mask.positions; ++i) {
      weights[i] = view.sees(i) ? std::max(z[i] - cut.largest - cut.threshold, Real(0)) : Real(0);
    }
  };
  const auto backward = [](View view, const Real* weights, const Real* dweights, Real* dscores) {
    Real sum = 0, count = 0;
    for (int i = 0; i < view.mask.positions; ++i) {
      sum += weights[i] > 0 ? dweights[i] : Real(0);
      count += weights[i] > 0 ? Real(1) : Real(0);
    }
    for (int i = 0; i < view.mask.positions; ++i) {
      if (weights[i] > 0) dscores[i] += dweights[i] - sum / count;
    }
  };
  return select("sparsemax", scores, mask, forward, backward);
}

// sum_i max(0, z_i - threshold)^2 = 1 with z half the scores. With the mean of the k largest and the sum of their
// squared distances from it, the threshold is mean - sqrt((1 - spread) / k).
Tensor entmax(Tensor scores, Mask mask) {
  constexpr Real half = Real(0.5);
  Real* room = scores.tape().arena().array<Real>(as_size(mask.positions)).data();
  const auto forward = [=](View view, const Real* z, Real* weights) {
    Real mean = 0, spread = 0;
    const Cut cut = find_cut(view, z, half, room, [&](Real next, int count) {
      const Real off = next - mean;
      mean += off / Real(count);
      spread += off * (next - mean);
      return mean - std::sqrt(std::max((1 - spread) / Real(count), Real(0)));
    });
    for (int i = 0; i < mask.positions; ++i) {
      const Real root = view.sees(i) ? std::max(half * (z[i] - cut.largest) - cut.threshold, Real(0)) : Real(0);
      weights[i] = root * root;
    }
  };
  const auto backward = [](View view, const Real* weights, const Real* dweights, Real* dscores) {
    Real sum = 0, roots = 0;
    for (int i = 0; i < view.mask.positions; ++i) {
      sum += std::sqrt(weights[i]) * dweights[i];
      roots += std::sqrt(weights[i]);
    }
    for (int i = 0; i < view.mask.positions; ++i) {
      if (weights[i] > 0) dscores[i] += std::sqrt(weights[i]) * (dweights[i] - sum / roots);
    }
  };
  return select("entmax", scores, mask, forward, backward);
}

Tensor masked_sigmoid(Tensor scores, Mask mask) {
  const auto forward = [](View view, const Real* z, Real* weights) {
    for (int i = 0; i < view.mask.positions; ++i) weights[i] = view.sees(i) ? 1 / (1 + std::exp(-z[i])) : Real(0);
  };
  const auto backward = [](View view, const Real* weights, const Real* dweights, Real* dscores) {
    for (int i = 0; i < view.mask.positions; ++i) dscores[i] += dweights[i] * weights[i] * (1 - weights[i]);
  };
  return select("masked_sigmoid", scores, mask, forward, backward);
}

Tensor straight_through(Tensor hard, Tensor soft) {
  check(hard.shape() == soft.shape(), "straight_through: {} for {}", hard.shape().text(), soft.shape().text());
  Tensor y = soft.tape().make(soft.shape(), soft.wants_gradient());
  std::ranges::copy(hard.values(), y.data());
  if (y.wants_gradient()) {
    y.tape().record([=] {
      if (!y.has_gradient()) return;
      for (std::size_t i = 0; i < y.values().size(); ++i) soft.gradient()[i] += y.gradient()[i];
    });
  }
  return y;
}

namespace {

// The position seen that is nearest to `wanted`, so that a window around it is never empty; -1 if none is seen.
int nearest_seen(View view, Real wanted) {
  wanted = std::clamp(wanted, Real(0), Real(view.mask.positions - 1));  // far outside, all would be equally near
  int nearest = -1;
  for (int i = 0; i < view.mask.positions; ++i) {
    if (!view.sees(i)) continue;
    if (nearest < 0 || std::abs(Real(i) - wanted) < std::abs(Real(nearest) - wanted)) nearest = i;
  }
  return nearest;
}

}  // namespace

Tensor keep_window(Tensor scores, Tensor centres, int width, Mask mask) {
  check_centres("keep_window", centres.shape(), mask);
  check(centres.shape()[0] == scores.shape()[0], "keep_window: centres {} for scores {}", centres.shape().text(),
        scores.shape().text());
  const auto middles = scores.tape().arena().array<int>(as_size(centres.shape().count()));
  each_view(centres.shape()[0], mask,
            [&](View view) { middles[view.index()] = nearest_seen(view, std::round(centres.data()[view.index()])); });
  const auto kept = [=](View view, int i) { return view.sees(i) && std::abs(i - middles[view.index()]) <= width; };
  const auto forward = [=](View view, const Real* before, Real* after) {
    for (int i = 0; i < mask.positions; ++i) after[i] = kept(view, i) ? before[i] : no_score;
  };
  const auto backward = [=](View view, const Real*, const Real* dafter, Real* dbefore) {
    for (int i = 0; i < mask.positions; ++i) {
      if (kept(view, i)) dbefore[i] += dafter[i];
    }
  };
  return select("keep_window", scores, mask, forward, backward);
}

Tensor gaussian_window(Tensor centres, Real deviation, Mask mask) {
  check_centres("gaussian_window", centres.shape(), mask);
  check(deviation > 0, "gaussian_window: a deviation of {}", deviation);
  const int queries = centres.shape()[0];
  const Real precision = 1 / (deviation * deviation);
  Tensor weights = centres.tape().make({queries, mask.batch, mask.positions}, centres.wants_gradient());
  each_view(queries, mask, [&](View view) {
    for (int i = 0; i < mask.positions; ++i) {
      const Real off = Real(i) - centres.data()[view.index()];
      weights.data()[view.start() + i] = view.sees(i) ? std::exp(Real(-0.5) * precision * off * off) : Real(0);
    }
  });
  if (weights.wants_gradient()) {
    weights.tape().record([=] {
      if (!weights.has_gradient()) return;
      each_view(queries, mask, [&](View view) {
        const Real* w = weights.data() + view.start();
        const Real* dw = weights.gradient() + view.start();
        Real sum = 0;
        for (int i = 0; i < mask.positions; ++i) sum += dw[i] * w[i] * (Real(i) - centres.data()[view.index()]);
        centres.gradient()[view.index()] += precision * sum;
      });
    });
  }
  return weights;
}

namespace {

// With what probability a walk that has come to a position stops there or goes on: [queries, batch, positions] each,
// together one. Both are kept: of a small `go` nothing would be left in 1 - stop.
struct Choices {
  const Real* stop = nullptr;
  const Real* go = nullptr;
};

// pass_back(view, dstop) takes the gradient of one row of `stop`, of which `go` is what is left.
template <class PassBack>
Tensor walk_by(Choices choices, bool choices_want_gradient, Tensor before, Mask mask, PassBack pass_back) {
  Tape& tape = before.tape();
  const Shape shape = before.shape();
  const int positions = mask.positions;
  const auto come = tape.arena().array<Real>(as_size(shape.count()));  // how much comes to a position
  Tensor weights = tape.make(shape, choices_want_gradient || before.wants_gradient());
  each_view(shape[0], mask, [&](View view) {
    Real going = 0;
    for (int i = 0; i < positions; ++i) {
      const std::ptrdiff_t at = view.start() + i;
      weights.data()[at] = 0;
      if (!view.sees(i)) continue;
      come[at] = going + before.data()[at];
      weights.data()[at] = choices.stop[at] * come[at];
      going = choices.go[at] * come[at];
    }
  });
  if (!weights.wants_gradient()) return weights;
  tape.record([=] {
    if (!weights.has_gradient()) return;
    const std::span<Real> dstop = weights.tape().arena().array<Real>(as_size(positions));
    each_view(shape[0], mask, [&](View view) {
      Real dgoing = 0;
      for (int i = positions - 1; i >= 0; --i) {
        if (!view.sees(i)) continue;
        const std::ptrdiff_t at = view.start() + i;
        const Real dweight = weights.gradient()[at];
        dstop[i] = come[at] * (dweight - dgoing);
        dgoing = choices.stop[at] * dweight + choices.go[at] * dgoing;
        if (before.wants_gradient()) before.gradient()[at] += dgoing;
      }
      if (choices_want_gradient) pass_back(view, dstop.data());
    });
  });
  return weights;
}

}  // namespace

Tensor walk(Tensor stops, Tensor before, Mask mask) {
  check_scores("walk", before.shape(), mask);
  check(stops.shape() == before.shape(), "walk: stops {} from {}", stops.shape().text(), before.shape().text());
  const auto go = stops.tape().arena().array<Real>(stops.values().size());
  std::ranges::transform(stops.values(), go.begin(), [](Real stop) { return 1 - stop; });
  return walk_by({stops.data(), go.data()}, stops.wants_gradient(), before, mask, [=](View view, const Real* dstop) {
    for (int i = 0; i < mask.positions; ++i) {
      if (view.sees(i)) stops.gradient()[view.start() + i] += dstop[i];
    }
  });
}

// A walk too: of all that comes to i the share exp(e_i) / sum_{k >= i} exp(e_k) stops there, and what goes on meets the
// same proportions among the positions after i as if it had started there.
Tensor jump(Tensor scores, Tensor before, Mask mask) {
  check_scores("jump", before.shape(), mask);
  check(scores.shape() == before.shape(), "jump: scores {} from {}", scores.shape().text(), before.shape().text());
  Real* stop = scores.tape().arena().array<Real>(scores.values().size()).data();
  Real* go = scores.tape().arena().array<Real>(scores.values().size()).data();
  each_view(scores.shape()[0], mask, [&](View view) {
    Real log_rest = -std::numeric_limits<Real>::infinity();  // of the sum over the positions after i
    for (int i = mask.positions - 1; i >= 0; --i) {
      if (!view.sees(i)) continue;
      const std::ptrdiff_t at = view.start() + i;
      const Real score = scores.data()[at], lead = score - log_rest;
      stop[at] = 1 / (1 + std::exp(-lead));
      go[at] = 1 / (1 + std::exp(lead));
      log_rest = std::max(score, log_rest) + std::log1p(std::exp(-std::abs(lead)));
    }
  });
  return walk_by({stop, go}, scores.wants_gradient(), before, mask, [=](View view, const Real* dstop) {
    Real dlog_sum = 0;  // the sum from i on is part of the lead of all before i
    for (int i = 0; i < mask.positions; ++i) {
      if (!view.sees(i)) continue;
      const std::ptrdiff_t at = view.start() + i;
      const Real dlead = dstop[i] * stop[at] * go[at];
      scores.gradient()[at] += dlead + stop[at] * dlog_sum;
      dlog_sum = go[at] * dlog_sum - dlead;
    }
  });
}

namespace {

// Returns the log-sum of one row.
Real posterior_row(View view, const Real* prior, const Real* log_likelihoods, Real* weights) {
  constexpr Real impossible = Real(-1e4);
  constexpr Real none = -std::numeric_limits<Real>::infinity();
  const auto counts = [&](int i) { return view.sees(i) && prior[i] > 0; };
  Real largest = none;
  for (int i = 0; i < view.mask.positions; ++i) {
    if (counts(i)) largest = std::max(largest, log_likelihoods[i]);
  }
  Real sum = 0;
  for (int i = 0; i < view.mask.positions; ++i) {
    weights[i] = counts(i) && largest > none ? prior[i] * std::exp(log_likelihoods[i] - largest) : Real(0);
    sum += weights[i];
  }
  if (sum == 0) return impossible;
  for (int i = 0; i < view.mask.positions; ++i) weights[i] /= sum;
  return largest + std::log(sum);
}

}  // namespace

Posterior posterior(Tensor prior, Tensor log_likelihoods, Mask mask) {
  check_scores("posterior", prior.shape(), mask);
  check(log_likelihoods.shape() == prior.shape(), "posterior: log-likelihoods {} for a prior {}",
        log_likelihoods.shape().text(), prior.shape().text());
  Tape& tape = prior.tape();
  const int queries = prior.shape()[0];
  const bool wants_gradient = prior.wants_gradient() || log_likelihoods.wants_gradient();
  Tensor log_sum = tape.make({queries, mask.batch, 1}, wants_gradient);
  Tensor weights = tape.make(prior.shape(), wants_gradient);
  each_view(queries, mask, [&](View view) {
    const std::ptrdiff_t start = view.start();
    log_sum.data()[view.index()] =
        posterior_row(view, prior.data() + start, log_likelihoods.data() + start, weights.data() + start);
  });
  if (!wants_gradient) return {log_sum, weights};
  tape.record([=] {
    const Real* dlog_sum = log_sum.has_gradient() ? log_sum.gradient() : nullptr;
    const Real* dweights = weights.has_gradient() ? weights.gradient() : nullptr;
    if (!dlog_sum && !dweights) return;
    each_view(queries, mask, [&](View view) {
      const std::ptrdiff_t start = view.start(), end = start + mask.positions;
      const Real dlog = dlog_sum ? dlog_sum[view.index()] : Real(0);
      Real mean = 0;  // of the gradients, by weight
      for (std::ptrdiff_t at = start; at < end && dweights; ++at) mean += weights.data()[at] * dweights[at];
      for (std::ptrdiff_t at = start; at < end; ++at) {
        const Real weight = weights.data()[at];
        if (weight == 0) continue;
        const Real d = dlog + (dweights ? dweights[at] - mean : Real(0));
        if (log_likelihoods.wants_gradient()) log_likelihoods.gradient()[at] += weight * d;
        // A prior may be so small that nothing less than infinity would fit.
        if (prior.wants_gradient()) prior.gradient()[at] += std::min(weight / prior.data()[at], Real(1e30)) * d;
      }
    });
  });
  return {log_sum, weights};
}

}  // namespace fovea
