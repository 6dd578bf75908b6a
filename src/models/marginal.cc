#include "models/marginal.h"

#include <algorithm>

#include "base/as_size.h"

namespace fovea {

namespace {

// x [positions, rows, symbols] at the symbol of each row, as [queries, batch, positions].
Tensor at_symbols(Pass& pass, Tensor x, Ids symbols, int queries) {
  const int positions = x.shape()[0];
  const auto repeated = pass.arena().array<std::int32_t>(as_size(positions) * symbols.size());
  for (std::size_t i = 0; i < repeated.size(); ++i) repeated[i] = symbols[i % symbols.size()];
  return from_pairs(pick(x, repeated, -1), queries);
}

}  // namespace

Tensor Marginal::emissions(Pass& pass, const Readout& readout, Tensor position_part) const {
  const Tensor features = decoder_.features_by_position(pass, readout, position_part);
  return log_softmax(generator_.logits(pass, features));
}

Marginal::Sum Marginal::teacher_forced(Pass& pass, const Readout& readout, const Decoder::Sources& sources,
                                       const GeneratorSources& generator_sources, const Side& targets) const {
  const Memory& memory = generator_sources.memory;
  const int steps = targets.length;
  const Tensor likelihoods = at_symbols(pass, emissions(pass, readout, generator_sources.keys), targets.ids, steps);
  const auto log_sums = pass.arena().array<Tensor>(as_size(steps));
  const auto weights = pass.arena().array<Tensor>(as_size(steps));
  History history;
  const auto at = [](Tensor x, int t) {
    const Shape& s = x.shape();
    return as_shape(fovea::step(x, t), {1, s[1], s[2]});
  };
  for (int t = 0; t < steps; ++t) {
    const Tensor prior = decoder_.marginal()
                             ->select(pass, at(readout.state, t), {t, 0}, sources[0], at(readout.scores, t), history)
                             .weights;
    const Posterior found = posterior(prior, at(likelihoods, t), memory.mask);
    history.last = found.weights;
    log_sums[t] = as_shape(found.log_sum, {targets.batch, 1});
    weights[t] = as_shape(found.weights, {targets.batch, memory.mask.positions});
  }
  return {stack(log_sums), stack(weights)};
}

Tensor Marginal::step(Pass& pass, const Decoder::Step& now, const Decoder::Sources& sources,
                      const GeneratorSources& generator_sources, const State& state, Ids previous, State& next,
                      std::vector<StepLook>& looks) const {
  const Memory& memory = generator_sources.memory;
  const Readout& readout = now.readout;
  const int queries = readout.state.shape()[0], batch = readout.state.shape()[1], rows = queries * batch;
  const int positions = memory.mask.positions;
  History history;
  if (const Tensor prior = state.get("marginal.prior")) {
    const Tensor likelihoods = at_symbols(pass, state.get("marginal.emissions"), previous, queries);
    history.last = posterior(as_shape(prior, {queries, batch, positions}), likelihoods, memory.mask).weights;
  }
  const Tensor prior =
      decoder_.marginal()->select(pass, readout.state, {state.step, 0}, sources[0], readout.scores, history).weights;
  const Tensor all = emissions(pass, readout, generator_sources.keys);  // [positions, rows, symbols]
  next.set("marginal.prior", as_shape(prior, {rows, positions}));
  next.set("marginal.emissions", all, 1);
  const Tensor mixed =
      weighted_sum(as_shape(prior, {1, rows, positions}), exp(all), pair_mask(pass, memory.mask, queries));
  const Tensor seen = weighted_sum(prior, memory.values, memory.mask);
  looks.push_back({as_shape(readout.scores, {rows, positions}), as_shape(prior, {rows, positions}),
                   as_shape(seen, {rows, seen.shape()[2]}), 0, 0, 1, 0, readout.query, seen});
  return as_shape(log(mixed, Real(1e-30)), {rows, all.shape()[2]});
}

}  // namespace fovea
