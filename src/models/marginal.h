// Models in which each symbol comes from one position that is not known: the probability is summed over all it may be,
// p(y_t) = sum_i prior_ti p(y_t | s_t, h_i), the prior given by the attention's selection. What the symbol was says
// where it probably came from; the monotonic selections go on from there. That is the forward recursion of a hidden
// Markov model, kept normalised at every step and, inside a step, in log space.
// Wu, Shapiro & Cotterell 2018; Wu & Cotterell 2019; Yu, Buys & Blunsom 2016.
#pragma once

#include "models/decoder.h"

namespace fovea {

class Marginal {
 public:
  // Both must outlive it.
  Marginal(const Decoder& decoder, const Generator& generator) : decoder_(decoder), generator_(generator) {}

  struct Sum {
    Tensor log_probabilities;  // [steps, batch, 1] of each target symbol
    Tensor weights;            // [steps, batch, positions] where each symbol came from, given what it was
  };
  Sum teacher_forced(Pass& pass, const Readout& readout, const Decoder::Sources& sources,
                     const GeneratorSources& generator_sources, const Side& targets) const;

  // One step of a search: log-probabilities of all symbols; what is carried on goes into `next`.
  Tensor step(Pass& pass, const Decoder::Step& now, const Decoder::Sources& sources,
              const GeneratorSources& generator_sources, const State& state, Ids previous, State& next,
              std::vector<StepLook>& looks) const;

 private:
  // [positions, steps * batch, symbols]
  Tensor emissions(Pass& pass, const Readout& readout, Tensor position_part) const;

  const Decoder& decoder_;
  const Generator& generator_;
};

}  // namespace fovea
