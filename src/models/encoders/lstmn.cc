// lstmn: an LSTM that attends to its own past instead of carrying it in one state:
// h~, c~ = sum_{i < t} a_i (h_i, c_i) with a from the score of ([x_t ; h~_{t-1}], h_i), then the usual gates.
// Cheng, Dong & Lapata 2016, "Long short-term memory-networks for machine reading".
#include <algorithm>

#include "base/as_size.h"
#include "attention/attention.h"
#include "models/encoder.h"

namespace fovea {

namespace {

Tensor zeros(Pass& pass, Shape shape) {
  Tensor x = pass.tape().make(shape);
  for (Real& value : x.values()) value = 0;
  return x;
}

class LstmnEncoder : public Encoder {
 public:
  LstmnEncoder(Parameters& parameters, const ModelOptions& options, const Input& input)
      : size_(options.encoder.size),
        cell_(parameters, "encoder.cell", "lstm", input.size(), size_),
        attention_(parameters, "encoder.intra_attention", options.intra_attention,
                   {input.size() + size_, 2 * size_, 0, size_}),
        back_(attention_.context_size() == 2 * size_
                  ? std::optional<Linear>()
                  : Linear(parameters, "encoder.back", attention_.context_size(), 2 * size_)) {
    const Traits select = selects().find(options.intra_attention.select).traits;
    if (select.marginal || scores().find(options.intra_attention.score).traits.mixes_keys) {
      throw usage_error(
          "encoder.kind = lstmn with intra_attention.score = {} and select = {}: it reads its past one by one, as "
          "values; "
          "choose others",
          options.intra_attention.score, options.intra_attention.select);
    }
    if (select.draws) {
      throw usage_error(
          "encoder.kind = lstmn with intra_attention.select = {}: what such draws were worth is not learned; "
          "choose gumbel",
          options.intra_attention.select);
    }
    if (attention_.looks_back()) {
      throw usage_error(
          "encoder.kind = lstmn: intra_attention looks at its own past weights, whose number grows; choose "
          "a bias and selection that do not");
    }
  }

  Encoded encode(Pass& pass, const InputVectors& vectors, Mask mask) const override {
    const int steps = mask.positions, batch = mask.batch;
    const Tensor x = vectors.dropped(pass);
    const Tensor projected = cell_.project(pass, x);
    const std::span<Tensor> states = pass.arena().array<Tensor>(as_size(steps));
    Attention::Prepared past;
    SelfMap looked = {
        0, 0, attention_.heads(), {zeros(pass, {1, batch * attention_.heads(), 1})}};  // the first has no past
    CellState before = {zeros(pass, {batch, size_}), zeros(pass, {batch, size_})};
    for (int t = 0; t < steps; ++t) {
      if (t > 0) before = kept(pass, mask, t, look_back(pass, concat({step(x, t), before.h}), past, t, looked), before);
      const CellState now = cell_.step(pass, step(projected, t), {}, before);
      states[t] = now.h;
      remember(pass, past, concat({now.h, now.c}), mask, t);
    }
    Encoded encoded;
    encoded.memory = {pass.drop(stack(states), "encoder.layer"), mask};
    encoded.last = mean_state(encoded.memory);
    if (!pass.training()) encoded.self_maps.push_back(std::move(looked));
    return encoded;
  }
  int memory_size() const override { return size_; }

 private:
  CellState look_back(Pass& pass, Tensor query, const Attention::Prepared& past, int t, SelfMap& looked) const {
    const int batch = query.shape()[0];
    const Tensor queries = as_shape(query, {1, batch, query.shape()[1]});
    const Attention::Attended attended = attention_.attend(pass, queries, {t, 0}, past, {});
    if (!pass.training()) looked.weights.push_back(attended.selected.weights);
    Tensor seen = attended.context;
    if (back_) seen = (*back_)(pass, seen);
    const Tensor both = as_shape(seen, {batch, 2 * size_});
    return {columns(both, 0, size_), columns(both, size_, size_)};
  }

  // `now` for rows whose step is real; the others are as if it had not been.
  static CellState kept(Pass& pass, Mask mask, int t, CellState now, CellState before) {
    const std::uint8_t* real = mask.data + std::ptrdiff_t(t) * mask.batch;
    if (std::all_of(real, real + mask.batch, [](std::uint8_t r) { return r != 0; })) return now;
    Tensor here = pass.tape().make({mask.batch, 1}), not_here = pass.tape().make({mask.batch, 1});
    for (int b = 0; b < mask.batch; ++b) {
      here.data()[b] = Real(real[b] != 0);
      not_here.data()[b] = Real(real[b] == 0);
    }
    const auto either = [&](Tensor a, Tensor b) { return add(scale_rows(a, here), scale_rows(b, not_here)); };
    return {either(now.h, before.h), either(now.c, before.c)};
  }

  void remember(Pass& pass, Attention::Prepared& past, Tensor state, Mask mask, int t) const {
    const int batch = state.shape()[0];
    const Memory one = {as_shape(state, {1, batch, 2 * size_}), {mask.data + std::ptrdiff_t(t) * batch, 1, batch}};
    const Attention::Prepared now = attention_.prepare(pass, one, {t, 1});
    past.keys = past.keys ? join_steps(past.keys, now.keys) : now.keys;
    past.memory.values = past.memory.values ? join_steps(past.memory.values, now.memory.values) : now.memory.values;
    past.memory.mask = repeat(pass, {mask.data, t + 1, batch}, attention_.heads());
  }

  int size_;
  Cell cell_;
  Attention attention_;
  std::optional<Linear> back_;
};

}  // namespace

extern const EncoderKind Encoder_lstmn = {
    .name = "lstmn",
    .formula = "h~, c~ = sum_{i < t} a_i (h_i, c_i) in the place of h_{t-1}, c_{t-1}",
    .paper = "Cheng 2016",
    .make = made_encoder<LstmnEncoder>,
    .inner = intra_attention};

}  // namespace fovea
