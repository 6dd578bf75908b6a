#include "tasks/task.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/as_size.h"
#include "base/utf8.h"
#include "data/features.h"
#include "models/encoder.h"
#include "models/generator.h"

namespace fovea {

namespace {

// The symbol that steps to the next position, so frequent that it is the vocabulary's first.
constexpr std::string_view step_text = "<next step>";  // no word has a space inside
constexpr std::int64_t more_than_any = std::int64_t(1) << 60;

LexiconIds look_up(const Lexicon& lexicon, const Vocabulary& source, const Vocabulary& target) {
  LexiconIds ids(as_size(source.size()));
  for (int symbol = Vocabulary::first_symbol; symbol < source.size(); ++symbol) {
    for (const Lexicon::Entry& entry : lexicon.of(source.text(symbol))) {
      const int known = target.encode(entry.target);
      if (known == Vocabulary::unknown) continue;
      ids[as_size(symbol)].emplace_back(known, static_cast<float>(entry.probability));
    }
    double sum = 0;
    for (const auto& [known, share] : ids[as_size(symbol)]) sum += static_cast<double>(share);
    for (auto& [known, share] : ids[as_size(symbol)]) {
      share = static_cast<float>(static_cast<double>(share) / std::max(1.0, sum));  // together at most one
    }
  }
  return ids;
}

// Sources of the options they have, each with the cells of its column.
std::vector<SourcePtr> learn_sources(const Config& config, std::span<const Example> examples,
                                     const Task::Learned* known, std::vector<int>& positions) {
  std::vector<SourcePtr> learned;
  const auto options = config.sources();
  check(!known || known->sources.size() == options.size(), "other sources than those that are known");
  positions.assign(examples.size(), 0);
  for (std::size_t i = 0; i < options.size(); ++i) {
    std::vector<SourceCell> cells;
    for (const Example& example : examples) {
      cells.emplace_back(i == 0 ? example.source : example.others[i - 1], NamedFiles{.folder = example.folder()});
    }
    std::vector<int> lengths;
    try {
      learned.push_back(known ? extend_source(known->sources[i], *options[i], cells, lengths)
                              : sources().find(options[i]->kind).learn(*options[i], cells, lengths));
    } catch (const Error& e) {  // at the first cell whose length is not known
      if (e.kind() != ErrorKind::data || lengths.size() >= examples.size()) throw;
      throw data_error("{}: {}", place_of(examples[lengths.size()]), e.what());
    }
    for (std::size_t e = 0; e < examples.size(); ++e) positions[e] += lengths[e];
  }
  return learned;
}

// Symbols stand by falling count. Of what is added to known ones nobody knows how often these were seen.
void learn_symbols(const SymbolCounts& counts, const Config& config, const Task::Learned* known,
                   Task::Learned& learned) {
  constexpr std::int64_t rare = 10;
  const VocabularyOptions options = {config.target.min_count, config.target.max_symbols};
  learned.target = known ? known->target.extended(counts, options) : Vocabulary(counts, options);
  if (known) return;
  int first = Vocabulary::first_symbol;
  while (first < learned.target.size() && counts.of(learned.target.text(first)) >= rare) ++first;
  learned.first_rare = first;
}

SourcePtr learn_features(std::span<const Example> examples, const Task::Learned* known) {
  std::vector<SourceCell> cells;
  for (const Example& example : examples) cells.emplace_back(example.features);
  std::vector<int> lengths;
  if (known) return extend_source(known->features, {}, cells, lengths);
  return sources().find("features").learn({}, cells, lengths);
}

// From the targets, which have so many symbols each.
void learn_target(const Config& config, std::span<const Example> examples, const Task::Learned* known,
                  Task::Learned& learned, std::vector<int>& lengths) {
  std::vector<SourceCell> targets;
  for (const Example& example : examples) targets.emplace_back(example.target);
  learned.target_tokenizer =
      known ? known->target_tokenizer : learn_tokenizer(config.target.tokenizer, texts_of(targets));
  SymbolCounts counts =
      count_symbols(targets, [&](std::string_view target) { return learned.target_tokenizer->cut(target); }, lengths);
  if (fovea::acts(config.model)) counts.add(step_text, more_than_any);
  learn_symbols(counts, config, known, learned);
}

// Both from sources and targets together.
void learn_shared(const Config& config, std::span<const Example> examples, const Task::Learned* known,
                  Task::Learned& learned, std::vector<int>& read, std::vector<int>& written) {
  std::vector<SourceCell> cells;
  for (const Example& example : examples) cells.emplace_back(example.source);
  for (const Example& example : examples) cells.emplace_back(example.target);
  const TokenizerPtr tokenizer =
      known ? known->target_tokenizer : learn_tokenizer(config.target.tokenizer, texts_of(cells));
  SymbolCounts counts = count_symbols(cells, [&](std::string_view cell) { return tokenizer->cut(cell); }, read);
  written.assign(read.begin() + static_cast<std::ptrdiff_t>(examples.size()), read.end());
  read.resize(examples.size());
  if (fovea::acts(config.model)) counts.add(step_text, more_than_any);
  learn_symbols(counts, config, known, learned);
  learned.target_tokenizer = tokenizer;
  learned.sources = {std::make_shared<TextSource>(tokenizer, learned.target)};
}

const Vocabulary& no_symbols() {
  static const Vocabulary none = Vocabulary(SymbolCounts());
  return none;
}

const Vocabulary& symbols_of(const SourcePtr& source) {
  const SymbolSource* symbols = source ? source->as_symbols() : nullptr;
  return symbols ? symbols->vocabulary() : no_symbols();
}

}  // namespace

int Reading::size() const {
  int length = 0;
  for (const SourceData& source : sources) length += source.length;
  return length;
}

int Reading::positions() const { return size() + static_cast<int>(sources.size()); }

Task::Learned Task::learn(const Config& config, std::span<const Example> examples, const Lexicon* lexicon,
                          const Learned* known) {
  check_task(config);
  Learned learned;
  std::vector<int> read, written;
  if (config.shared_vocabulary) {
    learn_shared(config, examples, known, learned, read, written);
  } else {
    learned.sources = learn_sources(config, examples, known, read);
    learn_target(config, examples, known, learned, written);
  }
  if (Columns(config.columns).has("features")) learned.features = learn_features(examples, known);
  if (known) learned.lengths = known->lengths;
  TrainedLengths& lengths = learned.lengths ? *learned.lengths : learned.lengths.emplace();
  for (std::size_t i = 0; i < examples.size(); ++i) {
    lengths.longest_source = std::max(lengths.longest_source, read[i]);
    lengths.longest_target = std::max(lengths.longest_target, written[i]);
    lengths.largest_ratio = std::max(lengths.largest_ratio, static_cast<double>(written[i]) / std::max(read[i], 1));
  }
  if (!generators().find(config.model.generator.kind).traits.lexicon) return learned;
  const Vocabulary& source = symbols_of(learned.sources.at(0));
  if (lexicon) {
    learned.lexicon = look_up(*lexicon, source, learned.target);
  } else if (known && !known->lexicon.empty()) {
    learned.lexicon = known->lexicon;
    learned.lexicon.resize(as_size(source.size()));
  } else {
    throw usage_error(
        "generator.kind = {} needs a lexicon; give one with `lexicon` F (source<TAB>target<TAB>probability)",
        config.model.generator.kind);
  }
  return learned;
}

Task::Task(const Config& config, std::span<const Example> examples, const Lexicon* lexicon, const Learned* known)
    : Task(config, learn(config, examples, lexicon, known)) {
  if (!acts_) return;
  std::vector<std::pair<Symbols, Symbols>> encoded;
  for (const Example& e : examples) {
    encoded.emplace_back(learned_.sources.at(0)->encode(e.source).symbols, encode_target(e.target));
  }
  std::vector<SymbolPair> pairs;
  for (const auto& [source, target] : encoded) pairs.push_back({source, target});
  aligner_ = std::make_shared<Aligner>(pairs, source().size(), target().size());
}

Task::Task(const Config& config, Learned learned)
    : traits_(task_kinds().find(config.task).traits),
      columns_(config.columns),
      acts_(fovea::acts(config.model)),
      copies_(generators().find(config.model.generator.kind).traits.copies),
      looks_up_(generators().find(config.model.generator.kind).traits.lexicon),
      shows_positions_(fovea::shows_positions(config.model.encoder)),
      keeps_positions_(fovea::keeps_positions(config.model.encoder)),
      objective_(config.model.objective),
      learned_(std::move(learned)) {
  check_task(config);
  const AttentionOptions& attention = config.model.attention;
  if (attends(config.model) && scores().find(attention.score).traits.counts_positions) {
    // Each source is closed by a position of its own. It may be no more than all together where each has its own.
    max_source_symbols_ = std::max(1, attention.positions - static_cast<int>(learned_.sources.size()));
  }
}

const Vocabulary& Task::source() const {
  return learned_.sources.empty() ? no_symbols() : symbols_of(learned_.sources[0]);
}

const Vocabulary& Task::features() const { return symbols_of(learned_.features); }

// What each position is among the target's symbols, the one that closes the source last.
void Task::add_copies(std::span<const std::string_view> texts, Reading& reading) const {
  for (const std::string_view text : texts) {
    std::int32_t symbol = target().encode(text);
    if (symbol == Vocabulary::unknown && !find_control(text)) {
      const auto found = std::ranges::find(reading.unknown, text);
      symbol = target().size() + static_cast<std::int32_t>(found - reading.unknown.begin());
      if (found == reading.unknown.end()) reading.unknown.emplace_back(text);
    }
    reading.copies.push_back(symbol);
  }
  reading.copies.push_back(Vocabulary::stop);  // one end stands for the other
}

Reading Task::encode_source(std::string_view text, std::string_view features, std::span<const std::string> others,
                            const NamedFiles& files, bool shown) const {
  Reading reading;
  if (reads_features()) {
    reading.features = features;
    reading.feature_symbols = learned_.features->encode(features).symbols;
  }
  for (std::size_t i = 0; i < learned_.sources.size(); ++i) {
    const Source& source = *learned_.sources[i];
    const std::string_view cell = i == 0 ? text : i <= others.size() ? std::string_view(others[i - 1]) : "";
    const SymbolSource* symbols = source.as_symbols();
    const std::vector<Token> tokens = symbols ? symbols->cut(cell) : std::vector<Token>();
    reading.sources.push_back(symbols ? symbols->encode_tokens(tokens) : source.encode({cell, files}));
    if (shown) reading.sources.back().shown = source.positions(reading.sources.back(), tokens);
    if (!copies_) continue;
    std::vector<std::string> numbers;
    std::vector<std::string_view> texts;
    for (int p = 0; p < reading.sources.back().length && traits_.positions; ++p) {
      numbers.push_back(std::to_string(reading.copies.size() - i + 1 + as_size(p)));
    }
    for (const Token& token : tokens) texts.push_back(token.text);
    if (traits_.positions) texts.assign(numbers.begin(), numbers.end());
    add_copies(texts, reading);
  }
  reading.no_source = !traits_.reads;
  if (reading.empty()) return {std::vector<SourceData>(learned_.sources.size())};
  return reading;
}

Symbols Task::encode_tokens(std::span<const Token> tokens) const {
  Symbols symbols;
  for (const Token& token : tokens) symbols.push_back(target().encode(token.text));
  return symbols;
}

Symbols Task::encode_target(std::string_view text) const { return encode_tokens(target_tokenizer().cut(text)); }

// Whether an answer could be this.
void Task::check_target(const Example& example, const Encoding& encoding) const {
  if (!traits_.positions) return;
  int position = 0;
  const char* end = example.target.data() + example.target.size();
  const auto [read, problem] = std::from_chars(example.target.data(), end, position);
  const bool number = problem == std::errc() && read == end && example.target == std::to_string(position);
  if (number && position >= 1 && position <= encoding.source.size()) return;
  throw data_error("the target \"{}\" is not a position of the source, a number from 1 to {}",
                   beginning(example.target), encoding.source.size());
}

Encoding Task::encode(const Example& example, const NamedFiles& files, bool shown) const {
  try {
    return encode_cells(example, files, shown);
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::data || example.line == 0) throw;
    throw data_error("{}: {}", place_of(example), e.what());
  }
}

Encoding Task::encode_cells(const Example& example, const NamedFiles& files, bool shown) const {
  const auto tokens = target_tokenizer().cut(example.target);
  Encoding encoding;
  encoding.source = encode_source(example.source, example.features, example.others, files, shown);
  encoding.target = encode_tokens(tokens);
  check_target(example, encoding);
  if (copies_) {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (encoding.target[i] != Vocabulary::unknown) continue;
      const auto found = std::ranges::find(encoding.source.unknown, tokens[i].text);
      if (found == encoding.source.unknown.end()) continue;
      encoding.target[i] = target().size() + static_cast<std::int32_t>(found - encoding.source.unknown.begin());
    }
  }
  if (aligner_) encoding.target = with_steps(encoding);
  if (!example.alignment.empty()) {
    encoding.links =
        parse_links(example.alignment, encoding.source.sources.at(0).length, static_cast<int>(encoding.target.size()));
  }
  return encoding;
}

// Each target symbol after the steps that lead to where it comes from, and at the end those that lead to the source's.
Symbols Task::with_steps(const Encoding& encoding) const {
  Symbols actions;
  int at = 0;
  const auto go_to = [&](int position) {
    for (; at < position; ++at) actions.push_back(step_action);
  };
  Symbols known = encoding.target;  // to the aligner a symbol to be copied is unknown
  std::ranges::replace_if(known, [&](std::int32_t symbol) { return symbol >= target().size(); }, Vocabulary::unknown);
  for (const Link& link : aligner_->align({encoding.source.sources[0].symbols, known})) {
    go_to(link.source);
    actions.push_back(encoding.target[as_size(link.target)]);
  }
  go_to(encoding.source.size());
  return actions;
}

void Task::check_columns(const Columns& columns) const {
  if (columns.sources() != columns_.sources()) {
    throw usage_error("columns {}: this model reads {}", columns.text(), columns_.question_form());
  }
  if (reads_features() == columns.has("features")) return;
  if (reads_features()) throw usage_error("columns {}: this model reads features; name their column", columns.text());
  throw usage_error("columns {}: this model reads no features; call that column skip", columns.text());
}

std::string_view Task::unknown_feature(const Reading& source) const {
  for (const std::string_view feature : split_features(source.features)) {
    if (features().encode(feature) == Vocabulary::unknown) return feature;
  }
  return {};
}

int Task::max_steps(const Reading& source, int max_output) const {
  if (traits_.one_step) return 1;
  constexpr double most = 10'000'000;
  const auto& lengths = learned_.lengths;
  double symbols = max_output;
  if (max_output == 0 && !traits_.reads) {
    symbols = lengths ? lengths->longest_target : 1000;
  } else if (max_output == 0 && lengths) {
    const double read = source.size(), longest = std::max(1, lengths->longest_source);
    const double by_length = lengths->longest_target * std::max(1.0, read / longest);
    symbols = 1.5 * std::min(lengths->largest_ratio * read, by_length) + 10;
  } else if (max_output == 0) {
    symbols = 2.0 * source.size() + 50;
  }
  return static_cast<int>(std::min(most, std::ceil(symbols))) + (acts_ ? source.size() : 0) +
         static_cast<int>(source.prefix.size()) + 1;
}

SearchSymbols Task::search_symbols() const {
  SearchSymbols symbols = {.start = Vocabulary::start,
                           .stop = Vocabulary::stop,
                           .never = {Vocabulary::pad, Vocabulary::unknown, Vocabulary::start}};
  if (acts_) symbols.silent = step_action;
  symbols.one_step = traits_.one_step;
  if (traits_.one_step) symbols.never.push_back(Vocabulary::stop);
  return symbols;
}

std::string Task::symbol_text(std::int32_t symbol, const Reading& source) const {
  if (symbol < target().size()) return target().text(symbol);
  const auto index = as_size(symbol - target().size());
  return index < source.unknown.size() ? source.unknown[index] : target().text(Vocabulary::unknown);
}

std::vector<std::string> Task::written(std::span<const std::int32_t> symbols, const Reading& source,
                                       std::string_view target) const {
  const std::vector<Token> given = target_tokenizer().cut(target);
  std::vector<std::string> texts;
  std::size_t at = 0;  // of those given, which have no steps between them
  for (const std::int32_t symbol : symbols) {
    const bool unknown = symbol == Vocabulary::unknown && at < given.size();
    texts.push_back(unknown ? std::string(given[at].text) : symbol_text(symbol, source));
    if (!acts_ || symbol != step_action) ++at;
  }
  return texts;
}

std::string Task::target_text(std::span<const std::int32_t> symbols, const Reading& source) const {
  std::vector<std::string> tokens;
  for (const std::int32_t symbol : symbols) {
    if (!acts_ || symbol != step_action) tokens.push_back(symbol_text(symbol, source));
  }
  return target_tokenizer().join(tokens);
}

}  // namespace fovea
