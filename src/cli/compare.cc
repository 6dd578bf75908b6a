// fovea compare: every combination of the varied settings, each trained under one budget, in one table.
#include <algorithm>
#include <fmt/core.h>

#include "base/random.h"
#include "base/utf8.h"
#include "cli/commands.h"
#include "cli/compared_run.h"
#include "cli/out.h"
#include "cli/overwriting.h"
#include "cli/signals.h"
#include "cli/training_input.h"
#include "tasks/criterion.h"
#include "tasks/references.h"

namespace fovea {

namespace {

struct Varied {
  std::string name;
  std::vector<std::string> values;  // as set_field reads them
};

// set_field speaks of the flag it usually serves.
void set_varied(Config& config, const std::string& name, const std::string& value) {
  try {
    set_field(config, name + "=" + value);
  } catch (const Error& e) {
    const std::string message = e.what();
    throw Error(e.kind(), message.starts_with("--set ") ? "--vary " + message.substr(6) : message);
  }
}

// "decoder.size=64,128" or "attention.score=all". A list is written with +: attention.bias=markov,markov+position.
Varied parse_varied(const std::string& text, const Config& base) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) throw usage_error("--vary {}: wanted is name=value,value,... or name=all", text);
  Varied varied{text.substr(0, equals), {}};
  if (varied.name == "training.seed") throw usage_error("--vary {}: seeds are repeated with --seeds N", text);
  if (varied.name == "columns" || varied.name == "max_length") {
    throw usage_error("--vary {}: all runs have the same lines; choose with --{}", text,
                      varied.name == "columns" ? "columns" : "max-length");
  }
  Config config = base;
  const std::vector<Field> known = FieldsRef(config).visit().fields();
  const auto field = std::ranges::find(known, varied.name, &Field::name);
  const std::string values = text.substr(equals + 1);
  if (values == "all" && field != known.end()) {
    varied.values = field->rule.names;
    if (std::holds_alternative<bool*>(field->value)) varied.values = {"true", "false"};
    if (varied.values.empty()) throw usage_error("--vary {}: any value is allowed; name those to compare", text);
  } else {
    for (std::size_t start = 0; start <= values.size();) {
      const std::size_t end = std::min(values.find(',', start), values.size());
      varied.values.push_back(values.substr(start, end - start));
      start = end + 1;
    }
  }
  for (const std::string& value : varied.values) set_varied(config, varied.name, value);
  return varied;
}

// Every choice of one value from each; the last varies fastest.
std::vector<std::vector<std::string>> combinations(const std::vector<Varied>& all) {
  std::vector<std::vector<std::string>> product = {{}};
  for (const Varied& varied : all) {
    std::vector<std::vector<std::string>> longer;
    for (const auto& beginning : product) {
      for (const std::string& value : varied.values) {
        longer.push_back(beginning);
        longer.back().push_back(value);
      }
    }
    product = std::move(longer);
  }
  return product;
}

// Of one that is too long for a file system the beginning is kept, and a hash that tells it from others.
std::string run_folder_name(const std::string& settings) {
  constexpr std::size_t longest = 255, kept = 200;  // bytes
  std::string name = settings;
  for (char& c : name) {
    if (c == '/' || c == ' ' || static_cast<unsigned char>(c) < ' ') c = '_';
  }
  if (name.size() <= longest) return name;
  std::size_t end = kept;
  while ((static_cast<unsigned char>(name[end]) & 0xC0) == 0x80) --end;  // no character is cut in two
  return fmt::format("{}_{:016x}", name.substr(0, end), hash_text(0, settings));
}

// The runs of all rows in order, seeds within a row.
std::vector<PlannedRun> plan_runs(const Comparison& comparison, const Config& base, const std::string& folder) {
  std::vector<PlannedRun> runs;
  const std::size_t count = comparison.rows.size() * static_cast<std::size_t>(comparison.seeds);
  for (const ComparedSettings& row : comparison.rows) {
    Config config = base;
    std::string settings;
    for (std::size_t i = 0; i < row.values.size(); ++i) {
      set_varied(config, comparison.names[i], row.values[i]);
      settings += fmt::format("{}{}={}", i ? " " : "", comparison.names[i], row.values[i]);
    }
    for (std::int64_t i = 0; i < comparison.seeds; ++i) {
      config.training.seed = base.training.seed + i;
      const std::string title = fmt::format("{} seed {}", printable(settings), config.training.seed);
      const std::string place = run_folder_name(fmt::format("{} seed={}", settings, config.training.seed));
      runs.push_back(
          {fmt::format("{}/{} {}", runs.size() + 1, count, title), std::filesystem::path(folder) / place, config});
    }
  }
  return runs;
}

std::string outcome(const RunRecord& record, const Config& config) {
  const ComparedRun& f = record.figures;
  const Metric& metric = leading_metric(Criterion(config.training.metric));
  const Figure* figure = find_figure(f.metrics, metric.name);
  switch (record.state) {
    case RunState::done:
      return fmt::format("update {}, {} {:.4f}, {:.0f} s", f.updates, metric.name, figure ? figure->value : 0.0,
                         f.train_seconds);
    case RunState::cannot:
      return "cannot: " + record.reason;
    case RunState::failed:
      return "failed: " + record.reason;
    case RunState::begun:
      break;
  }
  return "stopped and saved; the same command goes on from there";
}

// One run after the other, those that are done already left as they are. After a signal the rest is left undone.
void do_runs(const std::vector<PlannedRun>& runs, const ComparedTask& task, Comparison& comparison) {
  for (std::size_t i = 0; i < runs.size(); ++i) {
    ComparedSettings& row = comparison.rows[i / static_cast<std::size_t>(comparison.seeds)];
    std::optional<RunRecord> record = find_record(runs[i], task);
    const bool known = record && record->state == RunState::done;
    if (!known && stop_signal() != 0) {
      if (row.trouble.empty()) row.trouble = "not finished";
      continue;
    }
    if (!known) record = do_run(runs[i], task);
    say_progress(
        fmt::format("{}: {}{}", runs[i].title, outcome(*record, runs[i].config), known ? " (done before)" : ""),
        task.progress);
    if (record->state == RunState::done) {
      row.runs.push_back(std::move(record->figures));
    } else if (row.trouble.empty()) {
      row.trouble = outcome(*record, runs[i].config);
    }
  }
}

}  // namespace

int CompareCommand::run() const {
  const auto check_files = [&] {
    check_file(tsv, comparison_table);
    check_file(html, comparison_page);
  };
  check_files();
  if (folder.empty()) throw usage_error("-o \"\" is no folder; give one for the runs, such as -o runs/compare");
  Config plain = make_config(input);
  std::vector<Varied> all;
  for (const std::string& text : varied) {
    Varied one = parse_varied(text, plain);
    if (std::ranges::find(all, one.name, &Varied::name) != all.end()) {
      throw usage_error("--vary {}: {} is varied already; give all its values at once", text, one.name);
    }
    all.push_back(std::move(one));
  }
  ComparedTask task;
  task.budget = parse_period(stop_after);
  task.threads = threads > 0 ? threads : Workers::default_count();
  task.progress = parse_progress(progress);
  task.data = read_training_data(files, plain);
  task.data_hash = fingerprint(task.data);
  const ResolvedConfig resolved = make_config(input, plain.columns, task.data.training);
  const Config& base = resolved.config;
  if (task.progress != ProgressMode::none) say_choices(resolved.choices);

  Comparison comparison;
  comparison.command = command_line;
  for (const Varied& one : all) comparison.names.push_back(one.name);
  comparison.budget = to_string(task.budget);
  comparison.metric = base.training.metric;
  comparison.seeds = seeds;
  comparison.threads = task.threads;
  comparison.training_lines = std::ssize(task.data.training);
  comparison.held_out_lines = std::ssize(task.data.held_out);
  const std::vector<Referenced> questions = group_references(task.data.held_out, *make_tokenizer("char"));
  for (const std::size_t i : choose_samples(questions, compared_examples)) {
    comparison.targets.push_back(questions[i].references.front());
  }
  for (auto& values : combinations(all)) comparison.rows.push_back({std::move(values), {}, {}});

  Files disk;
  disk.make_directories(folder);
  const DirectoryLock lock(folder);
  const std::vector<PlannedRun> runs = plan_runs(comparison, base, folder);
  for (const PlannedRun& planned : runs) find_record(planned, task);  // a folder of other runs is refused at once
  catch_stop_signals();
  do_runs(runs, task, comparison);
  all_is_saved();

  check_files();  // a comparison takes its time
  if (!tsv.empty()) disk.write_atomically(tsv, comparison_to_tsv(comparison));
  if (!html.empty()) disk.write_atomically(html, draw_comparison_page(comparison));
  write_out(json ? comparison_to_json(comparison) : draw_comparison(comparison));
  flush_out();
  if (stop_signal() != 0) return 128 + stop_signal();
  const bool measured = std::ranges::any_of(comparison.rows, [](const auto& row) { return !row.runs.empty(); });
  return measured ? 0 : static_cast<int>(ErrorKind::failure);
}

}  // namespace fovea
