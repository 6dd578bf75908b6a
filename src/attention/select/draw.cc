#include "attention/select/draw.h"

#include <algorithm>

#include "base/as_size.h"

namespace fovea {

Random row_random(Pass& pass, const Question& question, int query, int row, std::string_view place) {
  const auto step = static_cast<std::uint64_t>(question.when.first + query * question.when.stride);
  const auto samples = pass.training() ? pass.training_pass().samples : pass.drawing()->samples;
  const auto sample = static_cast<std::uint64_t>(samples[row / question.heads]);
  const auto head = static_cast<std::uint64_t>(row % question.heads);
  Random random = pass.random(question.name);
  for (const char c : place) random = random.at(static_cast<unsigned char>(c));
  random = random.at(sample).at(step).at(head);
  return pass.training() ? random : random.at(static_cast<std::uint64_t>(query));  // alternatives at one step
}

std::span<std::int32_t> drawn_positions(Pass& pass, const Question& question, Tensor probabilities,
                                        std::string_view place) {
  const int rows = probabilities.shape().rows(), batch = probabilities.shape()[1], positions = probabilities.shape()[2];
  const auto drawn = pass.arena().array<std::int32_t>(as_size(rows));
  for (int row = 0; row < rows; ++row) {
    const Real* p = probabilities.data() + std::ptrdiff_t(row) * positions;
    double left = row_random(pass, question, row / batch, row % batch, place).uniform(0);
    drawn[row] = -1;
    for (int i = 0; i < positions && left >= 0; ++i) {
      if (p[i] <= 0) continue;
      drawn[row] = i;  // the last one if rounding leaves a rest
      left -= static_cast<double>(p[i]);
    }
  }
  return drawn;
}

Tensor one_hot(Pass& pass, Shape shape, std::span<const std::int32_t> positions) {
  Tensor hot = pass.tape().make(shape);
  std::ranges::fill(hot.values(), Real(0));
  for (std::size_t row = 0; row < positions.size(); ++row) {
    if (positions[row] >= 0) hot.data()[std::ptrdiff_t(row) * shape.last() + positions[row]] = 1;
  }
  return hot;
}

std::span<std::int32_t> most_probable(Pass& pass, Tensor weights) {
  const int rows = weights.shape().rows(), positions = weights.shape().last();
  const auto best = pass.arena().array<std::int32_t>(as_size(rows));
  for (int row = 0; row < rows; ++row) {
    const Real* first = weights.data() + std::ptrdiff_t(row) * positions;
    const Real* found = std::max_element(first, first + positions);
    best[row] = *found > 0 ? static_cast<std::int32_t>(found - first) : -1;
  }
  return best;
}

}  // namespace fovea
