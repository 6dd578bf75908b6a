#include "tasks/defaults.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "attention/mechanism.h"
#include "base/as_size.h"
#include "base/counted.h"
#include "data/columns.h"
#include "data/tokenizer.h"
#include "models/decoder.h"
#include "tasks/task_kind.h"

namespace fovea {

namespace {

// One side of the data, cut in one way.
struct SideShape {
  double mean = 0;             // symbols a line
  std::int64_t symbols = 0;    // of all lines
  std::int64_t different = 0;  // of those
  double symbol_length = 0;    // characters, mean over the different ones
};

// What a tokenizer learns from so many lines tells well enough how many symbols all of them have.
constexpr std::size_t enough_lines = 2000;

constexpr int target_side = -1;  // sources have their numbers

const std::string& text_of(const Example& example, int side) {
  if (side == target_side) return example.target;
  return side == 0 ? example.source : example.others[as_size(side - 1)];
}

SideShape shape_of(std::span<const Example> examples, const std::string& setting, int side) {
  const std::size_t all = examples.size();
  std::vector<std::string_view> texts;
  if (tokenizer_kind(setting).learns) {
    examples = examples.first(std::min(all, enough_lines));
    for (const Example& example : examples) texts.push_back(text_of(example, side));
  }
  TokenizerPtr tokenizer;
  try {
    tokenizer = learn_tokenizer(setting, texts);
  } catch (const Error&) {  // said when it is learned in earnest; a model to begin from has its own
    tokenizer = make_tokenizer("word");
  }
  std::unordered_map<std::string_view, std::int64_t> counts;
  SideShape shape;
  for (const Example& example : examples) {
    for (const Token& token : tokenizer->cut(text_of(example, side))) {
      ++counts[token.text];
      ++shape.symbols;
    }
  }
  shape.mean = static_cast<double>(shape.symbols) / static_cast<double>(examples.size());
  if (examples.size() < all) shape.symbols = std::llround(shape.mean * static_cast<double>(all));
  shape.different = static_cast<std::int64_t>(counts.size());
  double characters = 0;
  for (const auto& [symbol, times] : counts) characters += static_cast<double>(count_characters(symbol));
  shape.symbol_length = characters / static_cast<double>(std::max<std::int64_t>(shape.different, 1));
  return shape;
}

// The lines to train on, each side cut once in each way that is asked for.
class CutLines {
 public:
  explicit CutLines(std::span<const Example> examples) : examples(examples) {}

  const SideShape& shape(const std::string& tokenizer, int side) {
    const auto [found, added] = shapes_.try_emplace({tokenizer, side});
    if (added) found->second = shape_of(examples, tokenizer, side);
    return found->second;
  }

  const std::span<const Example> examples;

 private:
  std::map<std::pair<std::string, int>, SideShape> shapes_;
};

constexpr std::int64_t small_set = 300;  // of symbols: an alphabet, whatever its letters look like

// Phones, notes, tags: a small set of short words, each met over and over.
bool is_alphabet_of_words(const SideShape& words) {
  return words.mean >= 2 && words.different <= small_set && words.symbol_length <= 5 &&
         words.symbols >= 20 * words.different;
}
// Captions, names of numbers: few words, so often met that hardly another will be wanted. Only what is written is
// chosen so: what people write to be read may have any word, and letters tell something of one never seen.
bool is_few_words(const SideShape& words) {
  return words.mean >= 2 && words.different <= small_set && words.symbols >= 50 * words.different;
}
bool is_sentences(const SideShape& words) { return words.mean >= 6 && words.different > small_set; }

// What is chosen for one side, for both.
Choice share(Choice choice) {
  const std::string setting = choice.name.substr(choice.name.find('.'));
  choice.settings = {"source" + setting, "target" + setting};
  choice.name = fmt::format("{}", fmt::join(choice.settings, ", "));
  return choice;
}

void choose_tokenizer(const std::string& side, const SideShape& words, std::vector<Choice>& choices) {
  if (is_alphabet_of_words(words)) {
    choices.push_back(
        {side + ".tokenizer",
         {side + ".tokenizer"},
         "word",
         fmt::format("{:.1f} short words a line, {} different ones: an alphabet", words.mean, words.different)});
  } else if (side == "target" && is_few_words(words)) {
    choices.push_back({side + ".tokenizer",
                       {side + ".tokenizer"},
                       "word",
                       fmt::format("{:.1f} words a line, but only {} different ones", words.mean, words.different)});
  } else if (is_sentences(words)) {
    choices.push_back({side + ".tokenizer",
                       {side + ".tokenizer"},
                       "word",
                       fmt::format("sentences, {:.1f} words a line", words.mean)});
  } else {
    choices.push_back(
        {side + ".tokenizer", {side + ".tokenizer"}, "char", fmt::format("{:.1f} words a line: strings", words.mean)});
  }
}

// What a source chooses by its own cells.
void choose_source(const std::string& name, const SourceOptions& options, std::span<const Example> training, int number,
                   std::vector<Choice>& choices) {
  std::vector<SourceCell> cells;
  for (const Example& example : training) {
    cells.emplace_back(text_of(example, number), NamedFiles{.folder = example.folder()});
  }
  std::vector<SourceChoice> chosen;
  try {
    chosen = sources().find(options.kind).choose(options, cells);
  } catch (const Error& e) {  // said, with the line, when the cells are read in earnest
    if (e.kind() != ErrorKind::data) throw;
  }
  for (const SourceChoice& choice : chosen) {
    const std::string setting = name + "." + choice.setting;
    choices.push_back({setting, {setting}, choice.value, choice.reason});
  }
}

std::vector<Choice> choose_tokenizers(const Config& config, CutLines& training) {
  const TaskKind& task = task_kinds().find(config.task);
  std::vector<Choice> choices;
  const auto names = Columns(config.columns).sources();
  for (int i = 0; i < std::ssize(names); ++i) {
    const std::string& name = names[as_size(i)];
    const SourceOptions& options = *config.sources()[as_size(i)];
    const SourceKind& kind = sources().find(options.kind);
    if (kind.choose) choose_source(name, options, training.examples, i, choices);
    if (!kind.tokenized || kind.choose || config.shared_vocabulary) continue;
    choose_tokenizer(name, training.shape("word", i), choices);
  }
  if (task.target_tokenizer.empty()) {
    choose_tokenizer("target", training.shape("word", target_side), choices);
    if (config.shared_vocabulary) choices.back() = share(choices.back());
  } else {
    choices.push_back({"target.tokenizer",
                       {"target.tokenizer"},
                       std::string(task.target_tokenizer),
                       fmt::format("task = {}: an answer is one symbol", task.name)});
  }
  if (task.traits.positions) {
    choices.push_back({"generator.kind", {"generator.kind"}, "pointer", "an answer is a position of the source"});
  }
  if (!task.traits.reads) {
    choices.push_back({"decoder.style", {"decoder.style"}, "plain", "there is no source to attend to"});
    choices.push_back({"decoder.bridge", {"decoder.bridge"}, "zero", "nor one to begin from"});
  }
  return choices;
}

std::vector<Choice> choose_encoder(const Config& config, CutLines&) {
  std::vector<Choice> choices;
  if (Columns(config.columns).sources().size() != 1) return choices;
  const SourceKind& kind = sources().find(config.source.kind);
  if (!kind.choose_encoder) return choices;
  for (const SourceChoice& choice : kind.choose_encoder(config.source)) {
    const std::string setting = "encoder." + choice.setting;
    choices.push_back({setting, {setting}, choice.value, choice.reason});
  }
  return choices;
}

// Words, pieces of them, or letters of a script that has so many: most of them come rarely.
bool has_many_symbols(const SideShape& shape) { return shape.different >= 2000; }

// Half of all words of a corpus stand in it once: nothing can be learned of them but that such words come.
void choose_vocabulary(const std::string& side, const std::string& tokenizer, const SideShape& shape,
                       std::vector<Choice>& choices) {
  if (tokenizer != "word" || !has_many_symbols(shape)) return;
  choices.push_back({side + ".min_count", {side + ".min_count"}, "2", counted(shape.different, "different word")});
}

std::int64_t power_of_two(double near) { return std::int64_t(1) << std::lround(std::log2(std::max(near, 1.0))); }

bool writes_sentences(const Config& config, const SideShape& target) {
  return config.target.tokenizer != "char" && is_sentences(target);
}

// Large data are learned by large models.
std::vector<Choice> choose_sizes(const Config& config, CutLines& training) {
  const std::size_t lines = training.examples.size();
  const bool sentences = writes_sentences(config, training.shape(config.target.tokenizer, target_side));
  const bool large = sentences || lines > 25000;
  const int size = large ? 256 : 128;
  return {
      {"sizes",
       {"encoder.size", "encoder.embedding", "attention.size", "decoder.size", "decoder.embedding", "generator.size"},
       std::to_string(size),
       fmt::format("{}{}", counted(static_cast<std::int64_t>(lines), "line"),
                   sentences     ? " of sentences"
                   : large       ? ""
                   : lines < 300 ? ": so few teach little, whatever the size"
                                 : ": it is enough for them, and quick")}};
}

// A long answer, or a sentence of several words, is hardly ever all right.
Choice choose_metric(const TaskKind& task, std::span<const Example> examples, bool sentences) {
  const auto of = [](std::string_view metric, std::string reason) {
    return Choice{"training.metric", {"training.metric"}, std::string(metric), std::move(reason)};
  };
  if (!task.metric.empty()) return of(task.metric, fmt::format("task = {}", task.name));
  double characters = 0;
  for (const Example& example : examples) characters += static_cast<double>(count_characters(example.target));
  characters /= static_cast<double>(examples.size());
  const std::string length = counted(std::round(characters), "character");
  if (task.traits.one_step) return of("exact", fmt::format("targets of {}", length));
  if (sentences) return of("chrf", fmt::format("targets are sentences of {}", length));
  return of(characters > 40 ? "chrf" : "exact", fmt::format("targets of {}", length));
}

// Small data are learned in small batches, with much dropout.
std::vector<Choice> choose_training(const Config& config, CutLines& training) {
  const SideShape& target = training.shape(config.target.tokenizer, target_side);
  const auto lines = std::ssize(training.examples);
  const bool sentences = writes_sentences(config, target);
  const bool unsteady = encoders().find(config.model.encoder.kind).starts_unsteadily ||
                        decoders().find(config.model.decoder.kind).starts_unsteadily;
  std::vector<Choice> choices;
  const auto choose = [&](const std::string& setting, const auto& value, std::string reason) {
    choices.push_back({setting, {setting}, fmt::format("{}", value), std::move(reason)});
  };
  const auto names = Columns(config.columns).sources();
  double read = 0;  // symbols a line
  bool all_text = true, many_read = false;
  for (int i = 0; i < std::ssize(names); ++i) {
    const SourceOptions& options = *config.sources()[as_size(i)];
    const bool tokenized = sources().find(options.kind).tokenized;
    all_text = all_text && tokenized;
    if (!tokenized) continue;
    const SideShape& source = training.shape(options.tokenizer, i);
    choose_vocabulary(names[as_size(i)], options.tokenizer, source, choices);
    many_read = many_read || has_many_symbols(source);
    read += source.mean + 1;
  }
  choose_vocabulary("target", config.target.tokenizer, target, choices);
  if (config.shared_vocabulary && !choices.empty()) choices = {share(choices.back())};
  const auto spread = [&](const std::string& part, bool many, bool stays) {
    if (many && !stays) choose(part + ".spread", 1.0, "most symbols come too rarely for their vectors to grow");
  };
  spread("encoder", many_read, encoders().find(config.model.encoder.kind).scales_vectors);
  spread("decoder", has_many_symbols(target),
         config.model.generator.tied || decoders().find(config.model.decoder.kind).scales_vectors);

  constexpr std::int64_t fewest = 16;
  constexpr double most_tokens = 10000;  // of an update; more of them teach little more, but take their time
  std::int64_t rows =
      std::clamp<std::int64_t>(power_of_two(static_cast<double>(lines) / 60), fewest, sentences ? 64 : 128);
  while (rows > fewest && static_cast<double>(rows) * (read + target.mean + 1) > most_tokens) rows /= 2;
  const auto tokens = static_cast<std::int64_t>(std::ceil(static_cast<double>(rows) * (read + target.mean + 1)));
  const std::int64_t epoch = (lines + rows - 1) / rows;  // updates
  choose("training.batch", all_text ? fmt::format("{}t", tokens) : fmt::format("{}", rows),
         fmt::format("about {} lines", rows));
  const std::int64_t every = std::clamp<std::int64_t>(epoch, 100, 1000);
  choose("training.validate_every", fmt::format("{}u", every),
         "often enough to see it learn, not too often to wait for");
  choose("training.patience", 10, "validations");
  choose("training.patience_updates", 1000, "so that a slow start does not end the run");

  choose("training.learning_rate", learning_rate_for(config.model),
         fmt::format("for size {}", config.model.decoder.size));
  if (unsteady) choose("training.warmup", 400, "Transformers start unsteadily");
  const double dropout = target.symbols < 10000 ? 0.4 : target.symbols < 50000 ? 0.3 : 0.2;
  choose("training.dropout", dropout, fmt::format("{} to learn from", counted(target.symbols, "target symbol")));
  const TaskKind& task = task_kinds().find(config.task);
  if (!selects().find(config.model.attention.select).traits.marginal && task.metric != "loss") {
    choose("objective.label_smoothing", 0.1, "no answer is certain");
  }
  choose("training.average", every <= 200 ? 0.99 : 0.998, "steadier than the last weights alone");
  choices.push_back(choose_metric(task, training.examples, sentences));
  return choices;
}

}  // namespace

double learning_rate_for(const ModelOptions& model) { return model.decoder.size > 128 ? 0.001 : 0.002; }

ResolvedConfig resolve_config(const std::function<void(Config&)>& give, std::span<const Example> training) {
  ResolvedConfig resolved;
  give(resolved.config);
  std::vector<Choice> all;
  Config chosen;
  CutLines lines(training);
  for (const auto& rule : {choose_tokenizers, choose_encoder, choose_sizes, choose_training}) {
    for (Choice& choice : rule(resolved.config, lines)) {
      for (const std::string& setting : choice.settings) set_field(chosen, setting + "=" + choice.value);
      all.push_back(std::move(choice));
    }
    resolved.config = chosen;
    give(resolved.config);
  }
  std::unordered_set<std::string> overruled;
  const auto wanted = FieldsRef(chosen).visit().fields(), got = FieldsRef(resolved.config).visit().fields();
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (value_text(wanted[i]) != value_text(got[i])) overruled.insert(wanted[i].name);
  }
  for (Choice& choice : all) {
    const std::size_t before = choice.settings.size();
    std::erase_if(choice.settings, [&](const std::string& setting) { return overruled.contains(setting); });
    if (choice.settings.empty()) continue;
    if (choice.settings.size() < before) choice.name = fmt::format("{}", fmt::join(choice.settings, ", "));
    resolved.choices.push_back(std::move(choice));
  }
  return resolved;
}

}  // namespace fovea
