#include <algorithm>
#include <chrono>
#include <csignal>
#include <fmt/core.h>
#include <optional>
#include <thread>

#include "base/ranks.h"
#include "base/streams.h"
#include "base/watchdog.h"
#include "cli/commands.h"
#include "cli/complaint.h"
#include "cli/out.h"
#include "cli/overwriting.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "cli/terminal.h"
#include "cli/training_input.h"
#include "kernels/instruction_set.h"
#include "show/metric_text.h"
#include "show/model_card.h"
#include "show/report.h"
#include "tasks/criterion.h"
#include "training/trainer.h"

namespace fovea {

namespace {

// Passes everything on to the screen and keeps what the report needs.
class Recorder : public Observer {
 public:
  explicit Recorder(Observer& screen) : screen_(screen) {}
  // To be said when a new run has begun.
  void announce(std::vector<Choice> choices) { choices_ = std::move(choices); }
  void started(const RunStart& start) override {
    start_ = start;
    if (start.resumed_from == 0) say_choices(choices_);
    screen_.started(start);
  }
  void updated(const UpdateReport& report) override { screen_.updated(report); }
  void validated(const ValidationReport& report) override {
    maps_.clear();
    for (const Sample& s : report.samples) maps_.push_back(s.answer);
    screen_.validated(report);
  }
  void saved(const std::string& path, std::int64_t update) override { screen_.saved(path, update); }
  void warned(const std::string& message) override { screen_.warned(message); }

  const RunStart& start() const { return start_; }
  const std::vector<Output>& maps() const { return maps_; }  // of the last validation

 private:
  Observer& screen_;
  std::vector<Choice> choices_;
  RunStart start_;
  std::vector<Output> maps_;
};

// The last part of a path, with or without a slash behind it.
std::string folder_name(const std::string& folder) {
  const std::filesystem::path path = std::filesystem::path(folder).lexically_normal();
  return path.has_filename() ? path.filename().string() : path.parent_path().filename().string();
}

std::string minutes(double seconds) {
  return seconds < 120 ? fmt::format("{:.1f} s", seconds) : fmt::format("{:.1f} min", seconds / 60);
}

const ValidationReport* best_of(const JournalEvents& events) {
  const auto best =
      std::ranges::find_if(events.validations.rbegin(), events.validations.rend(), &ValidationReport::best);
  return best == events.validations.rend() ? nullptr : &*best;
}

std::string best_text(const JournalEvents& events) {
  const ValidationReport* best = best_of(events);
  if (!best) return "not measured yet";
  std::string text;
  for (const auto& [name, value] : best->metrics) {
    const Metric& metric = metrics().find(name);
    text += fmt::format("{} {}, ", metric.title, metric_text(metric, value, 2));
  }
  return text + fmt::format("loss {}, at update {}", loss_text(best->held_out_loss), best->update);
}

constexpr std::size_t most_validations = 20;  // whose samples a report shows

RunReport make_report(const TrainCommand& c, const Recorder& recorder, const Trainer& trainer,
                      const JournalEvents& events) {
  RunReport report;
  report.title = folder_name(c.folder);
  report.command = c.command_line;
  // The loss has a curve of its own.
  const Metric& metric = leading_metric(Criterion(trainer.model().config().training.metric));
  report.metric = metric.title;
  report.higher_is_better = metric.higher_is_better;
  for (const UpdateReport& u : events.updates) {
    report.points.push_back({u.update, u.epoch, u.seconds, u.training_loss, {}, {}});
  }
  for (const ValidationReport& v : events.validations) {
    // Its loss is a mean over an epoch, the others' a moving one: drawn together they would zigzag.
    const std::optional<double> loss = events.updates.empty() ? std::optional(v.training_loss) : std::nullopt;
    report.points.push_back({v.update, v.epoch, v.seconds, loss, v.held_out_loss, v.metrics.find(metric.name)});
  }
  std::ranges::stable_sort(report.points, {}, &RunPoint::update);
  for (const ValidationReport& v :
       std::span(events.validations).last(std::min(most_validations, events.validations.size()))) {
    report.validations.push_back({v.update, {}});
    for (const Sample& s : v.samples) {
      report.validations.back().samples.push_back(
          {s.answer.source_text, s.target, s.answer.text, s.target == s.answer.text});
    }
  }
  report.earlier_validations = events.validations.size() - report.validations.size();
  report.maps = recorder.maps();
  const Progress& p = trainer.progress();
  report.facts = {{"best on the held-out lines", best_text(events)},
                  {"updates", fmt::format("{} ({} skipped)", p.update, p.skipped)},
                  {"epochs", fmt::format("{}", p.epoch)},
                  {"time", minutes(p.seconds)},
                  {"training lines", fmt::format("{}", recorder.start().training_lines)},
                  {"held-out lines", fmt::format("{}", recorder.start().held_out_lines)},
                  {"weights", fmt::format("{}", recorder.start().weights)},
                  {"padding", fmt::format("{:.1f} %", 100 * recorder.start().padding_share)},
                  {"instruction set", kernels::instruction_set()},
                  {"fovea", FOVEA_VERSION}};
  return report;
}

ModelCard make_card(const TrainCommand& c, const Recorder& recorder, const Trainer& trainer,
                    const JournalEvents& events) {
  ModelCard card;
  card.name = folder_name(c.folder);
  card.task = trainer.model().config().task;
  card.config_toml = to_toml(trainer.model().config());
  card.training_lines = recorder.start().training_lines;
  card.held_out_lines = recorder.start().held_out_lines;
  card.weights = recorder.start().weights;
  for (const ValidationReport& v : events.validations) {
    if (!v.best) continue;
    card.metrics = v.metrics;
    card.metrics.add(Criterion::loss_name, v.held_out_loss);
  }
  card.updates = trainer.progress().update;
  card.seconds = trainer.progress().seconds;
  card.instruction_set = kernels::instruction_set();
  card.version = FOVEA_VERSION;
  card.data_hash = fmt::format("{:016x}", trainer.data_hash());
  card.command = c.command_line;
  return card;
}

}  // namespace

int TrainCommand::run() const {
  const std::unique_ptr<Ranks> ranks = join_ranks();
  const Watchdog watchdog(*ranks, std::chrono::duration<double>(rank_timeout), [&](const Error& missing) {
    try {
      throw missing;
    } catch (...) {
      ranks->abort(complain());
    }
  });
  try {
    return run(*ranks);
  } catch (...) {
    if (ranks->count() == 1) throw;
    // What is wrong on all ranks is said once: while the others wait, rank 0 ends them.
    if (!ranks->first()) std::this_thread::sleep_for(std::chrono::seconds(2));
    const int code = complain();
    ranks->abort(code);
    return code;
  }
}

int TrainCommand::run(Ranks& ranks) const {
  const bool quiet = !ranks.first();
  Config config = make_config(input);  // what is wrong with it is said before the data is read
  if (print_config) {
    if (!files.data.empty() || !files.source_file.empty()) {
      const TrainingData lines = read_training_data(files, config, quiet);
      config = make_config(input, config.columns, lines.training).config;
    }
    if (ranks.first()) write_out(to_toml(config));
    flush_out();
    return 0;
  }
  if (ranks.count() > 1 && files.read_standard_input()) {
    throw usage_error("of {} ranks one alone gets standard input; give the data as a file", ranks.count());
  }
  const Period limit = parse_period(stop_after), saving = parse_period(save_every);
  const Terminal terminal = terminal_of(stderr);
  const ProgressMode mode = parse_progress(progress, terminal);
  Files disk;
  const std::filesystem::path path = folder;
  std::optional<DirectoryLock> lock;
  if (ranks.first()) {
    check_run_folder(path);
    disk.make_directories(path);
    lock.emplace(path);
  }
  ProgressView screen(say, mode, terminal.width, terminal.colour != TerminalColour::none);
  Observer nobody;
  Recorder recorder(ranks.first() ? static_cast<Observer&>(screen) : nobody);
  TrainingData data = read_training_data(files, config, quiet);
  const ResolvedConfig resolved = make_config(input, config.columns, data.training);
  config = resolved.config;
  Trainer trainer(config, std::move(data),
                  {.folder = path,
                   .threads = threads_of_rank(threads),
                   .stop_after = limit,
                   .save_every = saving,
                   .fresh = fresh,
                   .stop_signal = &stop_signal(),
                   .ranks = &ranks},
                  disk, recorder);
  if (!quiet && mode != ProgressMode::none) recorder.announce(resolved.choices);
  // Of a run that goes on it is there already, and a command that is refused must not change it.
  const bool goes_on = !fresh && disk.exists(path / checkpoint_file_name);
  if (ranks.first() && !goes_on) disk.write_atomically(path / "config.toml", to_toml(config));
  catch_stop_signals();
  const Ending ending = trainer.run();
  all_is_saved();
  // Another rank may be the one that was told to stop.
  const int code = ending == Ending::interrupted ? 128 + (stop_signal() ? stop_signal().load() : SIGTERM) : 0;
  if (!ranks.first()) return code;
  screen.finish();
  const JournalEvents events = read_journal(disk, path / journal_file_name);
  if (!recorder.maps().empty() || !disk.exists(path / "report.html")) {
    disk.write_atomically(path / "report.html", draw_report(make_report(*this, recorder, trainer, events)));
    disk.write_atomically(path / "README.md", draw_model_card(make_card(*this, recorder, trainer, events)));
  }
  const Progress& p = trainer.progress();
  if (ending == Ending::interrupted) {
    say(fmt::format("stopped at update {} and saved; the same command{} goes on from there\n", p.update,
                    fresh ? " without --fresh" : ""));
    return code;
  }
  say(fmt::format("{}: {} after {} updates, {}\n", folder,
                  ending == Ending::finished ? "finished (" + p.finished + ")" : "stopped, as asked", p.update,
                  minutes(p.seconds)));
  say("best on the held-out lines: " + best_text(events) + "\n");
  if (p.validations > 0 && !trainer.has_left_single_symbols()) {
    say(fmt::format(
        "nothing was learned: on the held-out lines the loss is {:.3f} a symbol, and {:.3f} for one who knows "
        "only how frequent the symbols are. Do source and target of a line belong together? If so, try more "
        "lines, --set training.learning_rate={:.2g}, or more patience\n",
        p.best_loss, trainer.loss_of_single_symbols(), config.training.learning_rate / 3));
  }
  return 0;
}

}  // namespace fovea
