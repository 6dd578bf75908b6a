#include "models/decoders/rnn.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/as_size.h"
#include "data/vocabulary.h"

namespace fovea {

namespace {

// The symbols fed to step t: those of the target, or by chance, where they are sampled, what the model just chose.
std::span<std::int32_t> inputs_at(Pass& pass, const PreviousSymbols& inputs, int t, Tensor last) {
  const auto ids = pass.arena().array<std::int32_t>(as_size(inputs.batch));
  for (int b = 0; b < inputs.batch; ++b) ids[b] = inputs.ids[as_size(t) * inputs.batch + b];
  for (int b = 0; b < inputs.batch; ++b) {
    if (reads_own_choice(pass, inputs, t, b)) ids[b] = most_probable_symbol(last, b);
  }
  return ids;
}

// Steps of [rows, any] or [1, batch, any] as one sequence [steps, batch, any]; empty if the first is.
Tensor in_sequence(std::span<const Tensor> steps, int batch) {
  if (!steps[0]) return {};
  const Tensor all = stack(steps);
  const int length = static_cast<int>(steps.size());
  const int rows = steps[0].shape().rows();
  return as_shape(all, {length, std::max(rows, batch), steps[0].shape().last()});
}

// Of steps of [batch, any] each row's last real one: [batch, any].
Tensor at_last_steps(Pass& pass, std::span<const Tensor> steps, const Side& inputs) {
  const auto rows = pass.arena().array<std::int32_t>(as_size(inputs.batch));
  for (int b = 0; b < inputs.batch; ++b) {
    int last = 0;
    for (int t = 0; t < inputs.length; ++t) {
      if (inputs.real[as_size(t) * inputs.batch + b]) last = t;
    }
    rows[b] = last * inputs.batch + b;
  }
  const Tensor all = stack(steps);
  return gather_rows(as_shape(all, {inputs.length * inputs.batch, all.shape().last()}), rows);
}

}  // namespace

RnnDecoder::RnnDecoder(Parameters& parameters, const ModelOptions& options, const EncodedSizes& encoded, int symbols,
                       StepInputs inputs)
    : style_(options.decoder.style == "plain"   ? Style::plain
             : options.decoder.style == "luong" ? Style::luong
                                                : Style::bahdanau),
      feeding_(options.decoder.feeding),
      residual_(options.decoder.residual),
      size_(options.decoder.size),
      symbol_count_(symbols),
      embedding_size_(options.decoder.embedding),
      features_size_(options.generator.size),
      symbols_(parameters, "decoder.embedding", symbols, options.decoder.embedding, options.decoder.spread,
               options.decoder.frozen),
      bridge_(parameters, "decoder.bridge", options.decoder, encoded) {
  int context = 0;
  if (style_ != Style::plain) {
    attention_.emplace(parameters, "attention", options.attention, options.join,
                       SourceAttention::Sizes{size_, options.decoder.embedding, encoded});
    marginal_ = selects().find(options.attention.select).traits.marginal;
    context = marginal_ ? encoded.memory : attention_->context_size();
  }
  const int extra = inputs.feedback + (style_ == Style::bahdanau ? context : feeds() ? features_size_ : 0);
  for (int layer = 0; layer < options.decoder.layers; ++layer) {
    cells_.emplace_back(parameters, fmt::format("decoder.layer{}", layer), options.decoder.cell,
                        layer == 0 ? options.decoder.embedding : size_, size_, layer == 0 ? extra : 0);
    names_.push_back({fmt::format("h{}", layer), fmt::format("c{}", layer), fmt::format("decoder.layer{}", layer)});
  }
  first_ = cells_[0].project_symbols(symbols_);
  if (inputs.line_features > 0) {
    line_part_ = parameters.add("decoder.line_features", {inputs.line_features, cells_[0].gates()},
                                Initial::glorot(inputs.line_features, size_));
  }
  const bool reads_symbol = style_ != Style::luong;
  const int in = size_ + context + (reads_symbol ? embedding_size_ : 0);
  state_part_ = Linear(parameters, "generator.state", size_, features_size_);
  if (context > 0) {
    context_part_ = parameters.add("generator.context", {context, features_size_}, Initial::glorot(in, features_size_));
  }
  if (reads_symbol) {
    embedding_part_ =
        parameters.add("generator.embedding", {embedding_size_, features_size_}, Initial::glorot(in, features_size_));
  }
}

DecoderSizes RnnDecoder::sizes() const {
  return {features_size_, size_, attention_ ? attention_->context_size() : 0, embedding_size_};
}

Decoder::Sources RnnDecoder::prepare(Pass& pass, const Encoded& encoded) const {
  Sources sources;
  if (attention_) attention_->prepare(pass, encoded, sources);
  return sources;
}

State RnnDecoder::start(Pass& pass, const Encoded& encoded) const {
  State state;
  const std::vector<CellState> first = bridge_.states(pass, encoded);
  for (std::size_t layer = 0; layer < first.size(); ++layer) {
    state.set(names_[layer].h, first[layer].h);
    if (first[layer].c) state.set(names_[layer].c, first[layer].c);
  }
  if (line_part_) state.set("line", gates_of_line(pass, encoded));
  if (feeds()) {
    Tensor none = pass.tape().make({encoded.memory.mask.batch, features_size_});
    std::ranges::fill(none.values(), Real(0));
    state.set("fed", none);
  }
  return state;
}

// What the line's features add to the first layer's gates at every step, [batch, gates].
Tensor RnnDecoder::gates_of_line(Pass& pass, const Encoded& encoded) const {
  return linear(encoded.line_features, pass(line_part_));
}

// W_s s + W_c c + W_y y, those that there are.
Tensor RnnDecoder::features(Pass& pass, const Readout& readout) const {
  Tensor sum = state_part_(pass, readout.state);
  if (context_part_ && !marginal_) sum = add_products(sum, {{readout.context, pass(context_part_)}});
  if (embedding_part_) sum = add_products(sum, {{readout.embedding, pass(embedding_part_)}});
  return marginal_ ? sum : tanh(sum);
}

Tensor RnnDecoder::dropped_features(Pass& pass, Readout readout, int step) const {
  readout.state = pass.drop(readout.state, "decoder.state", step);
  if (readout.context) readout.context = pass.drop(readout.context, "decoder.context", step);
  return features(pass, readout);
}

History RnnDecoder::history_of(Pass& pass, const Attention::Prepared& prepared, const State& state,
                               const Input& input) const {
  const int rows = input.embedded.shape()[0], batch = prepared.memory.mask.batch / attention_->heads();
  const auto by_head = [&](Tensor x) {  // [rows, heads * any] -> [queries, batch * heads, any]
    const int heads = attention_->heads();
    return as_shape(x, {rows / batch, batch * heads, x.shape()[1] / heads});
  };
  History history;
  history.layer = 0;
  history.written = as_shape(input.embedded, {rows / batch, batch, input.embedded.shape()[1]});
  const auto stepped = pass.arena().array<std::uint8_t>(input.ids.size());
  std::ranges::transform(input.ids, stepped.begin(), [](std::int32_t id) { return id == step_action; });
  history.stepped = stepped;
  if (const Tensor last = state.get("attention.last")) {
    history.last = by_head(last);
    history.total = by_head(state.get("attention.total"));
    for (int i = 0; i < attention_->only().bias_count(); ++i) {
      const Tensor own = state.get(fmt::format("attention.own{}", i));
      history.own.push_back(own ? by_head(own) : own);
    }
  }
  return history;
}

Attention::Attended RnnDecoder::attend(Pass& pass, const Sources& sources, const State& state, Tensor query,
                                       const Input& input, Step& out) const {
  const Attention::Prepared& prepared = sources[0];
  const int rows = query.shape()[0], batch = prepared.memory.mask.batch / attention_->heads();
  const auto as_queries = [&](Tensor x) { return as_shape(x, {rows / batch, batch, x.shape()[1]}); };
  const History history = history_of(pass, prepared, state, input);
  const When when = {state.step, 0};
  if (marginal_) {
    Attention::Attended attended;
    const Attention::Scored scored = attention_->only().score(pass, as_queries(query), when, prepared, history);
    attended.query = scored.query;
    attended.scores = scored.scores;
    return attended;
  }
  Attention::Attended attended = attention_->attend(pass, as_queries(query), when, sources, history);
  if (attention_->looks_back()) {
    const auto as_rows = [&](Tensor x) { return as_shape(x, {rows, x.shape().count() / rows}); };
    out.state.set("attention.last", as_rows(attended.history.last));
    out.state.set("attention.total", as_rows(attended.history.total));
    for (std::size_t i = 0; i < attended.history.own.size(); ++i) {
      const Tensor own = attended.history.own[i];
      if (own) out.state.set(fmt::format("attention.own{}", i), as_rows(own));
    }
  }
  add_looks(attended, attention_->heads(), 0, out.looks);
  return attended;
}

Decoder::Step RnnDecoder::step(Pass& pass, const Sources& sources, const State& state, Ids previous,
                               Tensor feedback) const {
  const Ids known = known_symbols(pass, previous, symbol_count_);
  const Shape rows = {static_cast<int>(previous.size())};
  return step_from(pass, sources, state,
                   {previous, symbols_(pass, known, rows), (*first_)(pass, known, rows), feedback});
}

// The readout's parts are [queries, batch, any]; features only where the next step is fed with them.
Decoder::Step RnnDecoder::step_from(Pass& pass, const Sources& sources, const State& state, const Input& input) const {
  Step out;
  out.state.step = state.step + 1;
  const int rows = input.embedded.shape()[0];
  const int batch = attention_ ? sources[0].memory.mask.batch / attention_->heads() : rows;
  const auto as_queries = [&](Tensor x) { return as_shape(x, {rows / batch, batch, x.shape().last()}); };
  Attention::Attended attended;
  const auto look = [&](Tensor query) {
    attended = attend(pass, sources, state, query, input, out);
    out.readout.query = attended.query;
    out.readout.asked = as_queries(query);
    out.readout.scores = attended.scores;
    out.readout.selected = attended.selected;
    out.readout.context = attended.context;
    out.readout.heads = attention_->heads();
  };
  Tensor extra = input.extra;
  const auto also = [&](Tensor x) { extra = extra ? concat({x, extra}) : x; };
  if (style_ == Style::bahdanau) {
    look(state.get(names_.back().h));
    also(as_shape(attended.context, {rows, attended.context.shape()[2]}));
  } else if (feeds()) {
    also(state.get("fed"));
  }
  Tensor below, projected = input.projected;
  if (const Tensor line = state.get("line")) {
    projected = add(projected, line);
    out.state.set("line", pass.training() ? line : scale(line, 1));  // in the memory of this step
  }
  for (std::size_t layer = 0; layer < cells_.size(); ++layer) {
    if (layer > 0) projected = cells_[layer].project(pass, pass.drop(below, names_[layer].place, state.step));
    const CellState previous = {state.get(names_[layer].h), state.get(names_[layer].c)};
    const CellState next = cells_[layer].step(pass, projected, layer == 0 ? extra : Tensor(), previous);
    out.state.set(names_[layer].h, next.h);
    if (next.c) out.state.set(names_[layer].c, next.c);
    below = residual_ && layer > 0 ? add(next.h, below) : next.h;
  }
  if (style_ == Style::luong) look(below);
  out.readout.state = as_queries(below);
  out.readout.embedding = as_queries(input.embedded);
  if (feeds()) {
    out.readout.features = features(pass, out.readout);
    out.state.set("fed", as_shape(out.readout.features, {rows, features_size_}));
  } else if (!pass.training() && !marginal_) {
    out.readout.features = features(pass, out.readout);
  }
  return out;
}

Decoder::TeacherForced RnnDecoder::teacher_forced(Pass& pass, const Encoded& encoded, const Sources& sources,
                                                  const PreviousSymbols& inputs, const Generator& generator,
                                                  const GeneratorSources& generator_sources) const {
  const bool sampled = samples(pass, inputs);
  const bool waits = style_ == Style::bahdanau || feeds() || sampled || generator.feedback_size() > 0;
  const bool looks_back = attention_ && attention_->looks_back() && !marginal_;
  if (marginal_ && sampled) {
    throw usage_error(
        "training.scheduled_sampling with attention.select = a selection that mixes outputs: the steps are taken at "
        "once; set training.scheduled_sampling = 0");
  }
  return waits || looks_back ? teacher_forced_stepwise(pass, encoded, sources, inputs, generator, generator_sources)
                             : teacher_forced_at_once(pass, encoded, sources, inputs);
}

Decoder::TeacherForced RnnDecoder::teacher_forced_stepwise(Pass& pass, const Encoded& encoded, const Sources& sources,
                                                           const PreviousSymbols& inputs, const Generator& generator,
                                                           const GeneratorSources& generator_sources) const {
  State state = start(pass, encoded);
  const auto steps = as_size(inputs.length);
  const bool sampled = samples(pass, inputs);
  const bool writes = sampled || generator.feedback_size() > 0;
  Tensor embedded, projected;
  if (!sampled) {  // all inputs are known: their share of the first layer's gates is one product
    const Ids known = known_symbols(pass, inputs.ids, symbol_count_);
    const Shape leading = {inputs.length, inputs.batch};
    embedded = symbols_.dropped(pass, known, leading);
    projected = first_->serves(pass, known) ? (*first_)(pass, known, leading) : cells_[0].project(pass, embedded);
  }
  enum Part { states, asked, contexts, symbols, offered, weights, drawn, probabilities, log_p, gates, logits, parts };
  std::span<Tensor> all[parts];
  for (auto& part : all) {
    part = pass.arena().array<Tensor>(steps);
    std::ranges::fill(part, Tensor());
  }
  Tensor copying;
  std::vector<State> after;  // each step, where an objective may ask for what biases keep
  for (int t = 0; t < inputs.length; ++t) {
    const Ids ids = inputs_at(pass, inputs, t, t > 0 ? all[log_p][t - 1] : Tensor());
    Input input;
    input.ids = ids;
    if (generator.feedback_size() > 0) input.extra = generator.feedback(pass, generator_sources, copying, ids);
    input.embedded = sampled ? symbols_.dropped(pass, known_symbols(pass, ids, symbol_count_), {inputs.batch}, t)
                             : fovea::step(embedded, t);
    input.projected = sampled ? cells_[0].project(pass, input.embedded) : fovea::step(projected, t);
    Step next = step_from(pass, sources, state, input);
    state = std::move(next.state);
    Readout& readout = next.readout;
    if (writes) {
      readout.features =
          readout.features ? pass.drop(readout.features, "decoder.features", t) : dropped_features(pass, readout, t);
      const Generator::Written written = generator.write(pass, readout, generator_sources);
      all[log_p][t] = written.log_probabilities;
      all[gates][t] = written.gate;
      all[logits][t] = written.vocabulary;
      if (written.copying) copying = as_shape(written.copying, {inputs.batch, written.copying.shape()[2]});
    }
    all[states][t] = readout.state;
    all[asked][t] = readout.asked;
    all[contexts][t] = readout.context;
    all[symbols][t] = readout.embedding;
    all[offered][t] = readout.features;
    all[weights][t] = readout.selected.weights;
    all[drawn][t] = readout.selected.drawn;
    all[probabilities][t] = readout.selected.probabilities;
    if (attention_ && attention_->looks_back()) after.push_back(state);
  }
  const auto joined = [&](Part part) { return in_sequence(all[part], inputs.batch); };
  TeacherForced forced;
  forced.readout.heads = heads();
  forced.readout.state = joined(states);
  forced.readout.asked = joined(asked);
  forced.readout.context = joined(contexts);
  forced.readout.embedding = sampled ? joined(symbols) : embedded;
  forced.readout.selected = {joined(weights), joined(drawn), joined(probabilities)};
  if (writes) {
    forced.written = {joined(log_p), joined(gates), {}, joined(logits)};
  } else if (feeds()) {
    forced.readout.features = pass.drop(joined(offered), "decoder.features");
  } else {
    forced.readout.features = dropped_features(pass, forced.readout);
  }
  if (!after.empty()) forced.kept = kept_at_the_end(pass, sources[0], after, inputs);
  return forced;
}

// By the biases, if they keep anything, once each row has written its stop symbol: [batch, any].
std::vector<Tensor> RnnDecoder::kept_at_the_end(Pass& pass, const Attention::Prepared& prepared,
                                                std::span<const State> after, const Side& inputs) const {
  State last;
  bool keeps = false;
  const auto take = [&](const std::string& name) {
    std::vector<Tensor> steps;
    for (const State& state : after) steps.push_back(state.get(name));
    if (steps[0]) last.set(name, at_last_steps(pass, steps, inputs));
    return bool(steps[0]);
  };
  for (int i = 0; i < attention_->only().bias_count(); ++i) keeps = take(fmt::format("attention.own{}", i)) || keeps;
  if (!keeps) return {};
  for (const std::string& name : {std::string("attention.last"), std::string("attention.total"), names_.back().h}) {
    take(name);
  }
  const auto stops = pass.arena().array<std::int32_t>(as_size(inputs.batch));
  std::ranges::fill(stops, Vocabulary::stop);
  const Input written = {stops, symbols_(pass, stops, {inputs.batch}), {}, {}};
  const Tensor query = as_shape(last.get(names_.back().h), {1, inputs.batch, size_});
  const History history = history_of(pass, prepared, last, written);
  std::vector<Tensor> kept;
  for (const Tensor own : attention_->only().finish(pass, query, {0, 0}, prepared, history)) {
    kept.push_back(as_shape(own, {inputs.batch, own.shape().count() / inputs.batch}));
  }
  return kept;
}

// The states wait for nothing but the symbols: each layer runs over all steps, and all steps ask at once.
Decoder::TeacherForced RnnDecoder::teacher_forced_at_once(Pass& pass, const Encoded& encoded, const Sources& sources,
                                                          const Side& inputs) const {
  TeacherForced forced;
  Readout& readout = forced.readout;
  const Ids known = known_symbols(pass, inputs.ids, symbol_count_);
  const Shape leading = {inputs.length, inputs.batch};
  readout.embedding = symbols_.dropped(pass, known, leading);
  const std::vector<CellState> first = bridge_.states(pass, encoded);
  const auto run = [&](std::size_t layer, Tensor x) {
    return cells_[layer].run(pass, x, first[layer], inputs.mask(), Direction::forward).h;
  };
  Tensor x;
  if (first_->serves(pass, known) || line_part_) {
    Tensor gates =
        first_->serves(pass, known) ? (*first_)(pass, known, leading) : cells_[0].project(pass, readout.embedding);
    if (line_part_) gates = add_to_each_step(gates, gates_of_line(pass, encoded));
    x = cells_[0].run_projected(pass, gates, first[0], inputs.mask(), Direction::forward).h;
  } else {
    x = run(0, readout.embedding);
  }
  for (std::size_t layer = 1; layer < cells_.size(); ++layer) {
    const Tensor h = run(layer, pass.drop(x, names_[layer].place));
    x = residual_ ? add(h, x) : h;
  }
  readout.state = x;
  if (attention_) {
    readout.heads = attention_->heads();
    if (marginal_) {
      readout.scores = attention_->only().score(pass, x, {0, 1}, sources[0], {}).scores;
      return forced;
    }
    const Attention::Attended attended = attention_->attend(pass, x, {0, 1}, sources, {});
    readout.asked = x;
    readout.selected = attended.selected;
    readout.context = attended.context;
  }
  readout.features = dropped_features(pass, readout);
  return forced;
}

extern const DecoderKind Decoder_rnn = {"rnn", "s_t = cell(s_{t-1}, [E y_{t-1} ; c_t]), layers of LSTM or GRU",
                                        "Bahdanau 2015, Luong 2015", made_decoder<RnnDecoder>, true};

}  // namespace fovea
