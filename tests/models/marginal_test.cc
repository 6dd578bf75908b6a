// Selections that sum over where each symbol comes from: the sum is that over all alignments, written out; and what has
// been read is enough where decoding is online.
#include "models/marginal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "base/as_size.h"
#include "models/oracles/decoders.h"
#include "models/tiny_model.h"

namespace fovea::marginal_test {
namespace {

ModelOptions options_of(const std::string& select) {
  ModelOptions options = tiny_options();
  options.attention.select = select;
  options.decoder.style = "luong";
  options.decoder.feeding = false;
  return options;
}

using Scores = std::vector<double>;
double sigmoid_of(double x) { return 1 / (1 + std::exp(-x)); }

std::vector<oracle::decoder::Positions> by_position(const TinyModel& model, const ModelOptions& options,
                                                    const TinyExample& example) {
  const oracle::Model told = {model.parameters, options};
  const oracle::Example plain = oracle::example_of(tiny_batch({example}, Linked::none), 0);
  return oracle::decoder::by_position(told, oracle::encoder::rnn(told, plain.source), plain);
}

// The probability of each position after position `before`, from the scores of a step.
using Transition = std::function<std::vector<double>(const Scores& e, int before)>;

std::vector<double> monotonic_hmm(const Scores& e, int before) {
  std::vector<double> p(e.size());
  double sum = 0;
  for (int k = before; k < std::ssize(e); ++k) sum += p[k] = std::exp(e[k]);
  for (double& value : p) value /= sum;
  return p;
}
std::vector<double> exact_hard(const Scores& e, int) { return monotonic_hmm(e, 0); }
std::vector<double> segments(const Scores& e, int before) {
  std::vector<double> p(e.size());
  double shifts = 1;
  for (int k = before; k + 1 < std::ssize(e); ++k) {
    p[k] = shifts * sigmoid_of(e[k]);
    shifts *= 1 - sigmoid_of(e[k]);
  }
  p.back() = shifts;  // there is nothing to shift to
  return p;
}

struct Marginalised {
  std::string name;
  Transition transition;
};
const std::vector<Marginalised> all_of_them = {
    {"exact_hard", exact_hard}, {"monotonic_hmm", monotonic_hmm}, {"segments", segments}};

double add_logs(double a, double b) {
  if (std::isinf(a) || std::isinf(b)) return std::max(a, b);
  return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b)));
}

// log p(target): every alignment of the symbols from `t` on, one after the other.
double log_sum_of_alignments(const std::vector<oracle::decoder::Positions>& steps, const std::vector<int>& target,
                             const Transition& transition, std::size_t t, int before) {
  if (t == target.size()) return 0;
  double sum = -HUGE_VAL;
  const std::vector<double> p = transition(steps[t].scores, before);
  for (int i = 0; i < std::ssize(p); ++i) {
    if (p[i] == 0) continue;
    sum = add_logs(sum, std::log(p[i]) + steps[t].log_probabilities[i][target[t]] +
                            log_sum_of_alignments(steps, target, transition, t + 1, i));
  }
  return sum;
}

TEST(Marginal, IsTheSumOverAllAlignments) {
  const std::vector<TinyExample> examples = {{{4, 7, 6}, {5, 4}, 1}, {{6, 8}, {4, 6, 5}, 2}, {{5, 5, 8}, {}, 3}};
  for (const auto& [select, transition] : all_of_them) {
    const ModelOptions options = options_of(select);
    TinyModel model(options);
    double wanted = 0;
    for (const TinyExample& example : examples) {
      const auto steps = by_position(model, options, example);
      std::vector<int> target = example.target;
      target.push_back(stop);
      wanted -= log_sum_of_alignments(steps, target, transition, 0, 0);
    }
    EXPECT_NEAR(model.nll(tiny_batch(examples, Linked::none)), wanted, is_double ? 1e-10 : 1e-4) << select;
  }
}

// Too many to write out: the forward recursion in log space.
TEST(Marginal, HoldsForThreeHundredPositions) {
  TinyExample example = {Sequence(299), Sequence(39), 1};
  for (std::size_t i = 0; i < example.source.size(); ++i) example.source[i] = static_cast<std::int32_t>(4 + i * i % 5);
  for (std::size_t i = 0; i < example.target.size(); ++i) example.target[i] = static_cast<std::int32_t>(4 + i % 3);
  for (const auto& [select, transition] : all_of_them) {
    const ModelOptions options = options_of(select);
    TinyModel model(options);
    // Stops are rare, so that the whole length is used.
    for (const Parameters::Entry& entry : model.parameters.entries()) {
      if (entry.name == "attention.additive.v") std::ranges::fill(model.parameters.values(entry), Real(-0.7));
    }
    const auto steps = by_position(model, options, example);
    Sequence target = example.target;
    target.push_back(stop);
    std::vector<double> alpha(300, -HUGE_VAL);
    alpha[0] = 0;
    for (std::size_t t = 0; t < target.size(); ++t) {
      std::vector<double> next(300, -HUGE_VAL);
      for (int j = 0; j < 300; ++j) {
        const std::vector<double> p = transition(steps[t].scores, j);
        for (int i = 0; i < 300; ++i) {
          if (p[i] > 0) next[i] = add_logs(next[i], alpha[j] + std::log(p[i]));
        }
      }
      for (int i = 0; i < 300; ++i) next[i] += steps[t].log_probabilities[i][target[t]];
      alpha = next;
    }
    const double wanted = -std::accumulate(alpha.begin(), alpha.end(), -HUGE_VAL, add_logs);
    const Batch batch = tiny_batch({example}, Linked::none);
    EXPECT_NEAR(model.nll(batch) / wanted, 1, is_double ? 1e-10 : 1e-4) << select;
    std::vector<Real> gradient(as_size(model.parameters.count()));
    model.terms(batch, gradient);
    EXPECT_TRUE(std::ranges::all_of(gradient, [](Real g) { return std::isfinite(g); })) << select;
  }
}

// ---- online

// One hypothesis along `inputs`, and where it looked.
struct Decoded {
  std::vector<std::vector<Real>> log_probabilities;
  std::vector<std::vector<Real>> weights;
};

Decoded decode(const TinyModel& model, const Sequence& source, const Sequence& inputs) {
  Decoded out;
  Arena arena, arenas[2];
  Pass pass(model.parameters, arena);
  const SourceBatch side(tiny_side({source}, {}, 0));
  const auto asked = model.network.begin(pass, side);
  State state;
  for (std::size_t t = 0; t < inputs.size(); ++t) {
    Pass now(model.parameters, arenas[t % 2]);
    if (t == 0) state = asked->start(now);
    const StepResult result = asked->step(now, state, Ids(inputs).subspan(t, 1));
    const auto log_p = result.log_probabilities.values(), weights = result.looks.at(0).weights.values();
    out.log_probabilities.emplace_back(log_p.begin(), log_p.end());
    out.weights.emplace_back(weights.begin(), weights.end());
    state = result.state;
  }
  return out;
}

// The encoder reads forward only and the decoder starts from nothing, so that a column knows nothing of later symbols.
TinyModel forward_model(const std::string& select) {
  ModelOptions options = options_of(select);
  options.encoder.bidirectional = false;
  options.decoder.bridge = "zero";
  return TinyModel(options);
}
// Scores become so large that stopping is certain or impossible; another model for each `draw`.
constexpr int draws = 50;
void decide(TinyModel& model, int draw) {
  std::ranges::copy(random_values(static_cast<int>(model.parameters.count()), fmt::format("decided{}", draw), 3),
                    model.parameters.values().begin());
  for (const Parameters::Entry& entry : model.parameters.entries()) {
    if (entry.name != "attention.additive.v") continue;
    for (Real& value : model.parameters.values(entry)) value *= 1000;
  }
  model.parameters.invalidate_packed();
}

const Sequence long_source = {4, 6, 8, 5, 7, 7, 4, 8, 5, 6, 4, 8, 6, 7}, inputs = {start, 4, 6, 5, 4, 5, 6};

int first_of(const std::vector<Real>& weights) {
  return static_cast<int>(std::ranges::find_if(weights, [](Real w) { return w > 0; }) - weights.begin());
}
int after_last_of(const std::vector<Real>& weights) {
  int after = 0;
  for (int i = 0; i < std::ssize(weights); ++i) after = weights[i] > 0 ? i + 1 : after;
  return after;
}

// Online means: once the source is revealed up to the last position that has any weight, all that comes later changes
// nothing. In `segments` that is where all the mass of the walk has stopped; in `monotonic` the one position it stopped
// at.
TEST(Online, WhatIsNotYetRevealedDoesNotMatter) {
  for (const std::string select : {"segments", "monotonic"}) {
    TinyModel model = forward_model(select);
    int compared = 0, moves = 0;
    for (int draw = 0; draw < draws; ++draw) {
      decide(model, draw);
      const Decoded full = decode(model, long_source, inputs);
      int needed = 0;
      for (std::size_t t = 0; t < inputs.size(); ++t) {
        const double mass = std::accumulate(full.weights[t].begin(), full.weights[t].end(), 0.0);
        if (mass < 0.999) break;  // it has gone to the end and found no stop: that takes the whole source
        moves += t > 0 && after_last_of(full.weights[t]) > needed;
        needed = std::max(needed, after_last_of(full.weights[t]));
        for (int revealed = needed; revealed < std::ssize(long_source); ++revealed, ++compared) {
          const Sequence part(long_source.begin(), long_source.begin() + revealed);
          const Decoded seen = decode(model, part, Sequence(inputs.begin(), inputs.begin() + std::ptrdiff_t(t) + 1));
          expect_close(seen.log_probabilities[t], full.log_probabilities[t],
                       fmt::format("{} {}, step {}, {} revealed", select, draw, t, revealed));
        }
      }
    }
    EXPECT_GT(moves, 5) << select;
    EXPECT_GT(compared, 100) << select;
  }
}

// Also where nothing is decided: the walk of segments comes to a position before it knows what is behind it, but for
// whether there is anything; what is left at the end emits there.
TEST(Online, SegmentsWeighWhatIsRevealedAsIfItWereAll) {
  TinyModel model = forward_model("segments");
  const Decoded full = decode(model, long_source, {start});
  for (std::size_t revealed = 2; revealed < long_source.size(); ++revealed) {
    const auto end = static_cast<std::ptrdiff_t>(revealed);
    const Decoded seen = decode(model, {long_source.begin(), long_source.begin() + end}, {start});
    const auto without_last = [&](const std::vector<Real>& weights) {
      return std::vector<Real>(weights.begin(), weights.begin() + end - 1);
    };
    expect_close(without_last(seen.weights[0]), without_last(full.weights[0]), "weights");
    EXPECT_NEAR(std::accumulate(seen.weights[0].begin(), seen.weights[0].end(), 0.0), 1, 1e-6);
    EXPECT_GT(seen.weights[0].back(), full.weights[0][revealed - 1]);
  }
}

// As in other models the state and the context, here that of each position, lose values in training.
TEST(Marginal, StateAndContextAreDropped) {
  Parameters parameters;
  const ModelOptions options = options_of("exact_hard");
  const auto input =
      make_input(parameters, "encoder.embedding", options.encoder, SourceShape::of_symbols(source_symbols));
  const auto encoder = make_encoder(parameters, options, *input);
  const auto decoder = make_decoder(
      parameters, options, {encoder->memory_size(), encoder->state_size(), encoder->has_c()}, target_symbols, {});
  parameters.allocate();
  std::ranges::copy(random_values(static_cast<int>(parameters.count()), "weights"), parameters.values().begin());
  const std::vector<std::int64_t> samples = {3, 4};
  const auto made = [&](double dropout) {  // by the contexts alone, then by the states
    Arena arena;
    std::vector<Real> gradient(as_size(parameters.count()));
    const TrainingPass training = {gradient, Random(1, Purpose::dropout), samples, dropout};
    Pass pass(parameters, arena, training);
    const auto ones = [&](int size) {
      Tensor x = pass.tape().make({3, 2, size});
      for (Real& value : x.values()) value = 1;
      return x;
    };
    const std::vector<std::uint8_t> real(6, 1);
    const Tensor part = decoder->position_part(pass, {ones(encoder->memory_size()), {real.data(), 3, 2}});
    Readout readout;
    readout.state = ones(options.decoder.size);
    const Tensor features = decoder->features_by_position(pass, readout, scale(part, 0));
    return std::pair(std::vector<Real>(part.values().begin(), part.values().end()),
                     std::vector<Real>(features.values().begin(), features.values().end()));
  };
  EXPECT_NE(made(0.5).first, made(0).first);
  EXPECT_NE(made(0.5).second, made(0).second);
}

// The normaliser of monotonic_hmm is a sum over all that is ahead, so that it cannot be online; but like the others it
// never goes back.
TEST(Online, WeightNeverReturns) {
  for (const std::string select : {"monotonic_hmm", "segments", "monotonic"}) {
    TinyModel model = forward_model(select);
    int moves = 0;
    for (int draw = 0; draw < draws; ++draw) {
      decide(model, draw);
      const Decoded decoded = decode(model, long_source, inputs);
      for (std::size_t t = 1; t < inputs.size(); ++t) {
        const int before = first_of(decoded.weights[t - 1]), now = first_of(decoded.weights[t]);
        EXPECT_GE(now, before) << select << " " << draw << ", step " << t;
        moves += now > before;
      }
    }
    EXPECT_GT(moves, 5) << select;
  }
}

}  // namespace
}  // namespace fovea::marginal_test
