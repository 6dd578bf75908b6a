#include "runs/compare.h"

#include <algorithm>
#include <fmt/core.h>
#include <fmt/ranges.h>

#include "base/as_size.h"
#include "base/random.h"
#include "base/utf8.h"
#include "runs/run_report.h"
#include "tasks/references.h"

namespace fovea {

namespace {

void set_varied(Config& config, const std::string& name, const std::string& value) {
  set_field(config, name + "=" + value, "vary");
}

// With the values that "all" stands for, each of them sound.
Varied check_varied(const Varied& asked, const Config& base) {
  Varied varied = asked;
  if (varied.name == "training.seed") throw usage_error("`vary` training.seed: seeds are repeated with `seeds`");
  if (varied.name == "columns" || varied.name == "max_length") {
    throw usage_error("`vary` {0}: all runs have the same lines; choose with `{0}`", varied.name);
  }
  Config config = base;
  const std::vector<Field> known = FieldsRef(config).visit().fields();
  const auto field = std::ranges::find(known, varied.name, &Field::name);
  if (varied.values == std::vector<std::string>{"all"} && field != known.end()) {
    varied.values = field->rule.names;
    if (std::holds_alternative<bool*>(field->value)) varied.values = {"true", "false"};
    if (varied.values.empty()) {
      throw usage_error("`vary` {}=all: any value is allowed; name those to compare", varied.name);
    }
  }
  if (varied.values.empty()) throw usage_error("`vary` {}: no value to compare", varied.name);
  for (const std::string& value : varied.values) set_varied(config, varied.name, value);
  return varied;
}

std::vector<Varied> check_varied(const std::vector<Varied>& asked, const Config& base) {
  if (asked.empty()) throw usage_error("nothing is varied; name a setting and its values with `vary`");
  std::vector<Varied> all;
  for (const Varied& one : asked) {
    if (std::ranges::find(all, one.name, &Varied::name) != all.end()) {
      throw usage_error("`vary` {}: it is varied already; give all its values at once", one.name);
    }
    all.push_back(check_varied(one, base));
  }
  return all;
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

std::vector<std::string> settings_of(const Comparison& comparison, const ComparedSettings& row) {
  std::vector<std::string> settings;
  for (std::size_t i = 0; i < row.values.size(); ++i) settings.push_back(comparison.names[i] + "=" + row.values[i]);
  return settings;
}

// What nobody gave suits the data and these values, as in training one of them alone; but one metric judges all rows.
Config config_of_row(const ConfigInput& given, const Config& base, std::span<const std::string> settings,
                     std::span<const Example> training) {
  ConfigInput input = given;
  input.settings.push_back("training.metric=" + base.training.metric);
  input.settings.insert(input.settings.end(), settings.begin(), settings.end());
  return make_config(input, base.columns, training).config;
}

// What a row has that the others need not have, beside what is varied: "training.warmup = 400"; empty if nothing.
std::string other_settings(const Config& config, const Config& base, const std::vector<std::string>& varied) {
  std::vector<std::string> others;
  const auto mine = ConstFieldsRef(config).visit().fields(), theirs = ConstFieldsRef(base).visit().fields();
  for (std::size_t i = 0; i < mine.size(); ++i) {
    if (!mine[i].used || std::ranges::find(varied, mine[i].name) != varied.end()) continue;
    if (value_text(mine[i]) == value_text(theirs[i])) continue;
    others.push_back(fmt::format("{} = {}", mine[i].name, value_text(mine[i])));
  }
  return fmt::format("{}", fmt::join(others, ", "));
}

// The runs of all rows in order, seeds within a row.
std::vector<PlannedRun> plan_runs(const Comparison& comparison, const CompareRequest& request, const Config& base,
                                  std::span<const Example> training, CompareObserver& observer) {
  std::vector<PlannedRun> runs;
  const std::size_t count = comparison.rows.size() * as_size(comparison.seeds);
  for (const ComparedSettings& row : comparison.rows) {
    const std::vector<std::string> varied = settings_of(comparison, row);
    const std::string settings = fmt::format("{}", fmt::join(varied, " "));
    Config config = config_of_row(request.config, base, varied, training);
    if (const std::string others = other_settings(config, base, comparison.names); !others.empty()) {
      observer.noticed(fmt::format("{}: {}", printable(settings), others));
    }
    for (std::int64_t i = 0; i < comparison.seeds; ++i) {
      config.training.seed = base.training.seed + i;
      const std::string title = fmt::format("{} seed {}", printable(settings), config.training.seed);
      const std::string place = run_folder_name(fmt::format("{} seed={}", settings, config.training.seed));
      runs.push_back({fmt::format("{}/{} {}", runs.size() + 1, count, title), request.folder / place, config});
    }
  }
  return runs;
}

// All but what is measured.
Comparison empty_comparison(const CompareRequest& request, const ComparedTask& task, const std::vector<Varied>& all,
                            const Config& base) {
  Comparison comparison;
  comparison.command = request.command;
  for (const Varied& one : all) comparison.names.push_back(one.name);
  comparison.budget = to_string(task.budget);
  comparison.metric = base.training.metric;
  comparison.seeds = request.seeds;
  comparison.threads = task.threads;
  comparison.training_lines = std::ssize(task.data.training);
  comparison.held_out_lines = std::ssize(task.data.held_out);
  const std::vector<Referenced> questions = group_references(task.data.held_out, *make_tokenizer("char"));
  for (const std::size_t i : choose_samples(questions, compared_examples)) {
    comparison.targets.push_back(questions[i].references.front());
  }
  for (auto& values : combinations(all)) comparison.rows.push_back({std::move(values), {}, {}});
  return comparison;
}

// Of a run as its folder has it; none if its journal is gone.
void add_curves(const PlannedRun& run, const ComparedSettings& row, Comparison& comparison) {
  Files disk;
  if (!disk.exists(run.folder / journal_file_name)) return;
  RunReport report = read_report(disk, run.folder);
  report.title = printable(fmt::format("{}", fmt::join(row.values, " ")));
  if (comparison.seeds > 1) report.title += fmt::format(" seed {}", run.config.training.seed);
  comparison.curves.push_back(std::move(report));
}

// One run after the other, those that are done already left as they are. After a signal the rest is left undone.
void do_runs(const std::vector<PlannedRun>& runs, const ComparedTask& task, CompareObserver& observer,
             Comparison& comparison) {
  for (std::size_t i = 0; i < runs.size(); ++i) {
    ComparedSettings& row = comparison.rows[i / as_size(comparison.seeds)];
    std::optional<RunRecord> record = find_record(runs[i], task);
    const bool known = record && record->state == RunState::done;
    if (!known && task.stopped()) {
      if (row.trouble.empty()) row.trouble = "not finished";
      continue;
    }
    if (!known) record = do_run(runs[i], task, *observer.watch(runs[i]));
    observer.done(runs[i], *record, known);
    if (record->state == RunState::done) {
      row.runs.push_back(std::move(record->figures));
      add_curves(runs[i], row, comparison);
      if (row.trouble.empty()) row.trouble = record->reason;
    } else if (row.trouble.empty()) {
      row.trouble = describe(*record, runs[i].config);
    }
  }
}

}  // namespace

Comparison compare(const CompareRequest& request) {
  CompareObserver nobody;
  CompareObserver& observer = request.observer ? *request.observer : nobody;
  if (request.folder.empty())
    throw usage_error("\"\" is no folder; give a `folder` for the runs, such as runs/compare");
  if (request.seeds < 1) throw usage_error("`seeds` is {}; at least 1 is wanted", request.seeds);
  Config plain = make_config(request.config);
  const std::vector<Varied> all = check_varied(request.varied, plain);
  ComparedTask task;
  task.budget = request.stop_after;
  task.threads = request.threads > 0 ? request.threads : Workers::default_count();
  task.stop_signal = request.stop_signal;
  task.data = read_training_data(request.data, plain, [&](const std::string& text) { observer.noticed(text); });
  task.data_hash = fingerprint(task.data);
  const ResolvedConfig resolved = make_config(request.config, plain.columns, task.data.training);
  if (!resolved.choices.empty()) observer.chose(resolved.choices);
  Comparison comparison = empty_comparison(request, task, all, resolved.config);

  Files disk;
  disk.make_directories(request.folder);
  const DirectoryLock lock(request.folder);
  const std::vector<PlannedRun> runs = plan_runs(comparison, request, resolved.config, task.data.training, observer);
  for (const PlannedRun& planned : runs) find_record(planned, task);  // a folder of other runs is refused at once
  observer.started();
  do_runs(runs, task, observer, comparison);
  observer.ended();
  return comparison;
}

}  // namespace fovea
