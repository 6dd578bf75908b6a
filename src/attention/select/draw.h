// Drawing and finding positions, for the selections that look at one position only.
#pragma once

#include <span>

#include "attention/mechanism.h"

namespace fovea {

// Random numbers of a row of the batch, of its own for each example, head, step, alternative and place in the network.
// Only in training, or where prediction draws.
Random row_random(Pass& pass, const Question& question, int query, int row, std::string_view place);

// For each row a position drawn from `probabilities`, -1 where none is visible.
std::span<std::int32_t> drawn_positions(Pass& pass, const Question& question, Tensor probabilities,
                                        std::string_view place);

// [queries, batch, positions] with a one at `positions` [queries * batch], nothing where that is -1.
Tensor one_hot(Pass& pass, Shape shape, std::span<const std::int32_t> positions);

// The most probable position of each row, -1 where none is visible.
std::span<std::int32_t> most_probable(Pass& pass, Tensor weights);

}  // namespace fovea
