#include "attention/attention.h"

namespace fovea {

namespace {

template <class Axis>
std::unique_ptr<Axis> make(std::span<const Mechanism<Axis>* const> list, const std::string& wanted,
                           Parameters& parameters, const std::string& name, AttentionSizes sizes) {
  for (const Mechanism<Axis>* entry : list) {
    if (entry->name == wanted) return entry->make(parameters, name + "." + wanted, sizes);
  }
  throw usage_error("no attention mechanism \"{}\"; see fovea list", wanted);
}

}  // namespace

void AttentionOptions::fields(FieldVisitor& visit) {
  visit("score", score, "how well a key matches the query", one_of(mechanism_names(scores())));
  visit("bias", bias, "what the history adds to the scores", one_of(mechanism_names(biases())));
  visit("select", select, "how scores become weights", one_of(mechanism_names(selects())));
  visit("read", read, "what the weights take from the values", one_of(mechanism_names(reads())));
  visit("size", size, "hidden units of the scoring network", between(1, 16384));
}

Attention::Attention(Parameters& parameters, const std::string& name, const AttentionOptions& options, int query_size,
                     int memory_size)
    : context_size_(memory_size) {
  const AttentionSizes sizes = {query_size, memory_size, options.size};
  score_ = make(scores(), options.score, parameters, name, sizes);
  for (const std::string& bias : options.bias) biases_.push_back(make(biases(), bias, parameters, name, sizes));
  select_ = make(selects(), options.select, parameters, name, sizes);
  read_ = make(reads(), options.read, parameters, name, sizes);
}

Attention::Prepared Attention::prepare(Pass& pass, const Memory& memory) const {
  return {memory, score_->keys(pass, memory)};
}

Attention::Attended Attention::attend(Pass& pass, Tensor queries, const Prepared& prepared,
                                      const History& history) const {
  const Memory& memory = prepared.memory;
  Tensor scores = score_->scores(pass, queries, prepared.keys, memory.mask);
  for (const auto& bias : biases_) scores = add(scores, bias->bias(pass, queries, memory, history));
  const Tensor weights = select_->weights(pass, scores, memory.mask);
  const Tensor context = read_->context(pass, queries, weights, memory);
  History next;
  if (has_history()) next = {weights, history.total ? add(history.total, weights) : weights};
  return {scores, weights, context, next};
}

}  // namespace fovea
