#include "tasks/transduce.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/utf8.h"
#include "data/features.h"
#include "models/encoder.h"
#include "models/generator.h"

namespace fovea {

namespace {

Vocabulary count_features(std::span<const Example> examples) {
  SymbolCounts counts;
  for (const Example& example : examples) {
    for (const std::string_view feature : split_features(example.features)) counts.add(feature);
  }
  return Vocabulary(counts);
}

// The symbol that steps to the next position, so frequent that it is the vocabulary's first.
constexpr std::string_view step_symbol = "<next step>";  // no word has a space inside
constexpr std::int64_t more_than_any = std::int64_t(1) << 60;

bool writes_actions(const Config& config) {
  return attends(config.model) && config.model.attention.select == "actions";
}

Tokenizers learn_tokenizers(const Config& config, std::span<const Example> examples) {
  const auto learn = [&](const SideOptions& side, std::string Example::* text) {
    std::vector<std::string_view> texts;
    if (tokenizer_kind(side.tokenizer).learns) {
      for (const Example& example : examples) texts.push_back(example.*text);
    }
    return learn_tokenizer(side.tokenizer, texts);
  };
  return {learn(config.source, &Example::source), learn(config.target, &Example::target)};
}

LexiconIds look_up(const Lexicon& lexicon, const Vocabulary& source, const Vocabulary& target) {
  LexiconIds ids(static_cast<std::size_t>(source.size()));
  for (int symbol = Vocabulary::first_symbol; symbol < source.size(); ++symbol) {
    for (const Lexicon::Entry& entry : lexicon.of(source.text(symbol))) {
      const int known = target.encode(entry.target);
      if (known == Vocabulary::unknown) continue;
      ids[static_cast<std::size_t>(symbol)].emplace_back(known, static_cast<float>(entry.probability));
    }
    double sum = 0;
    for (const auto& [known, share] : ids[static_cast<std::size_t>(symbol)]) sum += static_cast<double>(share);
    for (auto& [known, share] : ids[static_cast<std::size_t>(symbol)]) {
      share = static_cast<float>(static_cast<double>(share) / std::max(1.0, sum));  // together at most one
    }
  }
  return ids;
}

}  // namespace

// What the training data says of symbols, each line cut once.
struct Transduce::Counted {
  Tokenizers tokenizers;
  SymbolCounts source;
  SymbolCounts target;
  Vocabulary features;
  TrainedLengths lengths = {};
};

Transduce::Counted Transduce::count(const Config& config, std::span<const Example> examples) {
  Counted counted{learn_tokenizers(config, examples), {}, {}, count_features(examples)};
  if (writes_actions(config)) counted.target.add(step_symbol, more_than_any);
  const auto add = [](const Tokenizer& tokenizer, std::string_view text, SymbolCounts& counts) {
    const auto tokens = tokenizer.cut(text);
    for (const Token& token : tokens) counts.add(token.text);
    return static_cast<int>(tokens.size());
  };
  TrainedLengths& lengths = counted.lengths;
  for (const Example& example : examples) {
    const int read = add(*counted.tokenizers.source, example.source, counted.source);
    const int written = add(*counted.tokenizers.target, example.target, counted.target);
    lengths.longest_source = std::max(lengths.longest_source, read);
    lengths.longest_target = std::max(lengths.longest_target, written);
    lengths.largest_ratio = std::max(lengths.largest_ratio, static_cast<double>(written) / std::max(read, 1));
  }
  return counted;
}

Transduce::Transduce(const Config& config, Counted counted)
    : Transduce(config,
                {Vocabulary(counted.source, {config.source.min_count, config.source.max_symbols}),
                 Vocabulary(counted.target, {config.target.min_count, config.target.max_symbols}),
                 std::move(counted.features)},
                {}, counted.lengths, std::move(counted.tokenizers)) {}

Transduce::Transduce(const Config& config, std::span<const Example> examples, const Lexicon* lexicon)
    : Transduce(config, count(config, examples)) {
  if (looks_up_ && !lexicon) {
    throw usage_error(
        "generator.kind = {} needs a lexicon; give one with `lexicon` F (source<TAB>target<TAB>probability)",
        config.model.generator.kind);
  }
  if (looks_up_) lexicon_ = look_up(*lexicon, source_, target_);
  if (!acts_) return;
  std::vector<std::pair<Symbols, Symbols>> encoded;
  for (const Example& e : examples) {
    encoded.emplace_back(encode_source(e.source).symbols, encode_target(e.target));
  }
  std::vector<SymbolPair> pairs;
  for (const auto& [source, target] : encoded) pairs.push_back({source, target});
  aligner_ = std::make_shared<Aligner>(pairs, source_.size(), target_.size());
}

Transduce::Transduce(const Config& config, Vocabularies vocabularies, LexiconIds lexicon,
                     std::optional<TrainedLengths> lengths, Tokenizers tokenizers)
    : tokenizers_(std::move(tokenizers)),
      columns_(config.columns),
      acts_(writes_actions(config)),
      positions_are_symbols_(keeps_positions(config.model.encoder)),
      copies_(generators().find(config.model.generator.kind).traits.copies),
      looks_up_(generators().find(config.model.generator.kind).traits.lexicon),
      both_ways_(config.model.objective.agreement > 0),
      supervised_(config.model.objective.supervised > 0),
      smoothing_(config.model.objective.supervised_smoothing),
      source_(std::move(vocabularies.source)),
      target_(std::move(vocabularies.target)),
      features_(std::move(vocabularies.features)),
      lexicon_(std::move(lexicon)),
      lengths_(lengths) {
  if (!tokenizers_.source) tokenizers_.source = make_tokenizer(config.source.tokenizer);
  if (!tokenizers_.target) tokenizers_.target = make_tokenizer(config.target.tokenizer);
  const AttentionOptions& attention = config.model.attention;
  if (both_ways_ && reads_features()) {
    throw usage_error(
        "objective.agreement with a column of features: they are read in one direction only; leave one out");
  }
  if (attends(config.model) && (attention.score == "location" || attention.score == "flat")) {
    most_source_symbols_ = attention.positions - 1;  // and the stop symbol
  }
}

SourceIds Transduce::encode_source(std::string_view text, std::string_view features) const {
  SourceIds ids;
  if (reads_features()) {
    ids.features = features;
    for (const std::string_view feature : split_features(features)) {
      ids.feature_symbols.push_back(features_.encode(feature));
    }
  }
  const auto tokens = tokenizers_.source->cut(text);
  if (tokens.empty()) return {};
  for (const Token& token : tokens) {
    ids.symbols.push_back(source_.encode(token.text));
    if (!copies_) continue;
    std::int32_t symbol = target_.encode(token.text);
    if (symbol == Vocabulary::unknown && !find_control(token.text)) {
      const auto found = std::ranges::find(ids.unknown, token.text);
      symbol = target_.size() + static_cast<std::int32_t>(found - ids.unknown.begin());
      if (found == ids.unknown.end()) ids.unknown.emplace_back(token.text);
    }
    ids.copies.push_back(symbol);
  }
  return ids;
}

Symbols Transduce::encode_tokens(std::span<const Token> tokens) const {
  Symbols symbols;
  for (const Token& token : tokens) symbols.push_back(target_.encode(token.text));
  return symbols;
}

Symbols Transduce::encode_target(std::string_view text) const { return encode_tokens(tokenizers_.target->cut(text)); }

Encoding Transduce::encode(const Example& example) const {
  const auto tokens = tokenizers_.target->cut(example.target);
  Encoding encoding{encode_source(example.source, example.features), encode_tokens(tokens), {}};
  if (copies_) {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (encoding.target[i] != Vocabulary::unknown) continue;
      const auto found = std::ranges::find(encoding.source.unknown, tokens[i].text);
      if (found == encoding.source.unknown.end()) continue;
      encoding.target[i] = target_.size() + static_cast<std::int32_t>(found - encoding.source.unknown.begin());
    }
  }
  if (aligner_) encoding.target = with_steps(encoding);
  if (!example.alignment.empty()) {
    try {
      encoding.links = parse_links(example.alignment, encoding.source.size(), static_cast<int>(encoding.target.size()));
    } catch (const Error& e) {
      throw data_error("line {}: {}", example.line, e.what());
    }
  }
  return encoding;
}

// Each target symbol after the steps that lead to where it comes from, and at the end those that lead to the source's.
Symbols Transduce::with_steps(const Encoding& encoding) const {
  Symbols actions;
  int at = 0;
  const auto go_to = [&](int position) {
    for (; at < position; ++at) actions.push_back(Vocabulary::step);
  };
  Symbols known = encoding.target;  // to the aligner a symbol to be copied is unknown
  std::ranges::replace_if(known, [&](std::int32_t symbol) { return symbol >= target_.size(); }, Vocabulary::unknown);
  for (const Link& link : aligner_->align({encoding.source.symbols, known})) {
    go_to(link.source);
    actions.push_back(encoding.target[static_cast<std::size_t>(link.target)]);
  }
  go_to(encoding.source.size());
  return actions;
}

void Transduce::check_columns(const Columns& columns) const {
  if (reads_features() == columns.has("features")) return;
  if (reads_features()) throw usage_error("columns {}: this model reads features; name their column", columns.text());
  throw usage_error("columns {}: this model reads no features; call that column skip", columns.text());
}

std::string_view Transduce::unknown_feature(const SourceIds& source) const {
  for (const std::string_view feature : split_features(source.features)) {
    if (features_.encode(feature) == Vocabulary::unknown) return feature;
  }
  return {};
}

void Transduce::fill_copy_map(std::span<const SourceIds* const> sources, Side& side) const {
  CopyMap& links = side.copy_map;
  links.starts.assign(1, 0);
  links.symbols.clear();
  links.shares.clear();
  std::size_t unknown = 0;
  for (const SourceIds* source : sources) unknown = std::max(unknown, source->unknown.size());
  links.width = target_.size() + static_cast<int>(unknown);
  const auto link = [&](std::int32_t symbol, float share) {
    links.symbols.push_back(symbol);
    links.shares.push_back(static_cast<Real>(share));
  };
  for (int i = 0; i < side.length; ++i) {
    for (const SourceIds* source : sources) {
      const auto at = static_cast<std::size_t>(i);
      if (at == source->symbols.size()) {
        link(Vocabulary::stop, 1);  // one end stands for the other
      } else if (at < source->symbols.size() && copies_) {
        link(source->copies[at], 1);
      } else if (at < source->symbols.size() && !lexicon_.empty()) {
        for (const auto& [symbol, share] : lexicon_[static_cast<std::size_t>(source->symbols[at])]) link(symbol, share);
      }
      links.starts.push_back(static_cast<std::int32_t>(links.symbols.size()));
    }
  }
}

void Transduce::fill_source(std::span<const SourceIds* const> sources, Side& side) const {
  std::vector<std::span<const std::int32_t>> rows;
  for (const SourceIds* source : sources) rows.emplace_back(source->symbols);
  fill_side(rows, {.pad = Vocabulary::pad, .last = Vocabulary::stop}, side);
  if (copies_ || looks_up_) fill_copy_map(sources, side);
  if (reads_features()) fill_features(sources, side.features);
}

void Transduce::fill_features(std::span<const SourceIds* const> sources, FeatureIds& features) const {
  features.batch = static_cast<int>(sources.size());
  features.length = 1;  // at least one, if only a pad
  for (const SourceIds* source : sources) {
    features.length = std::max(features.length, static_cast<int>(source->feature_symbols.size()));
  }
  const std::size_t cells = static_cast<std::size_t>(features.length) * sources.size();
  features.ids.assign(cells, Vocabulary::pad);
  features.real.assign(cells, 0);
  for (std::size_t b = 0; b < sources.size(); ++b) {
    for (std::size_t i = 0; i < sources[b]->feature_symbols.size(); ++i) {
      features.ids[i * sources.size() + b] = sources[b]->feature_symbols[i];
      features.real[i * sources.size() + b] = 1;
    }
  }
}

// Each target symbol's links share its weight; the ends belong together.
void Transduce::fill_alignment(std::span<const Encoding* const> examples, Batch& batch) const {
  const int batch_size = batch.source.batch, positions = batch.source.length;
  batch.alignment.assign(static_cast<std::size_t>(batch.targets.length) * batch_size * positions, Real(0));
  for (int b = 0; b < batch_size; ++b) {
    const Encoding& example = *examples[static_cast<std::size_t>(b)];
    const auto cell = [&](int step, int position) -> Real& {
      return batch.alignment[(static_cast<std::size_t>(step) * batch_size + b) * positions + position];
    };
    if (example.links.empty()) continue;
    std::vector<int> counts(example.target.size(), 0);
    for (const Link& link : example.links) ++counts[static_cast<std::size_t>(link.target)];
    for (const Link& link : example.links) {
      cell(link.target, link.source) = Real(1) / Real(counts[static_cast<std::size_t>(link.target)]);
    }
    for (std::size_t t = 0; t < counts.size() && smoothing_ > 0; ++t) {
      if (counts[t] == 0) continue;
      for (int i = 0; i <= example.source.size(); ++i) {
        Real& wanted = cell(static_cast<int>(t), i);
        wanted = static_cast<Real>((1 - smoothing_) * static_cast<double>(wanted) +
                                   smoothing_ / (example.source.size() + 1));
      }
    }
    cell(static_cast<int>(example.target.size()), example.source.size()) = 1;
  }
}

void Transduce::fill_batch(std::span<const Encoding* const> examples, Batch& batch) const {
  std::vector<const SourceIds*> sources;
  std::vector<std::span<const std::int32_t>> source_rows, targets;
  for (const Encoding* example : examples) {
    sources.push_back(&example->source);
    source_rows.emplace_back(example->source.symbols);
    targets.emplace_back(example->target);
  }
  fill_source(sources, batch.source);
  fill_side(targets, {.pad = Vocabulary::pad, .first = Vocabulary::start}, batch.previous);
  fill_side(targets, {.pad = Vocabulary::pad, .last = Vocabulary::stop}, batch.targets);
  if (supervised_) fill_alignment(examples, batch);
  if (both_ways_) {
    fill_side(targets, {.pad = Vocabulary::pad, .last = Vocabulary::stop}, batch.reverse_source);
    fill_side(source_rows, {.pad = Vocabulary::pad, .first = Vocabulary::start}, batch.reverse_previous);
    fill_side(source_rows, {.pad = Vocabulary::pad, .last = Vocabulary::stop}, batch.reverse_targets);
  }
}

int Transduce::most_steps(int source_symbols, int max_output) const {
  constexpr double most = 10'000'000;
  double symbols = max_output;
  if (max_output == 0 && lengths_) {
    const double read = source_symbols, longest = std::max(1, lengths_->longest_source);
    const double by_length = lengths_->longest_target * std::max(1.0, read / longest);
    symbols = 1.5 * std::min(lengths_->largest_ratio * read, by_length) + 10;
  } else if (max_output == 0) {
    symbols = 2.0 * source_symbols + 50;
  }
  return static_cast<int>(std::min(most, std::ceil(symbols))) + (acts_ ? source_symbols : 0) + 1;
}

SearchSymbols Transduce::search_symbols() const {
  SearchSymbols symbols = {.start = Vocabulary::start,
                           .stop = Vocabulary::stop,
                           .never = {Vocabulary::pad, Vocabulary::unknown, Vocabulary::start}};
  if (acts_) symbols.silent = Vocabulary::step;
  return symbols;
}

std::string Transduce::symbol_text(std::int32_t symbol, const SourceIds& source) const {
  if (symbol < target_.size()) return target_.text(symbol);
  const auto index = static_cast<std::size_t>(symbol - target_.size());
  return index < source.unknown.size() ? source.unknown[index] : target_.text(Vocabulary::unknown);
}

std::string Transduce::target_text(std::span<const std::int32_t> symbols, const SourceIds& source) const {
  std::vector<std::string> tokens;
  for (const std::int32_t symbol : symbols) {
    if (!acts_ || symbol != Vocabulary::step) tokens.push_back(symbol_text(symbol, source));
  }
  return tokenizers_.target->join(tokens);
}

std::string Transduce::replacement(const StepExplanation& step, const std::vector<SourceToken>& tokens,
                                   const Lexicon* dictionary) const {
  if (step.looks.empty()) return target_.text(Vocabulary::unknown);
  std::vector<double> weights;
  for (const SourceToken& token : tokens) {  // the stop symbol has no place in the text: no word
    weights.push_back(token.start < token.end ? 0 : -std::numeric_limits<double>::infinity());
  }
  for (const auto& look : step.looks) {
    for (std::size_t i = 0; i < std::min(weights.size(), look.weights.size()); ++i) {
      weights[i] += static_cast<double>(look.weights[i]);
    }
  }
  const std::string& word = tokens[static_cast<std::size_t>(std::ranges::max_element(weights) - weights.begin())].text;
  if (find_control(word)) return printable(word);
  if (!dictionary) return word;
  const auto entries = dictionary->of(word);
  const auto best = std::ranges::max_element(entries, {}, &Lexicon::Entry::probability);
  return best == entries.end() ? word : best->target;
}

Output Transduce::output(const std::string& text, const SourceIds& source, std::span<const Answer> answers,
                         const Lexicon* dictionary) const {
  Output out;
  out.source_text = text;
  out.features = source.features;
  for (const Token& token : tokenizers_.source->cut(text)) {
    out.source.push_back({std::string(token.text), token.start, token.end});
  }
  const int end = out.source.empty() ? 0 : out.source.back().end;
  out.source.push_back({source_.text(Vocabulary::stop), end, end});
  if (answers.empty()) return out;
  for (std::size_t i = 0; i < std::min(out.source.size(), answers[0].read.size()); ++i) {
    out.source[i].read = answers[0].read[i] != 0;
  }
  for (const Answer& answer : answers) {
    std::vector<std::string> tokens;
    for (std::size_t i = 0; i < answer.symbols.size(); ++i) {
      if (acts_ && answer.symbols[i] == Vocabulary::step) continue;
      const bool replaced = answer.symbols[i] == Vocabulary::unknown && i < answer.steps.size();
      tokens.push_back(replaced ? replacement(answer.steps[i], out.source, dictionary)
                                : symbol_text(answer.symbols[i], source));
    }
    out.nbest.push_back({tokenizers_.target->join(tokens), answer.score, answer.finished});
  }
  const Answer& best = answers[0];
  out.text = out.nbest[0].text;
  out.score = best.score;
  out.finished = best.finished;
  out.abstained = best.abstained;
  if (out.abstained) out.text.clear();
  for (std::size_t i = 0; i < best.steps.size(); ++i) {
    const StepExplanation& step = best.steps[i];
    OutputStep shown;
    shown.token = symbol_text(i < best.symbols.size() ? best.symbols[i] : Vocabulary::stop, source);
    shown.probability = step.probability;
    if (step.gate) shown.copy_gate = 1 - *step.gate;
    for (const auto& [symbol, probability] : step.alternatives) {
      shown.alternatives.push_back({symbol_text(symbol, source), probability});
    }
    for (const auto& look : step.looks) {
      if (!positions_are_symbols_) break;  // nothing to write beside the columns
      // The batch may be wider than this source.
      const auto real = static_cast<std::ptrdiff_t>(std::min(look.weights.size(), out.source.size()));
      shown.looks.push_back({{look.scores.begin(), look.scores.begin() + real},
                             {look.weights.begin(), look.weights.begin() + real},
                             look.context_norm});
      if (i == 0) out.maps.push_back({look.layer, look.head, "source"});
    }
    out.steps.push_back(std::move(shown));
  }
  if (out.steps.empty()) return out;
  const auto beyond = [](std::size_t all, std::size_t kept) { return all - std::min(all, kept); };
  out.left_out.steps = beyond(best.symbols.size() + (best.finished ? 1 : 0), out.steps.size());
  if (out.maps.empty()) return out;
  out.left_out.maps = beyond(best.maps, out.maps.size());
  out.left_out.positions = beyond(out.source.size(), out.steps[0].looks[0].weights.size());
  out.source.resize(out.source.size() - out.left_out.positions);
  return out;
}

}  // namespace fovea
