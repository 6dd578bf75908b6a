#include "layers/pass.h"

#include <algorithm>

namespace fovea {

namespace {
Arena& fresh(Arena& arena) {
  arena.reset();
  return arena;
}
}  // namespace

Pass::Pass(const Parameters& parameters, Arena& arena, const TrainingPass* training)
    : parameters_(parameters),
      tape_(fresh(arena)),
      training_(training),
      weights_(arena.array<Tensor>(parameters.entries().size())) {
  std::ranges::fill(weights_, Tensor());
}

Tensor Pass::operator()(ParameterId id) {
  Tensor& weight = weights_[id.index];
  const Parameters::Entry& entry = parameters_.entries()[id.index];
  // A pass reads weights and writes gradients only.
  Real* values = const_cast<Real*>(parameters_.values(entry).data());
  if (!recorded_) return tape_.borrow(entry.shape, values, nullptr, entry.packed.get());
  if (!weight) {
    const bool noted = training_ && training_->gradients.empty();
    Real* gradients = training_ && !noted ? training_->gradients.data() + entry.offset : nullptr;
    weight = noted ? tape_.borrow_noted(entry.shape, values, entry.packed.get())
                   : tape_.borrow(entry.shape, values, gradients, entry.packed.get());
  }
  return weight;
}

void Pass::weight_gradients(std::vector<WeightGradient>& out) const {
  out.clear();
  for (const Tensor& weight : weights_) out.push_back(weight ? weight.weight_gradient() : WeightGradient());
}

Random Pass::random(std::string_view place) const {
  Random random = training_ ? training_->random : drawing_->random;
  for (const char c : place) random = random.at(static_cast<unsigned char>(c));
  return random;
}

Tensor Pass::drop(Tensor x, std::string_view place, int first) {
  if (!training_ || training_->dropout <= 0) return x;
  return dropout(x, {static_cast<Real>(training_->dropout), random(part_.empty() ? place : part_ + std::string(place)),
                     training_->samples, first});
}

}  // namespace fovea
