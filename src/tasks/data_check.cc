#include "tasks/data_check.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <unordered_map>
#include <unordered_set>

#include "base/counted.h"
#include "base/utf8.h"
#include "data/columns.h"
#include "data/features.h"
#include "data/normalise.h"
#include "data/tokenizer.h"

namespace fovea {

namespace {

using Weight = Finding::Weight;

std::string place(const Example& example) {
  return fmt::format("{}, \"{}\"", place_of(example),
                     beginning(example.source.empty() ? example.target : example.source));
}

// What asks the same thing.
std::string question_of(const Example& example) {
  std::string asked = example.source + '\n' + example.features;
  for (const std::string& other : example.others) asked += '\n' + other;
  return asked;
}

void add(std::vector<Finding>& findings, std::string what, Weight weight, std::int64_t lines, std::string text,
         std::string first = {}) {
  if (lines > 0) findings.push_back({std::move(what), weight, lines, std::move(text), std::move(first)});
}

void find_unread(const ReadReport& report, std::string_view part, std::vector<Finding>& findings) {
  const auto refuse = [&](SkipReason reason, const char* what, std::string_view text) {
    const Skipped& skipped = report.by(reason);
    add(findings, what, Weight::refused, skipped.lines, fmt::format("{}{}", part, text), skipped.first);
  };
  refuse(SkipReason::bad_utf8, "encoding", "not UTF-8");
  refuse(SkipReason::wrong_columns, "columns", "fewer columns than are needed");
  refuse(SkipReason::empty_side, "empty_side", "a side is empty");
  refuse(SkipReason::too_long, "too_long", fmt::format("longer than `max_length`; {} would read all", report.longest));
  refuse(SkipReason::unreadable, "unreadable", "a source that cannot be read");
  add(findings, "blank", Weight::note, report.by(SkipReason::blank).lines, fmt::format("{}blank, left out", part));
  add(findings, "control", Weight::warning, report.with_control,
      fmt::format("{}control characters, to the model unknown symbols", part), report.first_with_control);
  add(findings, "columns", Weight::note, report.with_more, fmt::format("{}{}", part, columns_without_name(report)),
      report.first_with_more);
}

// Lines for which `is` holds, as one finding.
void find_lines(std::span<const Example> examples, std::string what, Weight weight, std::string text,
                const std::function<bool(const Example&)>& is, std::vector<Finding>& findings) {
  std::int64_t lines = 0;
  std::string first;
  for (const Example& example : examples) {
    if (is(example) && lines++ == 0) first = place(example);
  }
  add(findings, std::move(what), weight, lines, std::move(text), first);
}

// Long texts with a label each, of which those beyond `max_length` are not among the examples.
void find_documents(const Pairs& training, std::vector<Finding>& findings) {
  constexpr std::int64_t long_text = 400, many_sentences = 3;
  const auto is_document = [](const Example& e) {
    const auto ends = std::ranges::count_if(e.source, [](char c) { return c == '.' || c == '!' || c == '?'; });
    return ends >= many_sentences && count_characters(e.source) >= long_text;
  };
  const std::int64_t too_long = training.report.by(SkipReason::too_long).lines;
  const std::int64_t lines = std::ranges::count_if(training.examples, is_document) + too_long;
  if (2 * lines < std::ssize(training.examples) + too_long) return;
  add(findings, "document", Weight::note, lines,
      "long texts of several sentences; source.kind = document reads words in sentences, and sentences in documents");
}

// The setting `normalise` with one step more.
std::string with_step(const TextOptions& options, const std::string& step) {
  return options.normalise.empty() ? step : options.normalise + "," + step;
}

// A side of the lines: what it is called, its text, and how that is read.
struct TextSide {
  std::string name;
  std::function<std::string_view(const Example&)> text;
  const TextOptions* options = nullptr;
};

void find_forms(std::span<const Example> examples, const TextSide& side, std::vector<Finding>& findings) {
  const Normaliser nfc("nfc"), spaces("spaces");
  const auto changes = [&](const Normaliser& form) {
    return [&](const Example& e) { return form(side.text(e)) != side.text(e); };
  };
  find_lines(examples, "form", Weight::warning,
             fmt::format("characters that can be written in two ways (not NFC); {}.normalise = {} makes them one",
                         side.name, with_step(*side.options, "nfc")),
             changes(nfc), findings);
  if (side.options->tokenizer == "word") return;  // any run of spaces is one gap
  find_lines(examples, "spaces", Weight::warning,
             fmt::format("spaces at an end or several in a row; {}.normalise = {} makes one of them", side.name,
                         with_step(*side.options, "spaces")),
             changes(spaces), findings);
}

void find_repeated(std::span<const Example> examples, std::vector<Finding>& findings) {
  std::unordered_set<std::string> seen;
  find_lines(
      examples, "duplicate", Weight::warning, "the same as a line before",
      [&](const Example& e) { return !seen.insert(question_of(e) + '\n' + e.target).second; }, findings);
  const auto asks = [](const Example& e) { return !e.source.empty(); };
  if (std::ranges::none_of(examples, asks)) return;  // nothing that two targets could answer
  std::unordered_map<std::string, std::string> targets;
  find_lines(
      examples, "contradiction", Weight::warning,
      "another target for the same source: right if there are several right answers",
      [&](const Example& e) { return targets.emplace(question_of(e), e.target).first->second != e.target; }, findings);
}

// Of text alone, which asks nothing, the text itself must be a new one.
void find_overlap(std::span<const Example> training, std::span<const Example> held_out, bool asks,
                  std::vector<Finding>& findings) {
  const auto met = [&](const Example& e) { return asks ? question_of(e) : e.target; };
  std::unordered_set<std::string> learned;
  for (const Example& example : training) learned.insert(met(example));
  find_lines(
      held_out, "overlap", Weight::warning,
      fmt::format("held-out lines whose {} is trained on, too: what is measured on them is too good",
                  asks ? "source" : "text"),
      [&](const Example& e) { return learned.contains(met(e)); }, findings);
}

// Held-out lines with symbols that no line to train on has; `symbols` are those of a line, on the side of this name.
void find_unseen(std::span<const Example> training, std::span<const Example> held_out, std::string_view name,
                 const std::function<std::vector<std::string>(const Example&)>& symbols,
                 std::vector<Finding>& findings) {
  std::unordered_set<std::string> known, unseen;
  for (const Example& example : training) {
    for (std::string& symbol : symbols(example)) known.insert(std::move(symbol));
  }
  std::int64_t lines = 0;
  std::string first;
  for (const Example& example : held_out) {
    bool any = false;
    for (const std::string& symbol : symbols(example)) {
      if (known.contains(symbol)) continue;
      if (unseen.empty()) first = fmt::format("{}, \"{}\"", place_of(example), beginning(symbol));
      unseen.insert(symbol);
      any = true;
    }
    lines += any;
  }
  add(findings, "unseen", Weight::warning, lines,
      fmt::format("held-out {} with symbols that no line to train on has, {}", name,
                  counted(unseen.size(), "different one")),
      first);
}

void find_unseen_tokens(std::span<const Example> training, std::span<const Example> held_out, const TextSide& side,
                        std::vector<Finding>& findings) {
  if (tokenizer_kind(side.options->tokenizer).learns) return;  // pieces are made of characters; few of them are new
  const TokenizerPtr cut = make_tokenizer(side.options->tokenizer);
  const auto symbols = [&](const Example& e) {
    std::vector<std::string> all;
    for (const Token& token : cut->cut(side.text(e))) all.emplace_back(token.text);
    return all;
  };
  find_unseen(training, held_out, side.name + "s", symbols, findings);
}

void find_unseen_features(std::span<const Example> training, std::span<const Example> held_out,
                          std::vector<Finding>& findings) {
  const auto symbols = [](const Example& e) {
    const auto features = split_features(e.features);
    return std::vector<std::string>(features.begin(), features.end());
  };
  find_unseen(training, held_out, "features", symbols, findings);
}

// Where words are the symbols, `good.` is another one than `good`. A mark here and there does no harm.
void find_marks(std::span<const Example> examples, const TextSide& side, std::vector<Finding>& findings) {
  if (side.options->tokenizer != "word") return;
  const Normaliser apart("punctuation");
  std::vector<Finding> found;
  find_lines(
      examples, "punctuation", Weight::warning,
      fmt::format("{0}s with punctuation at a word, which makes another word of it; {0}.normalise = {1} sets it apart",
                  side.name, with_step(*side.options, "punctuation")),
      [&](const Example& e) { return apart(side.text(e)) != side.text(e); }, found);
  if (!found.empty() && 10 * found[0].lines >= std::ssize(examples)) findings.push_back(found[0]);
}

// Far beyond what most are: three times the spread of the middle half above it (Tukey 1977), and twice the median.
void find_outliers(std::span<const Example> examples, const TextSide& side, std::vector<Finding>& findings) {
  std::vector<std::int64_t> lengths;
  for (const Example& example : examples) lengths.push_back(count_characters(side.text(example)));
  std::ranges::sort(lengths);
  const auto at = [&](std::size_t quarter) { return lengths[quarter * (lengths.size() - 1) / 4]; };
  const std::int64_t most = std::max(at(3) + 3 * (at(3) - at(1)), 2 * at(2));
  find_lines(
      examples, "length", Weight::warning,
      fmt::format("{}s of more than {}, where half have {} at most", side.name, counted(most, "character"), at(2)),
      [&](const Example& e) { return count_characters(side.text(e)) > most; }, findings);
}

// Few different sources, each with many targets: the label may stand first.
void find_label_first(std::span<const Example> examples, std::vector<Finding>& findings) {
  std::unordered_set<std::string_view> sources, targets;
  for (const Example& example : examples) sources.insert(example.source), targets.insert(example.target);
  const bool few = sources.size() >= 2 && sources.size() <= 100 && sources.size() * 20 <= examples.size();
  if (!few || 2 * targets.size() < examples.size()) return;
  add(findings, "columns", Weight::note, std::ssize(examples),
      fmt::format("only {} different sources; if they are labels, `columns` target,source and `settings` task=classify",
                  sources.size()));
}

}  // namespace

bool LookedOver::refused() const {
  return std::ranges::any_of(findings, [](const Finding& one) { return one.weight == Weight::refused; });
}

std::string SuitedKind::text() const {
  return fmt::format("every {0} looks like {1}; {0}.kind = {2} reads it so", source, kind->description, kind->name);
}

std::vector<SuitedKind> suited_kinds(std::span<const Example> training, const Config& config) {
  std::vector<SuitedKind> suited;
  const auto options = config.sources();
  const auto names = Columns(config.columns).sources();
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (options[i]->kind != SourceOptions().kind) continue;
    for (const SourceKind* kind : sources()) {
      const auto suits = [&](const Example& e) { return kind->suits(i == 0 ? e.source : e.others[i - 1]); };
      if (kind->suits && std::ranges::all_of(training, suits)) suited.push_back({names[i], kind});
    }
  }
  return suited;
}

TaskGuess guess_task(const Pairs& training) {
  const auto& examples = training.examples;
  if (Columns(training.columns).sources().empty()) return {"language_model", "there is no column to be read"};
  std::unordered_set<std::string_view> targets;
  bool positions = true;
  for (const Example& example : examples) {
    targets.insert(example.target);
    std::int64_t number = 0;
    const char* end = example.target.data() + example.target.size();
    const auto [read, problem] = std::from_chars(example.target.data(), end, number);
    positions =
        positions && problem == std::errc() && read == end && number >= 1 && number <= count_characters(example.source);
  }
  if (positions) return {"locate", "every target is the number of a character of its source"};
  if (targets.size() >= 2 && targets.size() <= 100 && targets.size() * 20 <= examples.size()) {
    return {"classify", fmt::format("{} lines have only {} different targets", examples.size(), targets.size())};
  }
  return {"transduce",
          fmt::format("{} in {}", counted(targets.size(), "different target"), counted(examples.size(), "line"))};
}

LookedOver look_over(const Pairs& training, const Pairs& held_out, const Config& config) {
  LookedOver all;
  auto& findings = all.findings;
  find_unread(training.report, "", findings);
  find_unread(held_out.report, "held out: ", findings);
  all.kinds = suited_kinds(training.examples, config);
  for (const SuitedKind& one : all.kinds) {
    add(findings, "kind", Weight::warning, std::ssize(training.examples), one.text());
  }
  find_repeated(training.examples, findings);
  const auto options = config.sources();
  const auto names = Columns(training.columns).sources();
  std::vector<TextSide> sides;  // sources that are text, and the target
  for (std::size_t i = 0; i < names.size() && i < options.size(); ++i) {
    const bool text = sources().find(options[i]->kind).symbols &&
                      std::ranges::find(all.kinds, names[i], &SuitedKind::source) == all.kinds.end();
    const auto of = [i](const Example& e) { return std::string_view(i == 0 ? e.source : e.others[i - 1]); };
    if (text) sides.push_back({names[i], of, options[i]});
  }
  const bool reads_text = !sides.empty() && sides.front().name == "source";
  sides.push_back({"target", [](const Example& e) { return std::string_view(e.target); }, &config.target});
  all.guess = guess_task(training);
  if (!held_out.examples.empty()) {
    find_overlap(training.examples, held_out.examples, !names.empty(), findings);
    for (const TextSide& side : sides) find_unseen_tokens(training.examples, held_out.examples, side, findings);
    find_unseen_features(training.examples, held_out.examples, findings);
  }
  if (reads_text) find_label_first(training.examples, findings);
  if (reads_text && all.guess.task == "classify" && config.source.kind != "document") {
    find_documents(training, findings);
  }
  for (const TextSide& side : sides) {
    find_forms(training.examples, side, findings);
    find_marks(training.examples, side, findings);
    find_outliers(training.examples, side, findings);
  }
  return all;
}

}  // namespace fovea
