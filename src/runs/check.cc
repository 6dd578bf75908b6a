#include "runs/check.h"

#include <fmt/format.h>

#include <optional>

#include "base/as_size.h"
#include "base/counted.h"
#include "base/json.h"
#include "base/utf8.h"
#include "data/columns.h"

namespace fovea {

namespace {

constexpr const char* weight_names[] = {"refused", "warning", "note"};

const char* name_of(Finding::Weight weight) { return weight_names[as_size(weight)]; }

bool is_given(const ConfigInput& input, const Config& config) {
  const Config plain;
  if (config.task != plain.task) return true;
  for (const std::string& setting : input.settings) {
    if (setting.starts_with("task=")) return true;
  }
  return false;
}

std::string kind_setting(const SuitedKind& suited, std::string_view equals = "=") {
  return fmt::format("{}.kind{}{}", suited.source, equals, suited.kind->name);
}

// What lines of text alone are for shows, though training would not guess it.
constexpr const char* text_alone =
    "one column alone; with `columns` target and `settings` task=language_model a language model learns to go on with "
    "such lines";

void ignore(const std::string&) {}

// Nothing if the lines are something else, or cannot be read a second time.
std::optional<ReadLines> read_text_alone(const TrainingInput& input, Config& config) {
  if (!config.columns.empty() || input.file.empty() || input.reads_standard_input()) return {};
  Config alone = config;
  alone.columns = {"target"};
  try {
    ReadLines lines = read_lines(input, alone, ignore);
    if (lines.training.report.with_more > 0) return {};
    config = alone;
    return lines;
  } catch (const Error&) {  // nor can they be read so
    return {};
  }
}

// Where they are text alone, what is taken says so.
ReadLines read_any_lines(const TrainingInput& input, Config& config, ConfigInput& taken) {
  Config read = config;
  try {
    ReadLines lines = read_lines(input, read, ignore);
    config = read;
    return lines;
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::data) throw;
    std::optional<ReadLines> lines = read_text_alone(input, config);
    if (!lines) throw;
    taken.columns = "target";
    taken.settings.emplace_back("task=language_model");
    return std::move(*lines);
  }
}

// What training would refuse though all of it can be read: by doing what it does before the first update.
void try_training(const TrainingInput& files, const ConfigInput& input, const std::vector<std::string>& columns,
                  ReadLines lines, std::vector<Finding>& findings) {
  const TrainingData data = training_data(files, std::move(lines));
  Finding bad = {"example", Finding::Weight::refused, 0, "nothing can be learned from it"};
  try {
    check_data(data);
    const Config config = make_config(input, columns, data.training).config;
    check_training(config);
    const Task task(config, data.training, data.lexicon.get());
    const EncodedLines encoded = encode_lines(task, config, data, [&](const Error& e) {
      if (bad.lines++ == 0) bad.first = e.what();
    });
    if (encoded.doubtful > 0) {
      findings.push_back({"not_whole", Finding::Weight::warning, encoded.doubtful,
                          "a source that seems not to be whole", encoded.first_doubt});
    }
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::data && e.kind() != ErrorKind::usage) throw;
    findings.push_back({"training", Finding::Weight::refused, 0, e.what()});
  }
  if (bad.lines > 0) findings.push_back(std::move(bad));
}

}  // namespace

DataCheck check_data(const TrainingInput& files, const ConfigInput& input) {
  const BadLines policy = parse_bad_lines(files.on_bad_line);
  Config config = make_config(input);
  TrainingInput all = files;
  all.on_bad_line = "skip";
  ConfigInput taken = input;
  ReadLines lines = read_any_lines(all, config, taken);
  const ConfigInput asked = taken;
  const TaskGuess guess = guess_task(lines.training);
  if (!is_given(input, config)) taken.settings.insert(taken.settings.begin(), "task=" + guess.task);
  ResolvedConfig resolved = make_config(taken, config.columns, lines.training.examples);
  LookedOver looked_over = look_over(lines.training, lines.held_out, resolved.config);
  for (const SuitedKind& one : looked_over.kinds) taken.settings.push_back(kind_setting(one));
  if (!looked_over.kinds.empty()) resolved = make_config(taken, config.columns, lines.training.examples);
  if (policy == BadLines::skip) {  // training would do as asked
    for (Finding& one : looked_over.findings) {
      if (one.weight == Finding::Weight::refused) one.weight = Finding::Weight::warning;
    }
  }
  if (asked.columns != input.columns) {
    const auto& examples = lines.training.examples;
    const std::string_view separator = examples.empty() ? "" : other_separator(examples.front().target);
    looked_over.findings.push_back(
        {"columns", Finding::Weight::refused, 0, fmt::format("{}{}", text_alone, separator)});
  }
  DataCheck check = {.lines = lines.training.report.lines,
                     .usable = lines.training.report.kept,
                     .held_out = std::ssize(lines.held_out.examples),
                     .columns = config.columns,
                     .columns_reason = lines.training.reason,
                     .looked_over = std::move(looked_over),
                     .task = resolved.config.task,
                     .choices = resolved.choices};
  try_training(files, asked, config.columns, std::move(lines), check.looked_over.findings);
  return check;
}

std::string draw_check(const DataCheck& check) {
  std::string text =
      fmt::format("{}, {} of them usable; columns {}{}\n", counted(check.lines, "line"), check.usable,
                  Columns(check.columns).text(), check.columns_reason.empty() ? "" : ", since " + check.columns_reason);
  text +=
      check.held_out > 0
          ? fmt::format("{}\n", counted(check.held_out, "held-out line"))
          : std::string("held out: training takes a part of the lines; none of its sources stays among the others\n");
  if (check.looked_over.findings.empty()) text += "nothing to complain of\n";
  for (const Finding& one : check.looked_over.findings) {
    const std::string lines = one.lines == 0 ? "all" : fmt::format("{} line{}", one.lines, one.lines == 1 ? " " : "s");
    text += fmt::format("{:<8} {:<14} {:>13}  {}", name_of(one.weight), one.what, lines, one.text);
    text += one.first.empty() ? "\n" : fmt::format(" (first: {})\n", printable(one.first));
  }
  const TaskGuess& guess = check.looked_over.guess;
  text += fmt::format("\nlooks like task = {}: {}\n", guess.task, guess.reason);
  if (guess.task != Config().task) {
    const bool alone = check.columns == std::vector<std::string>{"target"};
    text += fmt::format("train takes it for that with {}`settings` task={}\n", alone ? "`columns` target " : "",
                        guess.task);
  }
  text += fmt::format("settings that training would take for task = {}", check.task);
  for (const SuitedKind& one : check.looked_over.kinds) text += ", " + kind_setting(one, " = ");
  text += ":\n";
  for (const Choice& choice : check.choices) {
    text += fmt::format("  {} = {}  ({})\n", choice.name, choice.value, choice.reason);
  }
  return text;
}

std::string check_to_json(const DataCheck& check) {
  OrderedJson object = {{"lines", check.lines},
                        {"usable", check.usable},
                        {"held_out", check.held_out},
                        {"columns", check.columns},
                        {"refused", check.looked_over.refused()},
                        {"task", check.looked_over.guess.task},
                        {"reason", check.looked_over.guess.reason}};
  object["findings"] = OrderedJson::array();
  for (const Finding& one : check.looked_over.findings) {
    object["findings"].push_back({{"what", one.what},
                                  {"weight", name_of(one.weight)},
                                  {"lines", one.lines},
                                  {"text", one.text},
                                  {"first", one.first}});
  }
  object["settings"] = OrderedJson::object();
  for (const SuitedKind& one : check.looked_over.kinds) object["settings"][one.source + ".kind"] = one.kind->name;
  for (const Choice& choice : check.choices) {
    for (const std::string& setting : choice.settings) object["settings"][setting] = choice.value;
  }
  return json_text(object) + "\n";
}

}  // namespace fovea
