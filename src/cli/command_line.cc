#include "cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <limits>
#include <memory>
#include <type_traits>

#include "base/error.h"
#include "base/nearest.h"
#include "base/shell_word.h"
#include "base/utf8.h"
#include "cli/commands.h"
#include "cli/out.h"
#include "runs/presets.h"
#include "cli/version.h"
#include "data/columns.h"
#include "data/makers/maker.h"
#include "tasks/config.h"
#include "benchmarks/shapes.h"

namespace fovea {

namespace {

using Run = std::function<int()>;

// What a value is called in help, which also decides what is offered for it (see offer_values), and what it may be.
struct Value {
  std::string name;
  double low = -infinity;
  double high = infinity;

  static constexpr double infinity = std::numeric_limits<double>::infinity();
};
const Value file{"FILE"}, folder{"FOLDER"}, model{"MODEL"}, period{"PERIOD"}, maker{"MAKER"}, preset{"PRESET"};
const Value list_name{"LIST"}, setting{"SETTING=VALUE"}, settings{"SETTING=VALUE,..."};

Value number(double low = -Value::infinity, double high = Value::infinity) { return {"N", low, high}; }
Value one_of(const std::vector<std::string>& names) { return {fmt::format("{}", fmt::join(names, "|"))}; }

template <class Entries>
std::vector<std::string> names_of(const Entries& entries) {
  std::vector<std::string> names;
  for (const auto& entry : entries) names.emplace_back(entry.name);
  return names;
}

// Unlike CLI::Range it refuses what is no number, such as nan.
CLI::Validator range(double low, double high) {
  const std::string wanted = fmt::format("{:.10g}..{:.10g}", low, high);
  return {[=](const std::string& text) {
            double value = 0;
            const bool good = CLI::detail::lexical_cast(text, value) && low <= value && value <= high;
            return good ? std::string() : fmt::format("{} is not in {}", text, wanted);
          },
          wanted};
}

// The initial value is shown in help unless it only stands for "not given": an empty text, a number out of range.
template <class T>
CLI::Option* add(CLI::App* command, const char* names, T& target, const Value& value, const std::string& help) {
  CLI::Option* option = command->add_option(names, target, help)->type_name(value.name);
  if constexpr (std::is_arithmetic_v<T>) {
    if (value.high < Value::infinity) option->check(range(value.low, value.high));
    if (value.low <= target && target <= value.high) option->capture_default_str();
  } else if constexpr (std::is_same_v<T, std::string>) {
    if (!target.empty()) option->capture_default_str();
  } else {
    option->allow_extra_args(false);  // a list: one of it each time the flag is given
  }
  return option;
}

void add_threads(CLI::App* command, int& threads) {
  add(command, "--threads", threads, number(1, 256),
      "worker threads; the result is the same for any number (default: all cores)");
}

void add_int8(CLI::App* command, bool& int8) {
  command->add_flag("--int8", int8, "round weights to 8 bits: faster, answers nearly the same");
}

const char* const packed = "plain or packed (.gz, .xz, .zst)";

void add_columns(CLI::App* command, std::string& columns, const char* otherwise) {
  add(command, "--columns", columns, Value{"NAME,..."},
      fmt::format("what each column has: {} (default: {})", fmt::join(Columns::known(), ", "), otherwise));
}

void add_max_length(CLI::App* command, std::int64_t& max_length) {
  add(command, "--max-length", max_length, number(1, 1'000'000),
      "longest line in characters (default: as the model was trained)");
}

void add_models(CLI::App* command, std::vector<std::string>& words, const std::string& then) {
  add(command, "model", words, model, "folder of a run, or a model file; several answer as one; then " + then)
      ->required()
      ->allow_extra_args();
}

// The flags of options that are declared by their fields, but for some: --length-power for length_power.
void add_fields(CLI::App* command, FieldsRef options, const std::vector<std::string>& left_out) {
  for (const Field& field : options.visit().fields()) {
    if (std::ranges::find(left_out, field.name) != left_out.end()) continue;
    std::string flag = "--" + field.name;
    std::ranges::replace(flag, '_', '-');
    const auto add_value = [&](auto* value) {
      using T = std::remove_pointer_t<decltype(value)>;
      if constexpr (std::is_same_v<T, bool>) {
        command->add_flag(flag, *value, field.help);
      } else if constexpr (std::is_arithmetic_v<T>) {
        add(command, flag.c_str(), *value, number(field.rule.low, field.rule.high), field.help);
      } else if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, std::vector<std::string>>) {
        const Value text = field.rule.file ? file : field.rule.names.empty() ? Value{"TEXT"} : one_of(field.rule.names);
        add(command, flag.c_str(), *value, text, field.help);
      } else {
        throw usage_error("{}: no flag has a value of this type", field.name);
      }
    };
    std::visit(add_value, field.value);
  }
}

void add_bad_lines(CLI::App* command, std::string& policy) {
  add(command, "--on-bad-line", policy, one_of({"fail", "skip"}), "what to do: fail, or skip it and count");
}

// What is learned from, and with which settings.
void add_training(CLI::App* command, TrainingInput& f, ConfigInput& c) {
  add(command, "data", f.file, file, fmt::format("lines of source<TAB>target, {}; - for standard input", packed));
  add(command, "--source", f.source_file, file, "sources, one a line, with --target instead of one file");
  add(command, "--target", f.target_file, file, "targets, one a line");
  add(command, "--alignment", f.alignment_file, file, "links such as 0-0 1-2, one line for each pair");
  add_columns(command, c.columns, "source,target, and features if one looks like them");
  add(command, "--dev", f.dev, file, "held-out lines (default: a part of the data, chosen by hash)");
  add(command, "--dev-source", f.dev_source, file, "held-out sources, with --dev-target instead of one file");
  add(command, "--dev-target", f.dev_target, file, "held-out targets");
  add(command, "--preset", c.preset, preset, "a published system by name; see fovea list presets");
  add(command, "--lexicon", f.lexicon, file, "source<TAB>target<TAB>probability, for outputs that look symbols up");
  add(command, "--config", c.config_file, file, "settings as TOML");
  add(command, "--set", c.settings, setting, "one setting, a.b=c; may be given again");
  add(command, "--seed", c.seed, number(0, 2'000'000'000), "of every random choice");
  add_bad_lines(command, f.on_bad_line);
  add(command, "--max-length", c.max_length, number(1, 1'000'000),
      "longest line in characters, kept as a setting of the model (default: 1000)");
}

void add_make(CLI::App& app, MakeCommand& c, Run& run) {
  CLI::App* command = app.add_subcommand("make", "make a data set: dates, copy, reverse");
  command->footer("Example:\n  fovea make dates --count 20000 --seed 1 > dates.tsv");
  add(command, "name", c.name, maker, "which one; see fovea list makers")->required();
  add(command, "--count", c.count, number(0, 1'000'000'000), "lines");
  add(command, "--seed", c.seed, number(0, 2'000'000'000), "another seed, other lines");
  command->callback([&] { run = [&c] { return c.run(); }; });
}

void add_train(CLI::App& app, TrainCommand& c, Run& run) {
  CLI::App* command = app.add_subcommand("train", "train a model; the same command again goes on where it stopped");
  command->footer(
      "Examples:\n"
      "  fovea train dates.tsv -o runs/dates\n"
      "  fovea train --source en.txt --target de.txt --set source.tokenizer=word --set target.tokenizer=word -o "
      "runs/en-de\n"
      "  fovea train dates.tsv -o runs/big --set encoder.size=256 --stop-after 10m\n"
      "  mpirun -n 4 fovea train dates.tsv -o runs/dates   (on several machines: docs/many-machines.md)\n\n"
      "Settings for --set and --config are listed by: fovea list settings");
  add_training(command, c.files, c.input);
  add(command, "-o,--output", c.folder, folder, "folder for the model and all about it")->required();
  add(command, "--from", c.from, model, "folder of a run, or a model file: begin with its weights, on new data");
  add(command, "--stop-after", c.stop_after, period, "500u updates, 3e epochs, 10m minutes");
  add(command, "--save-every", c.save_every, period, "how often to save, beside every validation");
  add(command, "--keep", c.keep, number(0, 1000), "so many of the last validated models, for fovea average --last");
  add(command, "--progress", c.progress, one_of({"auto", "live", "plain", "none"}), "how progress is shown");
  add(command, "--rank-timeout", c.rank_timeout, number(0, 1e6),
      "seconds a rank of mpirun may be missing before all end; 0: any time");
  command->add_flag("--fresh", c.fresh, "start over even if the folder holds a run");
  command->add_flag("--print-config", c.print_config, "print the settings that would be used, and stop");
  add_threads(command, c.threads);
  command->callback([&] { run = [&c] { return c.run(); }; });
}

void add_words(CLI::App* command, bool& by_words) {
  command->add_flag("--words", by_words, "what was looked at by words, of a model whose symbols are pieces of them");
}

void add_predict(CLI::App& app, PredictCommand& c, Run& run) {
  CLI::App* command = app.add_subcommand("predict", "answer lines, one line out for each line in");
  command->footer(
      "Examples:\n"
      "  echo '3rd of May 1999' | fovea predict runs/dates\n"
      "  fovea predict runs/dates in.txt --beam 5 --nbest 3\n"
      "  fovea predict runs/dates in.txt --json > explained.jsonl\n"
      "  fovea predict runs/a runs/b runs/c in.txt   (the mean of their probabilities)\n\n"
      "The rules that search can be given: docs/search.md.");
  add_models(command, c.words, fmt::format("a file of lines, {}, or - for standard input, as without it", packed));
  add_columns(command, c.columns, "as the model was trained");
  add_fields(command, c.search, {});
  command->add_flag("--replace-unknown", c.replace_unknown,
                    "where the unknown symbol is written, take the source's symbol looked at most");
  add(command, "--dictionary", c.dictionary, file, "translates what --replace-unknown takes (as for train --lexicon)");
  add(command, "--batch", c.batch, number(1, 4096), "lines answered together; changes nothing but the time");
  add_max_length(command, c.max_length);
  command->add_flag("--json", c.json, "one explanation a line (docs/explanation.md)");
  add_words(command, c.by_words);
  add_int8(command, c.int8);
  add_threads(command, c.threads);
  command->callback([&] { run = [&c] { return c.run(); }; });
}

void add_score(CLI::App& app, ScoreCommand& c, Run& run) {
  CLI::App* command =
      app.add_subcommand("score", "how probable a model finds given answers, one line out for each line in");
  command->footer(
      "Examples:\n"
      "  fovea score runs/dates test.tsv > scores.txt\n"
      "  fovea score runs/a runs/b test.tsv --json > tokens.jsonl");
  add_models(command, c.words,
             fmt::format("lines of source<TAB>target, {}, or - for standard input, as without it", packed));
  add_columns(command, c.columns, "as the model was trained");
  add(command, "--batch", c.batch, number(1, 4096), "lines scored together; changes nothing but the time");
  add_max_length(command, c.max_length);
  command->add_flag("--json", c.json, "one object a line, with the log-probability of each symbol");
  add_int8(command, c.int8);
  add_threads(command, c.threads);
  command->callback([&] { run = [&c] { return c.run(); }; });
}

void add_average(CLI::App& app, AverageCommand& c, Run& run) {
  CLI::App* command = app.add_subcommand("average", "one model whose weights are the mean of others'");
  command->footer(
      "Examples:\n"
      "  fovea average runs/a runs/b runs/c -o averaged.safetensors\n"
      "  fovea average runs/a --last 5 -o averaged.safetensors");
  add(command, "model", c.models, model, "folder of a run, or a model file; two or more")
      ->required()
      ->allow_extra_args();
  add(command, "--last", c.last, number(1, 1000), "of one run: the last models that train --keep left in its folder");
  add(command, "-o,--output", c.output, file, "the model file to be written")->required();
  command->callback([&] { run = [&c] { return c.run(); }; });
}

void add_evaluate(CLI::App& app, EvaluateCommand& c, Run& run) {
  CLI::App* command = app.add_subcommand("evaluate", "measure a model on lines with known answers");
  command->footer(
      "Examples:\n"
      "  fovea evaluate runs/dates test.tsv\n"
      "  fovea evaluate runs/dates test.tsv --min exact=0.99 --max cer=0.01   (exit 5 if missed)");
  add_models(command, c.words, fmt::format("lines of source<TAB>target, {}", packed));
  add(command, "--source", c.source_file, file, "sources, with --target instead of one file");
  add(command, "--target", c.target_file, file, "targets");
  add(command, "--alignment", c.alignment_file, file,
      "links such as 0-0 1-2, one line for each pair: measure attention");
  add_columns(command, c.columns, "as the model was trained");
  add(command, "--min", c.minimums, Value{"METRIC=VALUE"}, "metric=value that must be reached; may be given again");
  add(command, "--max", c.maximums, Value{"METRIC=VALUE"}, "the same for error rates, of which less is better");
  add_fields(command, c.search, {"nbest"});
  add_bad_lines(command, c.on_bad_line);
  add_max_length(command, c.max_length);
  command->add_flag("--json", c.json, "one flat object of metric: value");
  add_int8(command, c.int8);
  add_threads(command, c.threads);
  command->callback([&] { run = [&c] { return c.run(); }; });
}

void add_show(CLI::App& app, ShowCommand& c, Run& run) {
  CLI::App* command = app.add_subcommand("show", "draw what the model looked at while answering a line");
  command->footer(
      "Examples:\n"
      "  fovea show runs/dates '3rd of May 1999'\n"
      "  fovea show runs/dates '3rd of May 1999' --svg map.svg --html map.html\n"
      "  fovea show runs/dates '3rd of May 1999' --target 1999-05-04");
  add(command, "model", c.model, model, "folder of a run, or a model file")->required();
  add(command, "text", c.text, Value{"TEXT"}, "the line")->required();
  add_columns(command, c.columns, "as the model was trained");
  add(command, "--svg", c.svg, file, "write a picture");
  add(command, "--html", c.html, file, "write a page");
  add(command, "--target", c.target, Value{"TEXT"}, "look at how it would write this, instead of its own answer");
  add_fields(command, c.search, {"nbest"});
  add_max_length(command, c.max_length);
  command->add_flag("--compact", c.compact, "one line a step");
  command->add_flag("--json", c.json, "print the explanation instead of drawing it");
  add_words(command, c.by_words);
  command->callback([&] { run = [&c] { return c.run(); }; });
}

void add_compare(CLI::App& app, CompareCommand& c, Run& run) {
  CLI::App* command = app.add_subcommand("compare", "train every combination of some settings; one table of them all");
  command->footer(
      "Examples:\n"
      "  fovea compare dates.tsv --vary attention.score=all\n"
      "  fovea compare dates.tsv --vary attention.score=additive,bilinear --vary attention.select=softmax,sparsemax "
      "--seeds 3 --html compare.html\n"
      "  fovea compare dates.tsv --vary decoder.size=64,128 --stop-after 500u --json\n\n"
      "The same command again goes on where it stopped (docs/compare.md).");
  add_training(command, c.files, c.input);
  add(command, "--vary", c.varied, settings, "a setting and its values, a.b=c,d or a.b=all; may be given again")
      ->required();
  add(command, "-o,--output", c.folder, folder, "folder for the runs, one in it for each");
  add(command, "--seeds", c.seeds, number(1, 1000), "runs of each combination, with seeds one apart");
  add(command, "--stop-after", c.stop_after, period, "budget of each run: 500u updates, 3e epochs, 10m minutes");
  add(command, "--tsv", c.tsv, file, "write the table as tab-separated text");
  add(command, "--html", c.html, file, "write a page with the table and the attention maps side by side");
  command->add_flag("--json", c.json, "print the comparison as JSON instead of the table");
  add(command, "--progress", c.progress, one_of({"auto", "live", "plain", "none"}), "how progress is shown");
  add_threads(command, c.threads);
  command->callback([&] { run = [&c] { return c.run(); }; });
}

void add_others(CLI::App& app, ListCommand& list, InspectCommand& inspect, Run& run) {
  CLI::App* lister =
      app.add_subcommand("list", fmt::format("what there is: {}", fmt::join(ListCommand::names(), ", ")));
  lister->footer("Examples:\n  fovea list\n  fovea list scores\n  fovea list settings");
  add(lister, "what", list.what, list_name, "one of these lists; all if left out");
  lister->add_flag("--json", list.json, "as JSON");
  lister->callback([&] { run = [&list] { return list.run(); }; });

  CLI::App* inspector = app.add_subcommand("inspect", "what a model file holds");
  inspector->footer("Example:\n  fovea inspect runs/dates");
  add(inspector, "model", inspect.model, model, "folder of a run, or a model file")->required();
  inspector->add_flag("--json", inspect.json, "as JSON");
  inspector->callback([&] { run = [&inspect] { return inspect.run(); }; });
}

void add_bench(CLI::App& app, BenchCommand& c, Run& run) {
  CLI::App* command = app.add_subcommand("bench", "how fast training and answering are on this machine");
  command->footer(
      "Examples:\n"
      "  fovea bench --shape S --threads 2\n"
      "  fovea bench --shape T --mode beam\n"
      "  fovea bench --shape M --source 200 --batch 16 --json\n\n"
      "Beside PyTorch: bench/run (docs/performance.md).");
  add(command, "--shape", c.options.shape, one_of(names_of(bench_shapes())), "model and batch of that size");
  add(command, "--mode", c.options.mode, one_of(bench_modes()),
      "what is timed; greedy: a batch on each thread, beam: of 5, line after line");
  add(command, "--seconds", c.options.seconds, number(1, 600), "how long to measure");
  add(command, "--batch", c.options.batch, number(1, 4096), "lines, instead of the shape's");
  add(command, "--source", c.options.source, number(2, 10'000), "positions of a source, likewise");
  add(command, "--target", c.options.target, number(2, 10'000), "positions of a target, likewise");
  add(command, "--size", c.options.size, number(1, 8192), "of embeddings and states, likewise");
  add(command, "--symbols", c.options.symbols, number(5, 1'000'000), "of each vocabulary, likewise");
  command->add_flag("--int8", c.options.int8, "answer with weights rounded to 8 bits");
  add(command, "--save", c.options.save, folder,
      "folder for the model and what it computes, for others to compare with");
  command->add_flag("--json", c.json, "one flat object");
  add_threads(command, c.options.threads);
  command->callback([&] { run = [&c] { return c.run(); }; });
}

void add_installed(CLI::App& app, ManualCommand& m, CompletionsCommand& c, Run& run) {
  CLI::App* manual = app.add_subcommand("manual", "the manual page, for man");
  manual->footer("Example:\n  fovea manual | man -l -");
  manual->callback([&] { run = [&m] { return m.run(); }; });

  CLI::App* command = app.add_subcommand("completions", "what makes a shell complete the words of these commands");
  command->footer("Example:\n  source <(fovea completions bash)");
  add(command, "shell", c.shell, one_of(CompletionsCommand::shells()), "which one")->required();
  command->callback([&] { run = [&c] { return c.run(); }; });
}

struct Commands {
  MakeCommand make;
  TrainCommand train;
  PredictCommand predict;
  ScoreCommand score;
  EvaluateCommand evaluate;
  AverageCommand average;
  ShowCommand show;
  CompareCommand compare;
  ListCommand list;
  InspectCommand inspect;
  BenchCommand bench;
  ManualCommand manual;
  CompletionsCommand completions;
};

// Reading words into it sets `run`. The commands must outlive it.
std::unique_ptr<CLI::App> declare(Commands& commands, Run& run) {
  auto app = std::make_unique<CLI::App>(
      "Trains, runs and looks inside sequence models with attention, on an ordinary computer.\n\n"
      "  fovea make dates --count 20000 > dates.tsv\n"
      "  fovea train dates.tsv -o runs/dates\n"
      "  fovea show runs/dates '3rd of May 1999'\n",
      "fovea");
  app->set_version_flag("--version", version_text, "version, instruction set and what is built in");
  app->require_subcommand(1);
  app->footer(
      "fovea COMMAND --help says more. Exit codes: 0 ok, 1 failure, 2 usage, 3 bad data, 4 bad model, 5 --min missed, "
      "129/130/143 stopped after saving.");
  add_make(*app, commands.make, run);
  add_train(*app, commands.train, run);
  add_predict(*app, commands.predict, run);
  add_score(*app, commands.score, run);
  add_evaluate(*app, commands.evaluate, run);
  add_show(*app, commands.show, run);
  add_compare(*app, commands.compare, run);
  add_average(*app, commands.average, run);
  add_others(*app, commands.list, commands.inspect, run);
  add_bench(*app, commands.bench, run);
  add_installed(*app, commands.manual, commands.completions, run);
  return app;
}

// CLI11 would only say that a command is missing.
void check_command(const CLI::App& app, int count, const char* const* words) {
  if (count < 2 || words[1][0] == '-') return;
  std::vector<std::string> known;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    known.push_back(command->get_name());
  }
  if (std::ranges::find(known, words[1]) != known.end()) return;
  throw unknown_name("command", words[1], known, "see fovea --help");
}

// CLI11 would only say that it was not expected, or that what it was meant for is missing.
void check_flags(const CLI::App& app) {
  const CLI::App& command = app.get_subcommands().empty() ? app : *app.get_subcommands().front();
  std::vector<std::string> known;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  for (const std::string& word : app.remaining(true)) {
    if (!word.starts_with("--") || word == "--") continue;
    const std::string line = &command == &app ? "fovea" : "fovea " + command.get_name();
    throw unknown_name("flag", word.substr(0, word.find('=')), known, "see " + line + " --help");
  }
}

void offer_values(Argument& argument) {
  if (argument.value == file.name || argument.value == model.name) {
    argument.offer = Offer::files;
  } else if (argument.value == folder.name) {
    argument.offer = Offer::folders;
  } else if (argument.value == setting.name || argument.value == settings.name) {
    argument.offer = Offer::settings;
  } else {
    if (argument.value == maker.name) argument.choices = makers().names();
    if (argument.value == preset.name) argument.choices = names_of(presets());
    if (argument.value == list_name.name) argument.choices = ListCommand::names();
    if (argument.value.find('|') != std::string::npos) argument.choices = CLI::detail::split(argument.value, '|');
    if (!argument.choices.empty()) argument.offer = Offer::choices;
  }
}

CommandHelp help_of(CLI::App& command) {
  CommandHelp help{command.get_name(), command.get_description(), command.get_footer(), {}};
  for (const CLI::Option* option : command.get_options()) {
    Argument argument;
    for (const std::string& name : option->get_snames()) argument.names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) argument.names.push_back("--" + name);
    argument.is_flag = !argument.names.empty();
    if (!argument.is_flag) argument.names.push_back(option->get_single_name());
    if (option->get_type_size() > 0) {
      const std::string type = option->get_type_name();  // VALUE:what the validator allows
      const std::size_t colon = type.find(':');
      argument.value = type.substr(0, colon);
      if (colon != std::string::npos) argument.allowed = type.substr(colon + 1);
    }
    argument.initial = option->get_default_str();
    argument.help = option->get_description();
    argument.required = option->get_required();
    argument.again = option->get_items_expected_max() > 1;
    offer_values(argument);
    help.arguments.push_back(std::move(argument));
  }
  return help;
}

std::vector<SettingHelp> settings_help() {
  Config config;
  std::vector<SettingHelp> all;
  for (const Field& field : FieldsRef(config).visit().fields()) {
    if (!field.used) continue;
    all.push_back({field.name, value_text(field), field.help, field.rule.names});
    if (std::holds_alternative<bool*>(field.value)) all.back().choices = {"true", "false"};
  }
  return all;
}

}  // namespace

ProgramHelp program_help() {
  Commands commands;
  Run run;
  const auto app = declare(commands, run);
  ProgramHelp help{help_of(*app), {}, settings_help()};
  for (CLI::App* command : app->get_subcommands([](const CLI::App*) { return true; })) {
    help.commands.push_back(help_of(*command));
  }
  return help;
}

std::function<int()> read_command_line(int count, const char* const* words) {
  const auto commands = std::make_shared<Commands>();
  std::string line = "fovea";
  for (int i = 1; i < count; ++i) line += " " + shell_word(words[i]);
  commands->train.command_line = commands->compare.command_line = line;
  Run run;
  const auto app = declare(*commands, run);
  check_command(*app, count, words);
  const auto print = [](std::string text) {
    return [text = std::move(text)] {
      write_out(text);
      flush_out();
      return 0;
    };
  };
  try {
    app->parse(count, words);
  } catch (const CLI::CallForHelp&) {
    return print(app->help());
  } catch (const CLI::CallForVersion& e) {
    return print(std::string(e.what()) + "\n");
  } catch (const CLI::ParseError& e) {
    check_flags(*app);
    const auto asked = app->get_subcommands();
    throw usage_error("{}; see fovea {}--help", printable(e.what()), asked.empty() ? "" : asked[0]->get_name() + " ");
  }
  return [commands, run] { return run(); };
}

}  // namespace fovea
