#include "attention/options.h"

#include "attention/mechanism.h"

namespace fovea {

void AttentionOptions::fields(FieldVisitor& visit) {
  visit("score", score, "how well a key matches the query", one_of(scores().names()));
  visit("bias", bias, "what position and history add to the scores", one_of(biases().names()));
  visit("select", select, "how scores become weights", one_of(selects().names()));
  visit("read", read, "what the weights take from the values", one_of(reads().names()));
  visit("heads", heads, "attentions side by side, each on a projection of its own", between(1, 256));
  visit("size", size, "hidden units of the scoring network, and of all heads together", between(1, 16384));
  visit("projections", projections, "queries, keys and values are projected first; always so with several heads");
  visit("rotary", rotary, "queries and keys are turned by their positions (Su 2021)");
  visit("positions", positions, "the most positions that the scores location and flat know", between(1, 65536));
  visit("depth", depth, "hidden layers of the score deep", between(1, 16));
  visit("window", window, "positions to each side that local_m, local_p and the bias relative tell apart",
        between(1, 4096));
  visit("reach", reach, "neighbours to each side that markov, fertility, location_aware and convolutional look at",
        between(0, 64));
  visit("fertility", fertility, "the most target symbols a position is good for, in the bias coverage",
        between(1, 256));
  visit("temperature", temperature, "of the selections temperature and gumbel; 0: learned, or 1 for gumbel",
        between(0, 1000));
  visit("noise", noise, "deviation of what training adds to the scores of monotonic", between(0, 100));
  visit("offset", offset, "what monotonic adds to the scores at the start, for long sources below zero (Raffel 2017)",
        between(-100, 100));
  visit("normalized", normalized, "the score additive divides v by its norm, as in Raffel 2017");
  visit("soft_share", soft_share,
        "of the selection hard: share of training examples that see the mean instead of a draw", between(0, 1));
  visit("activation", activation, "of the score activated_general", one_of({"tanh", "sigmoid", "relu"}));
}

}  // namespace fovea
