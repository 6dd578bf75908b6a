// structured: a recurrent encoder whose columns are summed up into a fixed number of rows, each with an attention of
// its own: A = softmax(W2 tanh(W1 H)), M = A H. Lin et al. 2017, "A structured self-attentive sentence embedding". What
// holds the rows apart is objective.diversity.
#include "base/as_size.h"
#include "layers/linear.h"
#include "models/encoders/rnn.h"

namespace fovea {

namespace {

class StructuredEncoder : public Encoder {
 public:
  StructuredEncoder(Parameters& parameters, const ModelOptions& options, const Input& input)
      : rows_(options.encoder.rows),
        inner_(parameters, options, input),
        hidden_(parameters, "encoder.summary.hidden", inner_.memory_size(), options.encoder.size, false),
        places_(parameters, "encoder.summary.rows", options.encoder.size, rows_, false) {}

  Encoded encode(Pass& pass, const InputVectors& x, Mask mask) const override {
    Encoded encoded = inner_.encode(pass, x, mask);
    const Tensor columns = encoded.memory.values;
    const int positions = mask.positions, batch = mask.batch;
    const Tensor scores = places_(pass, tanh(hidden_(pass, columns)));  // [positions, batch, rows]
    const Tensor by_row =
        swap_axes(as_shape(from_pairs(as_shape(scores, {positions, batch * rows_, 1}), 1), {batch, rows_, positions}));
    encoded.summary = masked_softmax(by_row, mask);
    encoded.memory.values = weighted_sum(encoded.summary, columns, mask);  // [rows, batch, size]
    const auto real = pass.arena().array<std::uint8_t>(as_size(rows_) * batch);
    for (int i = 0; i < rows_ * batch; ++i) real[i] = any_real(mask, i % batch);
    encoded.memory.mask = {real.data(), rows_, batch};
    if (!pass.training()) encoded.self_maps.push_back({0, 0, 1, {encoded.summary}});
    return encoded;
  }
  int memory_size() const override { return inner_.memory_size(); }
  bool has_c() const override { return inner_.has_c(); }

 private:
  static bool any_real(Mask mask, int row) {
    for (int i = 0; i < mask.positions; ++i) {
      if (mask.data[i * mask.batch + row]) return true;
    }
    return false;
  }

  int rows_;
  RnnEncoder inner_;
  Linear hidden_;
  Linear places_;
};

}  // namespace

extern const EncoderKind Encoder_structured = {.name = "structured",
                                               .formula = "M = softmax(W2 tanh(W1 H)) H",
                                               .paper = "Lin 2017",
                                               .make = made_encoder<StructuredEncoder>,
                                               .keeps_positions = [](const EncoderOptions&) { return false; },
                                               .summarizes = true};

}  // namespace fovea
