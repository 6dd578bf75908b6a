#include "models/transformer.h"

#include <cmath>

namespace fovea {

namespace {

// The attention inside a Transformer has the size of the model, and always projections.
AttentionOptions inside(AttentionOptions options, int size, const std::string& name, bool causal) {
  options.size = size;
  options.projections = true;
  const auto refuse = [&](const std::string& what) {
    throw usage_error(
        "{}: \"{}\" looks back at earlier steps, which a transformer takes all at once; choose another, or a recurrent "
        "decoder",
        name, what);
  };
  if (scores().find(options.score).traits.looks_back) refuse(options.score);
  for (const std::string& bias : options.bias) {
    if (biases().find(bias).traits.looks_back) refuse(bias);
  }
  const Traits select = selects().find(options.select).traits;
  if (select.looks_back) refuse(options.select);
  if (select.draws) {
    throw usage_error(
        "{}.select = {} in a transformer: what a draw in each layer was worth cannot be told apart; choose "
        "gumbel, or decoder.kind = rnn",
        name, options.select);
  }
  if (causal && scores().find(options.score).traits.mixes_keys) {
    throw usage_error(
        "{}.score = {} with decoder.kind = transformer: its keys know what comes after them; choose another", name,
        options.score);
  }
  if (select.marginal) {
    throw usage_error(
        "{}: \"{}\" mixes outputs, not values, and a transformer's layers read values; choose another "
        "selection, or decoder.style = luong with decoder.feeding = false",
        name, options.select);
  }
  return options;
}

// Of the first weights of what each part adds, so that the sum of all parts begins no larger than what it is added to.
// Radford et al. 2019, "Language models are unsupervised multitask learners".
double gain_of_a_part(const TransformerSizes& sizes) {
  return sizes.norm_first ? 1 / std::sqrt(2.0 * sizes.layers) : 1;
}

}  // namespace

TransformerLayer::TransformerLayer(Parameters& parameters, const std::string& name,
                                   const AttentionOptions& self_attention, const AttentionOptions& cross_attention,
                                   const TransformerSizes& sizes, std::string_view join)
    : name_(name),
      norm_first_(sizes.norm_first),
      self_attention_(parameters, name + ".self_attention",
                      inside(self_attention, sizes.size, "self_attention", sizes.causal),
                      {sizes.size, sizes.size, 0, 0, gain_of_a_part(sizes)}),
      self_attention_norm_(parameters, name + ".self_attention_norm", sizes.size),
      wide_(parameters, name + ".wide", sizes.size, sizes.feed_forward),
      narrow_(parameters, name + ".narrow", sizes.feed_forward, sizes.size, true, gain_of_a_part(sizes)),
      forward_norm_(parameters, name + ".forward_norm", sizes.size) {
  if (sizes.encoded.memory > 0) {
    cross_attention_.emplace(parameters, name + ".attention", inside(cross_attention, sizes.size, "attention", false),
                             join, SourceAttention::Sizes{sizes.size, 0, sizes.encoded, gain_of_a_part(sizes)});
    cross_attention_norm_.emplace(parameters, name + ".attention_norm", sizes.size);
  }
}

Tensor TransformerLayer::after(Pass& pass, const LayerNorm& norm, Tensor x, Tensor part, const char* place) const {
  const Tensor sum = add(x, pass.drop(part, name_ + place));
  return norm_first_ ? sum : norm(pass, sum);
}

TransformerLayer::Made TransformerLayer::operator()(Pass& pass, Tensor x, Mask mask, When when,
                                                    SourceAttention::Prepared memory, const WithPast& with_past,
                                                    int layer) const {
  Made made;
  const Tensor asking = before(pass, self_attention_norm_, x);
  Attention::Prepared own = self_attention_.prepare(pass, {asking, mask}, when);
  if (with_past) own = with_past(own);
  const Attention::Attended itself = self_attention_.attend(pass, asking, when, own, {});
  made.self_weights = itself.selected.weights;
  x = after(pass, self_attention_norm_, x, itself.context, "self_attention");
  if (cross_attention_) {
    // One step of many rows: the rows of a source are alternatives that share its memory.
    const int batch = memory[0].memory.mask.batch / cross_attention_->heads(), size = x.shape()[2];
    const Tensor queries =
        as_shape(before(pass, *cross_attention_norm_, x), {x.shape().count() / (batch * size), batch, size});
    const When asked = x.shape()[0] == 1 ? When{when.first, 0} : when;
    History history;
    history.layer = layer;
    made.looked = cross_attention_->attend(pass, queries, asked, memory, history);
    x = after(pass, *cross_attention_norm_, x, as_shape(made.looked.context, x.shape()), "attention");
  }
  const Tensor wide = pass.drop(relu(wide_(pass, before(pass, forward_norm_, x))), name_ + "wide");
  made.x = after(pass, forward_norm_, x, narrow_(pass, wide), "forward");
  return made;
}

}  // namespace fovea
