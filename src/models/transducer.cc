#include "models/transducer.h"

#include <algorithm>
#include <utility>

#include "data/vocabulary.h"
#include "models/conflicts.h"

namespace fovea {

namespace {

const ModelOptions& checked(const ModelOptions& options) {
  check_conflicts(options);
  return options;
}

}  // namespace

// A batch taken through the model with the right symbols as inputs.
struct Transducer::Teaching {
  Encoded encoded;
  Decoder::Taught decoder;
  OutputSources sources;
  Tensor log_probabilities;  // [steps, batch, 1] of the target's symbols, where a sum over positions gave them
  Tensor weights;            // [steps, batch, positions], the mean over heads; empty without attention
  std::optional<Rationale::Chosen> rationale;
};

ModelOptions reverse_options(ModelOptions options) {
  options.objective.agreement = 0;
  options.objective.supervised = 0;
  return options;
}

Transducer::Transducer(Parameters& parameters, const ModelOptions& options, Symbols symbols)
    : objective_(checked(options).objective), symbols_(symbols.target) {
  if (options.encoder.rationale) {
    rationale_.emplace(parameters, options.encoder, symbols.source);
    rationale_baseline_ = parameters.add("rationale.baseline", {1}, Initial::constant(0));
  }
  encoder_ = make_encoder(parameters, options, symbols.source);
  const OutputKind& output = find_output(options.output.kind);
  // What copynet gives back to a step has the size of the memory.
  const int feedback = output.name == "copynet" ? encoder_->memory_size() : 0;
  const int line_features = symbols.features > 0 ? options.decoder.embedding : 0;
  if (line_features > 0) line_features_.emplace(parameters, "line_features", symbols.features, line_features);
  decoder_ = make_decoder(parameters, options, *encoder_, symbols.target, {feedback, line_features});
  const DecoderSizes sizes = decoder_->sizes();
  output_ = output.make(parameters, options,
                        {sizes.features, sizes.state, sizes.context, sizes.embedding, encoder_->memory_size(),
                         symbols.target, decoder_->table(), options.decoder.embedding});
  if (decoder_->marginal()) marginal_.emplace(*decoder_, *output_);
  if (objective_.fertility > 0) fertility_.emplace(parameters, "objective.fertility", encoder_->memory_size(), 1);
  draws_ = sizes.context > 0 && find_mechanism(selects(), options.attention.select).traits.draws;
  if (draws_ && objective_.baseline == "learned") baseline_.emplace(parameters, "objective.baseline", sizes.state, 1);
  if (objective_.agreement > 0) {
    parameters.set_prefix("reverse.");
    reverse_ =
        std::make_unique<Transducer>(parameters, reverse_options(options), Symbols{symbols.target, symbols.source, 0});
    parameters.set_prefix("");
  }
}

Encoded Transducer::encode(Pass& pass, const Side& source, Mask mask) const {
  Encoded encoded = encoder_->encode(pass, source, mask);
  if (line_features_) encoded.line_features = (*line_features_)(pass, source.features);
  return encoded;
}

OutputSources Transducer::prepare_output(Pass& pass, const Encoded& encoded, const Side& source) const {
  OutputSources sources = output_->prepare(pass, encoded.memory, source.links.view());
  if (marginal_) sources.keys = decoder_->position_part(pass, encoded.memory);
  return sources;
}

Transducer::Teaching Transducer::teach(Pass& pass, const Side& source, const Side& inputs, const Side& outputs) const {
  Teaching taught;
  if (rationale_) taught.rationale = rationale_->choose(pass, source);
  taught.encoded = encode(pass, source, taught.rationale ? taught.rationale->mask : source.mask());
  const Decoder::Sources sources = decoder_->prepare(pass, taught.encoded);
  taught.sources = prepare_output(pass, taught.encoded, source);
  taught.decoder = decoder_->teach(pass, taught.encoded, sources, inputs, *output_, taught.sources);
  if (marginal_) {
    const Marginal::Sum sum = marginal_->teach(pass, taught.decoder.readout, sources, taught.sources, outputs);
    taught.log_probabilities = sum.log_probabilities;
    taught.weights = sum.weights;
  } else if (taught.decoder.readout.selected.weights) {
    taught.weights = taught.decoder.readout.weights();
  }
  return taught;
}

// Minus the log-likelihood, in training smoothed if it is to be.
Tensor Transducer::likelihood(Pass& pass, const Teaching& taught, const Side& outputs) const {
  const Tensor real = step_mask(pass, outputs.mask(), 1);
  if (taught.log_probabilities) return scale(sum(multiply(taught.log_probabilities, real)), -1);
  const Readout& readout = taught.decoder.readout;
  const auto smoothing = static_cast<Real>(pass.training() ? objective_.label_smoothing : 0);
  OutputLayer::Written written = taught.decoder.written;
  if (!written.log_probabilities && output_->plain()) {
    return cross_entropy(output_->logits(pass, readout.features), outputs.ids, {smoothing, Vocabulary::pad, true});
  }
  if (!written.log_probabilities) written = output_->write(pass, readout, taught.sources);
  const Tensor right = sum(pick(written.log_probabilities, outputs.ids, Vocabulary::pad));
  if (smoothing == 0) return scale(right, -1);
  // Where symbols are copied too, what is spread is the vocabulary's part: to copy for certain is no fault.
  const Tensor known = written.vocabulary ? log_softmax(written.vocabulary) : written.log_probabilities;
  const Tensor spread = sum(multiply(known, step_mask(pass, outputs.mask(), symbols_)));
  return add(scale(right, smoothing - 1), scale(spread, -smoothing / static_cast<Real>(symbols_)));
}

// What positions or a rationale, where they were drawn, were worth.
void Transducer::add_draws(Pass& pass, const Teaching& taught, const Side& outputs, Loss& loss) const {
  const Readout& readout = taught.decoder.readout;
  Tensor log_p;  // [steps, batch, 1], 0 for steps that are not real
  if (taught.log_probabilities) {
    log_p = multiply(taught.log_probabilities, step_mask(pass, outputs.mask(), 1));
  } else {
    const Tensor written = taught.decoder.written.log_probabilities;
    log_p = pick(written ? written : output_->write(pass, readout, taught.sources).log_probabilities, outputs.ids,
                 Vocabulary::pad);
  }
  const auto weigh = [&](const char* name, Tensor value, double weight) {
    loss.terms.push_back({name, scale(value, static_cast<Real>(weight))});
  };
  if (readout.selected.drawn) {
    const Draws draws = {
        readout.selected.drawn, readout.selected.odds,
        baseline_ ? (*baseline_)(pass, detach(readout.state)) : average_baseline(pass, outputs.mask())};
    const Reinforced found = reinforce(pass, draws, log_p.values(), outputs.mask());
    weigh("reinforce", found.surrogate, objective_.reinforce);
    if (baseline_) weigh("baseline", found.baseline, 1);
    weigh("entropy", found.entropy, objective_.entropy);
  }
  if (taught.rationale) {
    const Rationale::Chosen& chosen = *taught.rationale;
    const auto rewards = pass.arena().array<Real>(static_cast<std::size_t>(outputs.batch));
    const auto ones = pass.arena().array<std::uint8_t>(rewards.size());
    Tensor none = pass.tape().make({1, outputs.batch, 1});
    for (int b = 0; b < outputs.batch; ++b) {
      rewards[b] = static_cast<Real>(-objective_.rationale_length) * chosen.chosen[b] -
                   static_cast<Real>(objective_.rationale_jumps) * chosen.jumps[b];
      for (int t = 0; t < outputs.length; ++t) rewards[b] += log_p.data()[t * outputs.batch + b];
      ones[b] = 1;
      none.data()[b] = 0;
    }
    const Draws draws = {chosen.log_probability, {}, scale(add_row(none, pass(rationale_baseline_)), 20)};
    const Reinforced found = reinforce(pass, draws, rewards, {ones.data(), 1, outputs.batch});
    weigh("rationale", found.surrogate, objective_.reinforce);
    weigh("rationale_baseline", found.baseline, 0.01);
  }
}

Transducer::Loss Transducer::loss_of(Pass& pass, const Teaching& taught, const Batch& batch,
                                     const Side& outputs) const {
  Loss loss;
  loss.symbols = static_cast<int>(std::ranges::count(outputs.real, 1));
  loss.terms.push_back({"likelihood", likelihood(pass, taught, outputs)});
  const Mask steps = outputs.mask(), source = taught.encoded.memory.mask;
  const auto weigh = [&](const char* name, double weight, const auto& value) {
    if (weight > 0) loss.terms.push_back({name, scale(value(), static_cast<Real>(weight))});
  };
  weigh("coverage", objective_.coverage, [&] { return coverage_penalty(pass, taught.weights, steps, source); });
  weigh("repetition", objective_.repetition, [&] { return repetition_penalty(pass, taught.weights, steps); });
  weigh("fertility", objective_.fertility, [&] {
    const Tensor fertilities = softplus((*fertility_)(pass, taught.encoded.memory.values));
    return fertility_penalty(pass, taught.weights, fertilities, steps, source);
  });
  weigh("coverage_embedding", objective_.coverage_embedding, [&] {
    Tensor total;
    for (const Tensor own : taught.decoder.kept) {
      const Tensor left = coverage_embedding_penalty(pass, own, taught.decoder.readout.heads, source);
      total = total ? add(total, left) : left;
    }
    return total;
  });
  weigh("diversity", objective_.diversity, [&] { return diversity_penalty(pass, taught.encoded.summary); });
  if (!batch.alignment.empty()) {
    weigh("supervised", objective_.supervised, [&] {
      return objective_.supervised_form == "squared" ? supervised_squares(pass, taught.weights, batch.alignment)
                                                     : supervised_cross_entropy(pass, taught.weights, batch.alignment);
    });
  }
  if (pass.training() && (draws_ || rationale_)) add_draws(pass, taught, outputs, loss);
  for (const LossTerm& term : loss.terms) loss.total = loss.total ? add(loss.total, term.value) : term.value;
  return loss;
}

Transducer::Loss Transducer::loss(Pass& pass, const Batch& batch) const {
  const Teaching taught = teach(pass, batch.source, batch.inputs, batch.outputs);
  Loss loss = loss_of(pass, taught, batch, batch.outputs);
  if (!reverse_) return loss;
  const Teaching back = reverse_->teach(pass, batch.reverse_source, batch.reverse_inputs, batch.reverse_outputs);
  const Loss other = reverse_->loss_of(pass, back, {}, batch.reverse_outputs);
  for (const LossTerm& term : other.terms) loss.terms.push_back({"reverse_" + term.name, term.value});
  const Tensor real = step_mask(pass, batch.outputs.mask(), taught.weights.shape()[2]);
  const Tensor apart = disagreement(pass, multiply(taught.weights, real), back.weights);
  loss.terms.push_back({"agreement", scale(apart, static_cast<Real>(objective_.agreement))});
  loss.total = add(add(loss.total, other.total), loss.terms.back().value);
  return loss;
}

Tensor Transducer::look(Pass& pass, const Batch& batch) const {
  return teach(pass, batch.source, batch.inputs, batch.outputs).weights;
}

// The sources' side of a search.
class Transducer::Answering : public StepModel {
 public:
  Answering(const Transducer& model, Pass& pass, const Side& source)
      : model_(model), pass_(pass), links_(source.links), batch_(source.batch) {
    const Mask mask = model.rationale_ ? model.rationale_->choose(pass, source).mask : source.mask();
    encoded_ = model.encode(pass, source, mask);
    sources_ = model.decoder_->prepare(pass, encoded_);
    output_ = model.prepare_output(pass, encoded_, source);
    output_.links = links_.view();
  }

  int sources() const override { return batch_; }

  State start(Pass& pass) const override { return model_.decoder_->start(pass, encoded_); }

  StepResult step(Pass& pass, const State& state, Ids previous) const override {
    Decoder::Sources sources = sources_;
    for (Attention::Prepared& prepared : sources) {
      prepared.keys = here(pass, prepared.keys);
      prepared.memory.values = here(pass, prepared.memory.values);
    }
    OutputSources output = output_;
    for (Tensor* x : {&output.memory.values, &output.keys, &output.own.keys, &output.own.memory.values}) {
      *x = here(pass, *x);
    }
    const Tensor feedback = model_.output_->feedback_size() > 0
                                ? model_.output_->feedback(pass, output, state.get("copying"), previous)
                                : Tensor();
    Decoder::Step next = model_.decoder_->step(pass, sources, state, previous, feedback);
    const int rows = static_cast<int>(previous.size());
    const auto as_rows = [&](Tensor x) { return x ? as_shape(x, {rows, x.shape().last()}) : x; };
    if (model_.marginal_) {
      const Tensor log_p = model_.marginal_->step(pass, next, sources, output, state, previous, next.state, next.looks);
      return {log_p, std::move(next.state), std::move(next.looks), {}};
    }
    const OutputLayer::Written written = model_.output_->write(pass, next.readout, output);
    if (model_.output_->feedback_size() > 0) next.state.set("copying", as_rows(written.copying));
    return {as_rows(written.log_probabilities), std::move(next.state), std::move(next.looks), as_rows(written.gate)};
  }

  void keep(Ids sources) override {
    for (Attention::Prepared& prepared : sources_) prepared = prepared.keep(pass_, sources, model_.decoder_->heads());
    keep_links(sources);
    const Attention::Prepared memory =
        Attention::Prepared{output_.memory, output_.memory.values}.keep(pass_, sources, 1);
    output_.memory = memory.memory;
    output_.links = links_.view();
    if (output_.keys) output_.keys = gather_batch(output_.keys, sources);
    if (output_.own.keys) output_.own = output_.own.keep(pass_, sources, 1);
    batch_ = static_cast<int>(sources.size());
  }

 private:
  // In the memory of the step, so that nothing made from it stays with the sources.
  static Tensor here(Pass& pass, Tensor x) { return x ? pass.tape().borrow(x.shape(), x.data(), nullptr) : x; }

  void keep_links(Ids sources) {
    if (links_.starts.empty()) return;
    LinkTable kept;
    kept.width = links_.width;
    kept.starts.push_back(0);
    const int positions = static_cast<int>(links_.starts.size() - 1) / batch_;
    for (int i = 0; i < positions; ++i) {
      for (const std::int32_t b : sources) {
        const auto cell = static_cast<std::size_t>(i * batch_ + b);
        for (auto k = static_cast<std::size_t>(links_.starts[cell]);
             k < static_cast<std::size_t>(links_.starts[cell + 1]); ++k) {
          kept.symbols.push_back(links_.symbols[k]);
          kept.shares.push_back(links_.shares[k]);
        }
        kept.starts.push_back(static_cast<std::int32_t>(kept.symbols.size()));
      }
    }
    links_ = std::move(kept);
  }

  const Transducer& model_;
  Pass& pass_;
  Encoded encoded_;
  Decoder::Sources sources_;
  LinkTable links_;
  OutputSources output_;
  int batch_ = 0;
};

std::unique_ptr<StepModel> Transducer::begin(Pass& pass, const Side& source) const {
  return std::make_unique<Answering>(*this, pass, source);
}

}  // namespace fovea
