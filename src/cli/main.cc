// The words of the command line.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fmt/core.h>

#include "base/error.h"
#include "base/nearest.h"
#include "base/utf8.h"
#include "cli/commands.h"
#include "cli/complaint.h"

namespace {

using namespace fovea;

// As a shell would have to be given it.
std::string quoted(const std::string& word) {
  const auto plain = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || std::strchr("-_./=,:+@%", c); };
  if (!word.empty() && std::all_of(word.begin(), word.end(), plain)) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

std::string joined(int count, char** words) {
  std::string line = "fovea";
  for (int i = 1; i < count; ++i) line += " " + quoted(words[i]);
  return line;
}

void add_threads(CLI::App* command, int& threads) {
  command
      ->add_option("--threads", threads, "worker threads; the result is the same for any number (default: all cores)")
      ->check(CLI::Range(1, 256));
}

void add_int8(CLI::App* command, bool& int8) {
  command->add_flag("--int8", int8, "round weights to 8 bits: faster, answers nearly the same");
}

void add_make(CLI::App& app, MakeCommand& c, int& status) {
  CLI::App* command = app.add_subcommand("make", "make a data set: dates, copy, reverse");
  command->footer("Example:\n  fovea make dates --count 20000 --seed 1 > dates.tsv");
  command->add_option("name", c.name, "which one; see fovea list makers")->required();
  command->add_option("--count", c.count, "lines")->capture_default_str()->check(CLI::Range(0, 1'000'000'000));
  command->add_option("--seed", c.seed, "another seed, other lines")->capture_default_str();
  command->callback([&] { status = c.run(); });
}

void add_train(CLI::App& app, TrainCommand& c, int& status) {
  CLI::App* command = app.add_subcommand("train", "train a model; the same command again goes on where it stopped");
  command->footer(
      "Examples:\n  fovea train dates.tsv -o runs/dates\n  fovea train --source en.txt --target de.txt --set "
      "source.unit=word --set target.unit=word -o runs/en-de\n  fovea train dates.tsv -o runs/big --set "
      "encoder.size=256 "
      "--stop-after 10m\n  mpirun -n 4 fovea train dates.tsv -o runs/dates   (on several machines: "
      "docs/many-machines.md)\n\nSettings for --set and --config are listed by: fovea list settings");
  command->add_option("data", c.data, "lines of source<TAB>target, plain or .gz; - for standard input");
  command->add_option("--source", c.source_file, "sources, one a line, with --target instead of one file");
  command->add_option("--target", c.target_file, "targets, one a line");
  command->add_option("--dev", c.dev, "held-out lines (default: a part of the data, chosen by hash)");
  command->add_option("-o,--output", c.folder, "folder for the model and all about it")->required();
  command->add_option("--preset", c.preset, "a published system by name; see fovea list presets");
  command->add_option("--lexicon", c.lexicon, "source<TAB>target<TAB>probability, for outputs that look symbols up");
  command->add_option("--config", c.config_file, "settings as TOML");
  command->add_option("--set", c.settings, "one setting, a.b=c; may be given again")->allow_extra_args(false);
  command->add_option("--seed", c.seed, "of every random choice")->check(CLI::Range(0, 2'000'000'000));
  command->add_option("--stop-after", c.stop_after, "500u updates, 3e epochs, 10m minutes")->capture_default_str();
  command->add_option("--save-every", c.save_every, "how often to save, beside every validation")
      ->capture_default_str();
  command->add_option("--on-bad-line", c.on_bad_line, "fail, or skip and count")->capture_default_str();
  command->add_option("--max-length", c.max_length, "longest line in characters")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'000'000));
  command->add_option("--progress", c.progress, "auto, live, plain or none")->capture_default_str();
  command->add_option("--rank-timeout", c.rank_timeout, "seconds a rank may be missing before all end; 0: any time")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1e6));
  command->add_flag("--fresh", c.fresh, "start over even if the folder holds a run");
  command->add_flag("--print-config", c.print_config, "print the settings that would be used, and stop");
  add_threads(command, c.threads);
  command->callback([&] { status = c.run(); });
}

void add_predict(CLI::App& app, PredictCommand& c, int& status) {
  CLI::App* command = app.add_subcommand("predict", "answer lines, one line out for each line in");
  command->footer(
      "Examples:\n  echo '3rd of May 1999' | fovea predict runs/dates\n  fovea predict runs/dates in.txt --beam 5 "
      "--nbest "
      "3\n  fovea predict runs/dates in.txt --json > explained.jsonl");
  command->add_option("model", c.model, "folder of a run, or a model file")->required();
  command->add_option("file", c.file, "lines, plain or .gz; - for standard input")->capture_default_str();
  command->add_option("--beam", c.beam, "hypotheses kept at each step")
      ->capture_default_str()
      ->check(CLI::Range(1, 256));
  command->add_option("--nbest", c.nbest, "answers a line, tab-separated with their scores")
      ->capture_default_str()
      ->check(CLI::Range(1, 256));
  command->add_option("--length-power", c.length_power, "scores are divided by length^power")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 10.0));
  command->add_option("--coverage-penalty", c.coverage_penalty, "what unread parts of the source cost (Wu 2016)")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 100.0));
  command->add_option("--sample", c.temperature, "draw answers at this temperature instead of searching")
      ->check(CLI::Range(0.01, 100.0));
  command->add_option("--seed", c.seed, "of --sample")->capture_default_str()->check(CLI::Range(0, 2'000'000'000));
  command->add_flag("--replace-unknown", c.replace_unknown,
                    "where the unknown symbol is written, take the source's symbol looked at most");
  command->add_option("--dictionary", c.dictionary, "translates what --replace-unknown takes (as for train --lexicon)");
  command->add_option("--batch", c.batch, "lines answered together; changes nothing but the time")
      ->capture_default_str()
      ->check(CLI::Range(1, 4096));
  command->add_option("--max-length", c.max_length, "a line of more characters gets an empty answer")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'000'000));
  command->add_flag("--json", c.json, "one explanation a line (docs/explanation.md)");
  add_int8(command, c.int8);
  add_threads(command, c.threads);
  command->callback([&] { status = c.run(); });
}

void add_evaluate(CLI::App& app, EvaluateCommand& c, int& status) {
  CLI::App* command = app.add_subcommand("evaluate", "measure a model on lines with known answers");
  command->footer(
      "Examples:\n  fovea evaluate runs/dates test.tsv\n  fovea evaluate runs/dates test.tsv --min exact=0.99   (exit "
      "5 if "
      "missed)");
  command->add_option("model", c.model, "folder of a run, or a model file")->required();
  command->add_option("data", c.data, "lines of source<TAB>target, plain or .gz");
  command->add_option("--source", c.source_file, "sources, with --target instead of one file");
  command->add_option("--target", c.target_file, "targets");
  command->add_option("--min", c.minimums, "metric=value that must be reached; may be given again")
      ->allow_extra_args(false);
  command->add_option("--beam", c.beam, "hypotheses kept at each step")
      ->capture_default_str()
      ->check(CLI::Range(1, 256));
  command->add_option("--length-power", c.length_power, "scores are divided by length^power")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 10.0));
  command->add_option("--coverage-penalty", c.coverage_penalty, "what unread parts of the source cost (Wu 2016)")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 100.0));
  command->add_flag("--links", c.links, "the third column has word alignments, such as 0-0 1-2: measure attention");
  command->add_option("--on-bad-line", c.on_bad_line, "fail, or skip and count")->capture_default_str();
  command->add_flag("--json", c.json, "one flat object of metric: value");
  add_int8(command, c.int8);
  add_threads(command, c.threads);
  command->callback([&] { status = c.run(); });
}

void add_show(CLI::App& app, ShowCommand& c, int& status) {
  CLI::App* command = app.add_subcommand("show", "draw what the model looked at while answering a line");
  command->footer(
      "Examples:\n  fovea show runs/dates '3rd of May 1999'\n  fovea show runs/dates '3rd of May 1999' --svg map.svg "
      "--html "
      "map.html");
  command->add_option("model", c.model, "folder of a run, or a model file")->required();
  command->add_option("text", c.text, "the line")->required();
  command->add_option("--svg", c.svg, "write a picture");
  command->add_option("--html", c.html, "write a page");
  command->add_option("--beam", c.beam, "hypotheses kept at each step")
      ->capture_default_str()
      ->check(CLI::Range(1, 256));
  command->add_flag("--compact", c.compact, "one line a step");
  command->add_flag("--json", c.json, "print the explanation instead of drawing it");
  command->callback([&] { status = c.run(); });
}

void add_compare(CLI::App& app, CompareCommand& c, int& status) {
  CLI::App* command = app.add_subcommand("compare", "train every combination of some settings; one table of them all");
  command->footer(
      "Examples:\n  fovea compare dates.tsv --vary attention.score=all\n  fovea compare dates.tsv --vary "
      "attention.score=additive,bilinear --vary attention.select=softmax,sparsemax --seeds 3 --html compare.html\n  "
      "fovea compare dates.tsv --vary decoder.size=64,128 --stop-after 500u --json\n\nThe same command again goes on "
      "where it stopped (docs/compare.md).");
  command->add_option("data", c.data, "lines of source<TAB>target, plain or .gz; - for standard input")->required();
  command->add_option("--vary", c.varied, "a setting and its values, a.b=c,d or a.b=all; may be given again")
      ->required()
      ->allow_extra_args(false);
  command->add_option("--dev", c.dev, "held-out lines (default: a part of the data, chosen by hash)");
  command->add_option("-o,--output", c.folder, "folder for the runs, one in it for each")->capture_default_str();
  command->add_option("--preset", c.preset, "a published system by name; see fovea list presets");
  command->add_option("--lexicon", c.lexicon, "source<TAB>target<TAB>probability, for outputs that look symbols up");
  command->add_option("--config", c.config_file, "settings as TOML");
  command->add_option("--set", c.settings, "one setting of all runs, a.b=c; may be given again")
      ->allow_extra_args(false);
  command->add_option("--seeds", c.seeds, "runs of each combination, with seeds one apart")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  command->add_option("--seed", c.seed, "the first seed")->check(CLI::Range(0, 2'000'000'000));
  command->add_option("--stop-after", c.stop_after, "budget of each run: 500u updates, 3e epochs, 10m minutes")
      ->capture_default_str();
  command->add_option("--tsv", c.tsv, "write the table as tab-separated text");
  command->add_option("--html", c.html, "write a page with the table and the attention maps side by side");
  command->add_flag("--json", c.json, "print the comparison as JSON instead of the table");
  command->add_option("--progress", c.progress, "auto, live, plain or none")->capture_default_str();
  add_threads(command, c.threads);
  command->callback([&] { status = c.run(); });
}

void add_others(CLI::App& app, ListCommand& list, InspectCommand& inspect, int& status) {
  CLI::App* lister = app.add_subcommand("list", "what there is: scores, biases, selects, reads, settings, makers");
  lister->footer("Examples:\n  fovea list\n  fovea list scores\n  fovea list settings");
  lister->add_option("what", list.what, "one of these lists; all if left out");
  lister->add_flag("--json", list.json, "as JSON");
  lister->callback([&] { status = list.run(); });

  CLI::App* inspector = app.add_subcommand("inspect", "what a model file holds");
  inspector->footer("Example:\n  fovea inspect runs/dates");
  inspector->add_option("model", inspect.model, "folder of a run, or a model file")->required();
  inspector->add_flag("--json", inspect.json, "as JSON");
  inspector->callback([&] { status = inspect.run(); });
}

void add_bench(CLI::App& app, BenchCommand& c, int& status) {
  CLI::App* command = app.add_subcommand("bench", "how fast training and answering are on this machine");
  command->footer(
      "Examples:\n  fovea bench --shape S --threads 2\n  fovea bench --shape T --mode beam\n  fovea bench --shape M "
      "--source 200 --batch 16 --json\n\nBeside PyTorch: bench/run (docs/performance.md).");
  command->add_option("--shape", c.options.shape, "S, M, L or T: model and batch of that size")->capture_default_str();
  command
      ->add_option("--mode", c.options.mode, "train, greedy (a batch on each thread) or beam (of 5, line after line)")
      ->capture_default_str();
  command->add_option("--seconds", c.options.seconds, "how long to measure")
      ->capture_default_str()
      ->check(CLI::Range(1, 600));
  command->add_option("--batch", c.options.batch, "lines, instead of the shape's")->check(CLI::Range(1, 4096));
  command->add_option("--source", c.options.source, "positions of a source, likewise")->check(CLI::Range(2, 10'000));
  command->add_option("--target", c.options.target, "positions of a target, likewise")->check(CLI::Range(2, 10'000));
  command->add_option("--size", c.options.size, "of embeddings and states, likewise")->check(CLI::Range(1, 8192));
  command->add_option("--symbols", c.options.symbols, "of each vocabulary, likewise")->check(CLI::Range(5, 1'000'000));
  command->add_flag("--int8", c.options.int8, "answer with weights rounded to 8 bits");
  command->add_option("--save", c.options.save,
                      "folder for the model and what it computes, for others to compare with");
  command->add_flag("--json", c.json, "one flat object");
  add_threads(command, c.options.threads);
  command->callback([&] { status = c.run(); });
}

// CLI11 would only say that a command is missing.
void check_command(const CLI::App& app, int count, char** words) {
  if (count < 2 || words[1][0] == '-') return;
  std::vector<std::string> known;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    known.push_back(command->get_name());
  }
  if (std::ranges::find(known, words[1]) != known.end()) return;
  const std::string near = nearest(words[1], known);
  throw usage_error("no command \"{}\"; {}", printable(words[1]),
                    near.empty() ? "see fovea --help" : "did you mean " + near + "?");
}

int run(int count, char** words) {
  CLI::App app(
      "Trains, runs and looks inside sequence models with attention, on an ordinary computer.\n\n"
      "  fovea make dates --count 20000 > dates.tsv\n"
      "  fovea train dates.tsv -o runs/dates\n"
      "  fovea show runs/dates '3rd of May 1999'\n",
      "fovea");
  app.set_version_flag("--version", "fovea " FOVEA_VERSION);
  app.require_subcommand(1);
  app.footer(
      "fovea COMMAND --help says more. Exit codes: 0 ok, 1 failure, 2 usage, 3 bad data, 4 bad model, 5 --min missed, "
      "129/130/143 stopped after saving.");
  int status = 0;
  MakeCommand make;
  TrainCommand train;
  PredictCommand predict;
  EvaluateCommand evaluate;
  ShowCommand show;
  CompareCommand compare;
  ListCommand list;
  InspectCommand inspect;
  BenchCommand bench;
  train.command_line = compare.command_line = joined(count, words);
  add_make(app, make, status);
  add_train(app, train, status);
  add_predict(app, predict, status);
  add_evaluate(app, evaluate, status);
  add_show(app, show, status);
  add_compare(app, compare, status);
  add_others(app, list, inspect, status);
  add_bench(app, bench, status);
  check_command(app, count, words);
  try {
    app.parse(count, words);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : static_cast<int>(ErrorKind::usage);
  }
  return status;
}

}  // namespace

int main(int count, char** words) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is a write that fails
  std::signal(SIGXFSZ, SIG_IGN);  // so is a file that may not grow
  try {
    return run(count, words);
  } catch (...) {
    return complain();
  }
}
