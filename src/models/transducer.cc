#include "models/transducer.h"

#include <algorithm>
#include <utility>

namespace fovea {

namespace {

constexpr int pad = 0;  // as in Vocabulary

// Choices that are fine alone and senseless together.
const ModelOptions& checked(const ModelOptions& options) {
  const std::string& bridge = options.decoder.bridge;
  if (options.decoder.style == "plain" && (bridge == "zero" || bridge == "learned")) {
    throw usage_error(
        "decoder.style = plain with decoder.bridge = {}: nothing of the source would reach the decoder; choose the "
        "bridge "
        "last or mean, or a style with attention",
        bridge);
  }
  return options;
}

}  // namespace

Transducer::Transducer(Parameters& parameters, const ModelOptions& options, int source_symbols, int target_symbols)
    : encoder_(parameters, checked(options).encoder, source_symbols),
      decoder_(parameters, options, encoder_.memory_size(), target_symbols),
      output_(parameters, options.output, options.decoder.size, decoder_.context_size(), options.decoder.embedding,
              target_symbols),
      label_smoothing_(options.objective.label_smoothing) {}

Transducer::Loss Transducer::loss(Pass& pass, const Batch& batch) const {
  const Encoded encoded = encoder_.encode(pass, batch.source);
  const Tensor logits = decoder_.teach(pass, encoded, batch.inputs, output_);  // [steps, batch, symbols]
  const int symbols = static_cast<int>(std::ranges::count(batch.outputs.real, 1));
  return {cross_entropy(logits, batch.outputs.ids, {static_cast<Real>(label_smoothing_), pad}), symbols};
}

// The sources' side of a search.
class Transducer::Answering : public StepModel {
 public:
  Answering(const Transducer& model, Pass& pass, const Side& source)
      : model_(model), pass_(pass), encoded_(model.encoder_.encode(pass, source)) {
    prepared_ = model.decoder_.prepare(pass, encoded_);
    batch_ = source.batch;
  }

  int sources() const override { return batch_; }

  State start(Pass& pass) const override { return model_.decoder_.start(pass, encoded_); }

  StepResult step(Pass& pass, const State& state, Ids previous) const override {
    RnnDecoder::Step next = model_.decoder_.step(pass, prepared_, state, previous);
    return {log_softmax(model_.output_.logits(pass, next.readout)), std::move(next.state), std::move(next.looks)};
  }

  void keep(Ids sources) override {
    batch_ = static_cast<int>(sources.size());
    if (!prepared_) return;
    Memory& memory = prepared_->memory;
    const Mask old = memory.mask;
    memory.values = columns(memory.values, sources);
    prepared_->keys = columns(prepared_->keys, sources);
    const auto real = pass_.arena().array<std::uint8_t>(static_cast<std::size_t>(old.positions) * sources.size());
    for (int i = 0; i < old.positions; ++i) {
      for (int b = 0; b < batch_; ++b) real[i * batch_ + b] = old.data[i * old.batch + sources[b]];
    }
    memory.mask = {real.data(), old.positions, batch_};
  }

 private:
  // [positions, batch, size] with only these entries of the second axis.
  Tensor columns(Tensor x, Ids sources) {
    const int positions = x.shape()[0], batch = x.shape()[1], size = x.shape()[2];
    Tensor y = pass_.tape().make({positions, static_cast<int>(sources.size()), size});
    Real* to = y.data();
    for (int i = 0; i < positions; ++i) {
      for (const std::int32_t b : sources) {
        const Real* from = x.data() + (std::ptrdiff_t(i) * batch + b) * size;
        to = std::copy(from, from + size, to);
      }
    }
    return y;
  }

  const Transducer& model_;
  Pass& pass_;
  Encoded encoded_;
  RnnDecoder::Sources prepared_;
  int batch_ = 0;
};

std::unique_ptr<StepModel> Transducer::begin(Pass& pass, const Side& source) const {
  return std::make_unique<Answering>(*this, pass, source);
}

}  // namespace fovea
