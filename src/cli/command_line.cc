#include "cli/command_line.h"

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <memory>

#include "base/error.h"
#include "base/shell_word.h"
#include "base/utf8.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/out.h"
#include "runs/presets.h"
#include "cli/version.h"
#include "data/columns.h"
#include "evaluation/label_figures.h"
#include "tasks/config.h"
#include "benchmarks/shapes.h"

namespace fovea {

namespace {

using Run = std::function<int()>;
using namespace arguments;
using arguments::one_of;  // not that of options

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
      fmt::format("what each column has: {}; or by number, as source=1,target=4 (default: {})",
                  fmt::join(Columns::known(), ", "), otherwise));
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
  add(command, "--set", c.settings, setting, "one setting, a.b=c, of a list a.b=c+d or a.b=[]; may be given again");
  add(command, "--seed", c.seed, number(0, 2'000'000'000), "of every random choice");
  add_bad_lines(command, f.on_bad_line);
  add(command, "--max-length", c.max_length, number(1, 1'000'000),
      "longest line in characters, kept as a setting of the model (default: 1000)");
}

void add_make(CLI::App& app, MakeCommand& c, Run& run) {
  CLI::App* command =
      app.add_subcommand("make", "make a data set: dates, typos, scenes, series, extract, copy, reverse");
  command->footer(
      "Examples:\n"
      "  fovea make dates --count 20000 --seed 1 > dates.tsv\n"
      "  fovea make typos --words words.tsv --answer word > typos.tsv\n"
      "  fovea make scenes --pictures pictures > scenes.tsv   (pictures/1-0.png and so on are written)");
  add(command, "name", c.name, maker, "which one; see fovea list makers")->required();
  add(command, "--count", c.count, number(0, 1'000'000'000), "lines");
  add(command, "--seed", c.seed, number(0, 2'000'000'000), "another seed, other lines");
  add_fields(command, c.options, {});
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
  add(command, "--stop-after", c.stop_after, period,
      "500u updates, 3e epochs, 10m minutes, of the whole run: to go on, give more, or none");
  add(command, "--save-every", c.save_every, period, "how often to save, beside every validation");
  add(command, "--keep", c.keep, number(0, 1000), "so many of the last validated models, for fovea average --last");
  add(command, "--progress", c.progress, one_of({"auto", "live", "plain", "none"}), "how progress is shown");
  add(command, "--rank-timeout", c.rank_timeout, number(0, 1e6),
      "seconds a rank of mpirun may be missing before all end; 0: any time");
  command->add_flag("--watch{8000}", c.watch,
                    "serve a page that shows it as it goes on; --watch=PORT for another port");
  command->add_flag("--fresh", c.fresh, "start over even if the folder holds a run");
  command->add_flag("--no-film", c.no_film, "write no film.jsonl (see fovea show --film)");
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
  add_fields(command, c.search.explain, {});
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
      "  fovea evaluate runs/dates test.tsv --min exact=0.99 --max cer=0.01   (exit 5 if missed)\n"
      "  fovea evaluate runs/new test.tsv --against runs/old\n"
      "  fovea evaluate runs/dates test.tsv --errors errors.tsv");
  add_models(command, c.words, fmt::format("lines of source<TAB>target, {}", packed));
  add(command, "--source", c.source_file, file, "sources, with --target instead of one file");
  add(command, "--target", c.target_file, file, "targets");
  add(command, "--alignment", c.alignment_file, file,
      "links such as 0-0 1-2, one line for each pair: measure attention");
  add_columns(command, c.columns, "as the model was trained");
  add(command, "--min", c.minimums, Value{"METRIC=VALUE"}, "metric=value that must be reached; may be given again");
  add(command, "--max", c.maximums, Value{"METRIC=VALUE"}, "the same for error rates, of which less is better");
  add(command, "--against", c.against, model, "another model: say by every metric whether the two differ");
  add(command, "--errors", c.errors, file, "write what went wrong, worst first, and what is taken for what");
  add(command, "--svg", c.svg, file, "draw what decided in training by the length of the targets, --against beside it");
  add(command, "--top", c.top, Value{"N", 2, 10}, "how often one of the best N answers is right: 2, 3, 5 or 10")
      ->check(CLI::IsMember(known_tops()));
  add_fields(command, c.measure, {});
  add_fields(command, c.search, {"nbest"});
  add_bad_lines(command, c.on_bad_line);
  add_max_length(command, c.max_length);
  command->add_flag("--json", c.json, "one flat object of metric: value");
  add_int8(command, c.int8);
  add_threads(command, c.threads);
  command->callback([&] { run = [&c] { return c.run(); }; });
}

void add_check(CLI::App& app, CheckCommand& c, Run& run) {
  CLI::App* command = app.add_subcommand("check", "look over data before training on them");
  command->footer(
      "Examples:\n"
      "  fovea check dates.tsv\n"
      "  fovea check train.tsv --dev valid.tsv --json\n\n"
      "Exit code 3 says that training would refuse them.");
  add_training(command, c.files, c.input);
  command->add_flag("--json", c.json, "one object");
  command->callback([&] { run = [&c] { return c.run(); }; });
}

void add_show(CLI::App& app, ShowCommand& c, Run& run) {
  CLI::App* command = app.add_subcommand("show", "draw what the model looked at while answering lines");
  command->footer(
      "Examples:\n"
      "  fovea show runs/dates '3rd of May 1999'\n"
      "  fovea show runs/dates '3rd of May 1999' --svg map.svg --png map.png --html map.html\n"
      "  fovea show runs/dates '3rd of May 1999' --target 1999-05-04\n"
      "  fovea show runs/dates --file lines.txt --saliency --html maps.html\n"
      "  fovea show runs/dates '3rd of May 1999' --steps\n"
      "  fovea show runs/dates --film --html film.html   (embeddings and a map over training)");
  add(command, "model", c.model, model, "folder of a run, or a model file")->required();
  add(command, "text", c.texts, Value{"TEXT"}, "the line, or several")->allow_extra_args();
  add(command, "--file", c.files, file, "further lines; - for standard input; may be given again");
  add_columns(command, c.columns, "as the model was trained");
  add(command, "--svg", c.svg, file, "write a picture");
  add(command, "--png", c.png, file, "write it as PNG (needs rsvg-convert)");
  add(command, "--html", c.html, file, "write a page");
  add(command, "--target", c.target, Value{"TEXT"}, "look at how it would write this, instead of its own answer");
  command->add_flag("--steps", c.steps, "print the numbers of each step instead of drawing them");
  add(command, "--layer", c.layer, number(0, 1000), "only maps of this layer (the last)");
  add(command, "--head", c.head, number(0, 1000), "only maps of this head (the mean of all)");
  command->add_flag("--film", c.film, "the embeddings and one line's map over training, of a run");
  add_fields(command, c.search, {"nbest"});
  add_fields(command, c.search.explain, {"self_attention"});
  command->add_flag("--self,--self-attention", c.search.explain.self_attention,
                    "the maps of encoder and decoder to themselves, too");
  add_max_length(command, c.max_length);
  command->add_flag("--compact", c.compact, "one line a step");
  command->add_flag("--json", c.json, "print the explanations instead of drawing them");
  add_words(command, c.by_words);
  command->callback([&] { run = [&c] { return c.run(); }; });
}

void add_serve(CLI::App& app, ServeCommand& c, Run& run) {
  CLI::App* command = app.add_subcommand("serve", "answer by HTTP, with a page that shows what the models look at");
  command->footer(
      "Examples:\n"
      "  fovea serve runs/dates\n"
      "  fovea serve runs/dates runs/names --port 8080\n"
      "  fovea serve runs/scenes --files scenes   (a model of pictures, and the folder that has them)\n"
      "  curl localhost:8000/v1/predict -H 'Content-Type: application/json' -d '{\"text\": \"3rd of May 1999\"}'\n\n"
      "What can be asked, and what is refused: docs/http.md.");
  add(command, "model", c.models, model, "folder of a run, or a model file; several have names of their own")
      ->required()
      ->allow_extra_args();
  add(command, "--port", c.options.port, number(0, 65535), "where it listens; 0: any that is free");
  add(command, "--host", c.options.host, Value{"ADDRESS"}, "of this machine; any but 127.0.0.1 lets others ask");
  add(command, "--allow-host", c.options.allow_hosts, Value{"NAME"},
      "by which others call this server, as a proxy does; may be given again");
  add(command, "--allow-origin", c.options.allow_origins, Value{"URL"},
      "of a site whose pages may ask, as https://example.org; may be given again");
  add(command, "--files", c.files, folder,
      "whose files are opened where lines name sounds, pictures or rows; without it, none is");
  add(command, "--queue", c.queue, number(1, 100'000), "requests that may wait for each model; more are refused");
  add(command, "--connections", c.options.connections, number(1, 100'000), "open at once");
  add(command, "--timeout", c.options.answer, number(0.1, 86'400), "seconds that an answer may take");
  add_int8(command, c.int8);
  add_threads(command, c.threads);
  command->callback([&] { run = [&c] { return c.run(); }; });
}

void add_report(CLI::App& app, ReportCommand& c, Run& run) {
  CLI::App* command = app.add_subcommand("report", "the curves of one run or several on one page");
  command->footer(
      "Examples:\n  fovea report runs/dates\n  fovea report runs/a runs/b runs/c -o compared.html\n"
      "  fovea report runs/a runs/b --tensorboard events; tensorboard --logdir events");
  add(command, "run", c.runs, folder, "folder of a run; several are drawn over one another")
      ->required()
      ->allow_extra_args();
  add(command, "-o,--output", c.output, file, "the page to be written");
  add(command, "--tensorboard", c.tensorboard, folder,
      "write the curves for TensorBoard, too: in it a folder for each run");
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
  add(command, "--vary", c.varied, settings,
      "a setting and its values, a.b=c,d or a.b=all, of a list a.b=c,c+d,[]; may be given again")
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
  CheckCommand check;
  AverageCommand average;
  ShowCommand show;
  ReportCommand report;
  ServeCommand serve;
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
  add_check(*app, commands.check, run);
  add_train(*app, commands.train, run);
  add_predict(*app, commands.predict, run);
  add_score(*app, commands.score, run);
  add_evaluate(*app, commands.evaluate, run);
  add_show(*app, commands.show, run);
  add_report(*app, commands.report, run);
  add_serve(*app, commands.serve, run);
  add_compare(*app, commands.compare, run);
  add_average(*app, commands.average, run);
  add_others(*app, commands.list, commands.inspect, run);
  add_bench(*app, commands.bench, run);
  add_installed(*app, commands.manual, commands.completions, run);
  return app;
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
