#include "models/encoder_decoder.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/as_size.h"
#include "data/vocabulary.h"
#include "models/conflicts.h"

namespace fovea {

namespace {

const ModelOptions& checked(const ModelOptions& options, bool reads) {
  check_conflicts(options, reads);
  return options;
}

}  // namespace

ModelOptions reverse_options(ModelOptions options) {
  options.objective.leave_out(&ObjectiveTraits::both_directions);
  options.objective.leave_out(&ObjectiveTraits::needs_links);
  return options;
}

EncoderDecoder::EncoderDecoder(Parameters& parameters, const ModelOptions& options, const Symbols& symbols)
    : label_smoothing_(checked(options, !symbols.sources.empty()).objective.label_smoothing), symbols_(symbols.target) {
  if (options.encoder.rationale) rationale_.emplace(parameters, options.encoder, symbols.sources.at(0));
  for (const SourceShape& shape : symbols.sources) {
    const std::string outer = parameters.prefix();
    if (!sources_.empty()) parameters.set_prefix(fmt::format("{}source{}.", outer, sources_.size() + 1));
    SourceEncoder& source = sources_.emplace_back();
    source.input = make_input(parameters, "encoder.embedding", options.encoder, shape);
    source.encoder = make_encoder(parameters, options, *source.input);
    parameters.set_prefix(outer);
  }
  EncodedSizes encoded;
  if (!sources_.empty()) {
    const Encoder& first = *sources_[0].encoder;
    const int count = static_cast<int>(sources_.size());
    encoded = {first.memory_size(), count * first.state_size(), first.has_c(), count};
  }
  if (sources_.size() > 1 && attends(options) && joins().find(options.join).one_attention) {
    join_ = joins().find(options.join).make(parameters, "join", {encoded.memories, 0, encoded.memory, 0});
    encoded.memories = 1;
  }
  const GeneratorKind& kind = generators().find(options.generator.kind);
  const int feedback = kind.traits.feeds_back ? encoded.memory : 0;
  const int line_features = symbols.features > 0 ? options.decoder.embedding : 0;
  if (line_features > 0) line_features_.emplace(parameters, "line_features", symbols.features, line_features);
  decoder_ = make_decoder(parameters, options, encoded, symbols.target, {feedback, line_features});
  const DecoderSizes sizes = decoder_->sizes();
  copies_own_past_ = sources_.empty() && kind.traits.copies;
  const int memory = copies_own_past_ ? sizes.state : encoded.memory;
  generator_ = kind.make(parameters, options,
                         {sizes.features, sizes.state, sizes.context, sizes.embedding, memory, symbols.target,
                          decoder_->table(), options.decoder.embedding});
  if (decoder_->marginal()) marginal_.emplace(*decoder_, *generator_);
  objectives_ = make_objectives(parameters, options, encoded, sizes);
  if (options.objective.asked(&ObjectiveTraits::both_directions)) {
    parameters.set_prefix("reverse.");
    const Symbols reversed = {{SourceShape::of_symbols(symbols.target)}, symbols.sources[0].symbols, 0};
    reverse_ = std::make_unique<EncoderDecoder>(parameters, reverse_options(options), reversed);
    parameters.set_prefix("");
  }
}

InputVectors EncoderDecoder::read(Pass& pass, std::size_t source, const Side& side, Vectors* vectors) const {
  const InputVectors read = sources_[source].input->vectors(pass, side);
  if (!vectors) return read;
  const Tensor values = read.values(pass), own = pass.tape().make(values.shape(), true);
  std::ranges::copy(values.values(), own.data());
  vectors->push_back(own);
  return {own, ""};
}

// Several sources, each by an encoder of its own, and then one behind the other.
Encoded EncoderDecoder::encode_all(Pass& pass, const SourceBatch& source, Vectors* vectors) const {
  Encoded all;
  const int batch = source.batch, positions = source.positions();
  const auto cells = as_size(positions) * as_size(batch);
  const auto real = pass.arena().array<std::uint8_t>(cells);
  const auto rows = pass.arena().array<std::int32_t>(cells);  // of all columns of all sources
  const auto next = pass.arena().array<std::int32_t>(as_size(batch));
  for (const auto zeros : {rows, next}) std::ranges::fill(zeros, 0);
  std::ranges::fill(real, std::uint8_t(0));
  Tensor columns;
  for (std::size_t k = 0; k < sources_.size(); ++k) {
    const Side& side = k == 0 ? source : source.others[k - 1];
    const Pass::Inside inside(pass, k == 0 ? "" : fmt::format("source{}.", k + 1));
    Encoded one = sources_[k].encoder->encode(pass, read(pass, k, side, vectors), side.mask());
    const Memory& memory = one.memory;
    const int before = columns ? columns.shape()[0] * batch : 0;
    for (int i = 0; i < memory.mask.positions; ++i) {
      for (int b = 0; b < batch; ++b) {
        if (!memory.mask.data[i * batch + b]) continue;
        const int place = next[as_size(b)]++ * batch + b;
        rows[as_size(place)] = before + i * batch + b;
        real[as_size(place)] = 1;
      }
    }
    const Tensor values = join_ ? join_->as_common(pass, memory.values, static_cast<int>(k)) : memory.values;
    columns = columns ? join_steps(columns, values) : values;
    all.last.resize(one.last.size());
    for (std::size_t layer = 0; layer < one.last.size(); ++layer) {
      CellState& last = all.last[layer];
      last.h = last.h ? concat({last.h, one.last[layer].h}) : one.last[layer].h;
      if (one.last[layer].c) last.c = last.c ? concat({last.c, one.last[layer].c}) : one.last[layer].c;
    }
    if (k == 0) all.summary = one.summary;
    if (!join_) all.parts.push_back(memory);
    for (SelfMap& map : one.self_maps) {
      map.source = static_cast<int>(k);
      all.self_maps.push_back(std::move(map));
    }
  }
  const int size = columns.shape()[2];
  const Tensor gathered = gather_rows(as_shape(columns, {columns.shape()[0] * batch, size}), rows);
  all.memory = {as_shape(gathered, {positions, batch, size}), {real.data(), positions, batch}};
  return all;
}

Encoded EncoderDecoder::encode(Pass& pass, const SourceBatch& source, Mask mask, Vectors* vectors) const {
  Encoded encoded;
  if (sources_.size() == 1) {
    encoded = sources_[0].encoder->encode(pass, read(pass, 0, source, vectors), mask);
  } else if (!sources_.empty()) {
    encoded = encode_all(pass, source, vectors);
  }
  encoded.memory.mask.batch = source.batch;  // also of no source
  if (line_features_) encoded.line_features = (*line_features_)(pass, source.features);
  return encoded;
}

GeneratorSources EncoderDecoder::prepare_generator(Pass& pass, const Encoded& encoded,
                                                   const SourceBatch& source) const {
  if (sources_.empty()) return {};
  GeneratorSources sources = generator_->prepare(pass, encoded.memory, source.copy_map.view());
  if (marginal_) sources.keys = decoder_->position_part(pass, encoded.memory);
  return sources;
}

namespace {

// What was read at each position before, as what can be copied: row i * batch + b of `read`.
CopyMapView copies_of(Pass& pass, Ids read, int symbols) {
  const auto starts = pass.arena().array<std::int32_t>(read.size() + 1);
  const auto copied = pass.arena().array<std::int32_t>(read.size());
  const auto ones = pass.arena().array<Real>(read.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < read.size(); ++i) {
    starts[i] = static_cast<std::int32_t>(count);
    if (read[i] < Vocabulary::first_symbol) continue;  // no pad, start or unknown symbol is written
    copied[count] = read[i];
    ones[count++] = 1;
  }
  starts[read.size()] = static_cast<std::int32_t>(count);
  return {starts, copied.first(count), ones.first(count), symbols};
}

}  // namespace

TeacherForced EncoderDecoder::teacher_forced(Pass& pass, const SourceBatch& source, const PreviousSymbols& previous,
                                             const Side& targets, Vectors* vectors) const {
  TeacherForced forced;
  if (rationale_) forced.rationale = rationale_->choose(pass, source);
  forced.encoded = encode(pass, source, forced.rationale ? forced.rationale->mask : source.mask(), vectors);
  const Decoder::Sources sources = decoder_->prepare(pass, forced.encoded);
  forced.sources = prepare_generator(pass, forced.encoded, source);
  forced.decoder = decoder_->teacher_forced(pass, forced.encoded, sources, previous, *generator_, forced.sources);
  if (copies_own_past_) {
    Mask past = previous.mask();
    past.causal = 0;
    forced.sources.memory = {forced.decoder.readout.state, past};
    forced.sources.copy_map = copies_of(pass, previous.ids, symbols_);
  }
  if (marginal_) {
    const Marginal::Sum sum = marginal_->teacher_forced(pass, forced.decoder.readout, sources, forced.sources, targets);
    forced.log_probabilities = sum.log_probabilities;
    forced.weights = sum.weights;
  } else if (forced.decoder.readout.selected.weights) {
    forced.weights = forced.decoder.readout.weights();
  }
  return forced;
}

// Minus the log-likelihood, in training smoothed if it is to be.
Tensor EncoderDecoder::nll(Pass& pass, const TeacherForced& forced, const Side& targets) const {
  const Tensor real = step_mask(pass, targets.mask(), 1);
  if (forced.log_probabilities) return scale(sum(multiply(forced.log_probabilities, real)), -1);
  const Readout& readout = forced.decoder.readout;
  const bool smooth = pass.training() && generator_->writes_vocabulary();
  const auto smoothing = static_cast<Real>(smooth ? label_smoothing_ : 0);
  Generator::Written written = forced.decoder.written;
  if (!written.log_probabilities && generator_->plain()) {
    return cross_entropy(generator_->logits(pass, readout.features), targets.ids, {smoothing, Vocabulary::pad, true});
  }
  if (!written.log_probabilities) written = generator_->write(pass, readout, forced.sources);
  const Tensor right = sum(pick(written.log_probabilities, targets.ids, Vocabulary::pad));
  if (smoothing == 0) return scale(right, -1);
  // Where symbols are copied too, what is spread is the vocabulary's part: to copy for certain is no fault.
  const Tensor known = written.vocabulary ? log_softmax(written.vocabulary) : written.log_probabilities;
  const Tensor spread = sum(multiply(known, step_mask(pass, targets.mask(), symbols_)));
  return add(scale(right, smoothing - 1), scale(spread, -smoothing / static_cast<Real>(symbols_)));
}

EncoderDecoder::Loss EncoderDecoder::loss_of(Pass& pass, const Side& targets, ObjectiveBatch seen) const {
  const TeacherForced& forced = seen.forced;
  Loss loss;
  loss.symbols = static_cast<int>(std::ranges::count(targets.real, 1));
  loss.terms.push_back({"nll", nll(pass, forced, targets)});
  seen.log_p = [&] {
    if (forced.log_probabilities) return multiply(forced.log_probabilities, step_mask(pass, targets.mask(), 1));
    const Tensor written = forced.decoder.written.log_probabilities;
    return pick(written ? written : generator_->write(pass, forced.decoder.readout, forced.sources).log_probabilities,
                targets.ids, Vocabulary::pad);
  };
  for (const auto& objective : objectives_) objective->add_terms(pass, seen, loss.terms);
  for (const LossTerm& term : loss.terms) loss.total = loss.total ? add(loss.total, term.value) : term.value;
  return loss;
}

EncoderDecoder::Loss EncoderDecoder::loss(Pass& pass, const Batch& batch) const {
  const TeacherForced forced = teacher_forced(pass, batch.source, batch.previous, batch.targets);
  Loss loss = loss_of(pass, batch.targets, {forced, batch.targets.mask(), batch.alignment, batch.expected});
  if (!reverse_) return loss;
  const TeacherForced back =
      reverse_->teacher_forced(pass, batch.reverse_source, batch.reverse_previous, batch.reverse_targets);
  const Side& reversed = batch.reverse_targets;
  const Loss other = reverse_->loss_of(pass, reversed, {back, reversed.mask(), {}, batch.expected});
  for (const LossTerm& term : other.terms) loss.terms.push_back({"reverse_" + term.name, term.value});
  const Tensor real = step_mask(pass, batch.targets.mask(), forced.weights.shape()[2]);
  loss.total = add(loss.total, other.total);
  const std::size_t before = loss.terms.size();
  for (const auto& objective : objectives_) {
    objective->add_both(pass, multiply(forced.weights, real), back.weights, loss.terms);
  }
  for (std::size_t i = before; i < loss.terms.size(); ++i) loss.total = add(loss.total, loss.terms[i].value);
  return loss;
}

Tensor EncoderDecoder::look(Pass& pass, const Batch& batch) const {
  return teacher_forced(pass, batch.source, batch.previous, batch.targets).weights;
}

std::vector<std::vector<float>> EncoderDecoder::saliency(Pass& pass, const Batch& batch,
                                                         std::span<const int> steps) const {
  Vectors vectors;
  const TeacherForced forced = teacher_forced(pass, batch.source, batch.previous, batch.targets, &vectors);
  Side asked = batch.targets;  // only the steps that are asked about
  const int rows = asked.batch;
  for (int cell = 0; cell < asked.length * rows; ++cell) {
    if (cell / rows == steps[as_size(cell % rows)]) continue;
    asked.ids[as_size(cell)] = Vocabulary::pad;
    asked.real[as_size(cell)] = 0;
  }
  pass.tape().backward(nll(pass, forced, asked), -1);
  std::vector<std::vector<float>> all(as_size(rows));
  for (std::size_t k = 0; k < vectors.size(); ++k) {
    const Side& side = k == 0 ? batch.source : batch.source.others[k - 1];
    const int size = vectors[k].shape().last();
    for (int cell = 0; cell < side.length * rows; ++cell) {
      if (!side.real[as_size(cell)]) continue;
      double sum = 0;
      for (int i = cell * size; i < (cell + 1) * size; ++i) {
        sum += static_cast<double>(vectors[k].data()[i]) * static_cast<double>(vectors[k].gradient()[i]);
      }
      all[as_size(cell % rows)].push_back(static_cast<float>(sum));
    }
  }
  return all;
}

// The sources' side of a search.
class EncoderDecoder::Answering : public StepModel {
 public:
  Answering(const EncoderDecoder& model, Pass& pass, const SourceBatch& source)
      : model_(model), pass_(pass), copy_map_(source.copy_map), batch_(source.batch) {
    if (model.rationale_) rationale_ = model.rationale_->choose(pass, source).mask;
    encoded_ = model.encode(pass, source, model.rationale_ ? rationale_ : source.mask());
    sources_ = model.decoder_->prepare(pass, encoded_);
    generator_ = model.prepare_generator(pass, encoded_, source);
    generator_.copy_map = copy_map_.view();
    for (int b = 0; b < batch_; ++b) kept_.push_back(b);
  }

  int sources() const override { return batch_; }
  Mask rationale() const override { return rationale_; }
  std::span<const SelfMap> self_maps() const override { return encoded_.self_maps; }

  State start(Pass& pass) const override { return model_.decoder_->start(pass, encoded_); }

  StepResult step(Pass& pass, const State& state, Ids previous) const override {
    Decoder::Sources sources = sources_;
    for (Attention::Prepared& prepared : sources) {
      prepared.keys = here(pass, prepared.keys);
      prepared.memory.values = here(pass, prepared.memory.values);
    }
    GeneratorSources generator = generator_;
    for (Tensor* x : {&generator.memory.values, &generator.keys, &generator.own.keys, &generator.own.memory.values}) {
      *x = here(pass, *x);
    }
    const Tensor feedback = model_.generator_->feedback_size() > 0
                                ? model_.generator_->feedback(pass, generator, state.get("copying"), previous)
                                : Tensor();
    Decoder::Step next = model_.decoder_->step(pass, sources, state, previous, feedback);
    const int rows = static_cast<int>(previous.size());
    const auto as_rows = [&](Tensor x) { return x ? as_shape(x, {rows, x.shape().last()}) : x; };
    if (model_.marginal_) {
      const Tensor log_p =
          model_.marginal_->step(pass, next, sources, generator, state, previous, next.state, next.looks);
      spread(pass, next.looks);
      return {log_p, std::move(next.state), std::move(next.looks), {}, {}};
    }
    if (model_.copies_own_past_) add_past(pass, state, previous, next, generator);
    const Generator::Written written = model_.generator_->write(pass, next.readout, generator);
    if (model_.generator_->feedback_size() > 0) next.state.set("copying", as_rows(written.copying));
    spread(pass, next.looks);
    std::vector<StepLook> pointing;
    if (model_.points()) pointing.push_back({as_rows(written.scores), as_rows(written.copying), {}});
    return {as_rows(written.log_probabilities), std::move(next.state), std::move(next.looks),
            std::move(next.self_looks),         as_rows(written.gate), std::move(pointing)};
  }

  void keep(Ids sources) override {
    const int before = std::exchange(batch_, static_cast<int>(sources.size()));
    if (encoded_.share_of) {
      std::vector<std::int32_t> kept;
      for (const std::int32_t s : sources) kept.push_back(kept_[as_size(s)]);
      kept_ = std::move(kept);
    }
    if (model_.sources_.empty()) return;
    for (Attention::Prepared& prepared : sources_) prepared = prepared.keep(pass_, sources, model_.decoder_->heads());
    keep_copy_map(sources, before);
    const Attention::Prepared memory =
        Attention::Prepared{generator_.memory, generator_.memory.values}.keep(pass_, sources, 1);
    generator_.memory = memory.memory;
    generator_.copy_map = copy_map_.view();
    if (generator_.keys) generator_.keys = gather_batch(generator_.keys, sources);
    if (generator_.own.keys) generator_.own = generator_.own.keep(pass_, sources, 1);
  }

 private:
  // In the memory of the step, so that nothing made from it stays with the sources.
  static Tensor here(Pass& pass, Tensor x) { return x ? pass.tape().borrow(x.shape(), x.data(), nullptr) : x; }

  void spread(Pass& pass, std::vector<StepLook>& looks) const {
    if (!encoded_.share_of) return;
    const Real* seen = nullptr;  // maps of one layer lie side by side in one tensor
    for (std::size_t i = 0; i < looks.size(); ++i) {
      const Real* own = looks[i].weights.data();
      if (own == seen) {
        looks[i].weights = looks[i - 1].weights;
        looks[i].scores = looks[i - 1].scores;
      } else {
        spread(pass, looks[i]);
      }
      seen = own;
    }
  }

  // Weights of columns that are made of several positions, as weights of these: w_i = b_column(i) a_i. Scores are the
  // column's.
  void spread(Pass& pass, StepLook& look) const {
    const int all = encoded_.share_of.shape()[1], positions = encoded_.share_of.shape()[0];
    const int rows = look.weights.shape().rows(), columns = look.weights.shape().last();
    Tensor weights = pass.tape().make({rows, positions}), scores = pass.tape().make({rows, positions});
    for (int row = 0; row < rows; ++row) {
      const int source = kept_[as_size(row / look.maps % batch_)];
      for (int i = 0; i < positions; ++i) {
        const int cell = i * all + source, to = row * positions + i;
        const int from = row * columns + std::min(encoded_.column_of[as_size(cell)], columns - 1);
        weights.data()[to] = look.weights.data()[from] * encoded_.share_of.data()[cell];
        scores.data()[to] = look.scores.data()[from];
      }
    }
    look.weights = weights;
    look.scores = scores;
  }

  // What the model has read so far, this step's symbol last.
  void add_past(Pass& pass, const State& state, Ids previous, Decoder::Step& next, GeneratorSources& generator) const {
    const int rows = static_cast<int>(previous.size()), steps = state.step + 1;
    const Tensor now = as_shape(next.readout.state, {rows, next.readout.state.shape().last()});
    Tensor read = pass.tape().make({rows, 1});
    std::ranges::transform(previous, read.data(), [](std::int32_t id) { return static_cast<Real>(id); });
    const Tensor states = next.state.grow(pass, state, "past", now);
    const Tensor symbols = next.state.grow(pass, state, "past_symbols", read);
    const auto ids = pass.arena().array<std::int32_t>(as_size(steps) * previous.size());
    std::ranges::transform(symbols.values(), ids.begin(), [](Real id) { return static_cast<std::int32_t>(id); });
    const auto ones = pass.arena().array<std::uint8_t>(ids.size());
    std::ranges::fill(ones, std::uint8_t(1));
    generator.memory = {states, {ones.data(), steps, rows}};
    generator.copy_map = copies_of(pass, ids, model_.symbols_);
  }

  void keep_copy_map(Ids sources, int batch) {
    if (copy_map_.starts.empty()) return;
    CopyMap kept;
    kept.width = copy_map_.width;
    kept.starts.push_back(0);
    const int positions = static_cast<int>(copy_map_.starts.size() - 1) / batch;
    for (int i = 0; i < positions; ++i) {
      for (const std::int32_t b : sources) {
        const auto cell = as_size(i * batch + b);
        for (auto k = as_size(copy_map_.starts[cell]); k < as_size(copy_map_.starts[cell + 1]); ++k) {
          kept.symbols.push_back(copy_map_.symbols[k]);
          kept.shares.push_back(copy_map_.shares[k]);
        }
        kept.starts.push_back(static_cast<std::int32_t>(kept.symbols.size()));
      }
    }
    copy_map_ = std::move(kept);
  }

  const EncoderDecoder& model_;
  Pass& pass_;
  Mask rationale_;
  Encoded encoded_;
  Decoder::Sources sources_;
  CopyMap copy_map_;
  GeneratorSources generator_;
  int batch_ = 0;
  std::vector<std::int32_t> kept_;  // which of the first sources each is
};

std::unique_ptr<StepModel> EncoderDecoder::begin(Pass& pass, const SourceBatch& source) const {
  return std::make_unique<Answering>(*this, pass, source);
}

}  // namespace fovea
