#include "runs/train.h"

#include <cmath>
#include <fmt/core.h>
#include <functional>

#include "base/ranks.h"
#include "data/columns.h"
#include "runs/beginning_input.h"
#include "runs/film.h"
#include "runs/run_folder.h"
#include "runs/run_report.h"

namespace fovea {

namespace {

// Passes everything on and keeps what the report needs.
class Recorder : public Observer {
 public:
  Recorder(Observer& next, TrainedRun& run) : next_(next), run_(run) {}
  // To be told when a new run has begun.
  void announce(std::vector<Choice> choices) { choices_ = std::move(choices); }
  std::function<void()> on_start;  // once nothing is refused any more
  std::function<void(const ValidationReport&)> on_measured;

  void noticed(const std::string& text) override { next_.noticed(text); }
  void started(const RunStart& start) override {
    if (on_start) on_start();
    run_.start = start;
    if (start.resumed_from == 0 && !choices_.empty()) next_.chose(choices_);
    next_.started(start);
  }
  void updated(const UpdateReport& report) override { next_.updated(report); }
  void measured(const ValidationReport& report) override {
    next_.measured(report);
    if (on_measured) on_measured(report);
  }
  void filmed(const std::string& frame) override { next_.filmed(frame); }
  void validated(const ValidationReport& report) override {
    run_.maps.clear();
    for (const Sample& s : report.samples) run_.maps.push_back(s.answer);
    next_.validated(report);
  }
  void saved(const std::string& path, std::int64_t update) override { next_.saved(path, update); }
  void warned(const std::string& message) override { next_.warned(message); }
  void ended() override { next_.ended(); }

 private:
  Observer& next_;
  TrainedRun& run_;
  std::vector<Choice> choices_;
};

RunOptions options_of(const TrainRequest& request) {
  RunOptions options;
  options.folder = request.folder;
  options.threads = threads_of_rank(request.threads);
  options.stop_after = request.stop_after;
  options.save_every = request.save_every;
  options.keep = request.keep;
  options.fresh = request.fresh;
  options.stop_signal = request.stop_signal;
  options.ranks = request.ranks;
  return options;
}

void write_reports(Files& files, const TrainedRun& run, const Trainer& trainer) {
  files.write_atomically(run.folder / report_file_name, draw_report(make_report(run, trainer)));
  files.write_atomically(run.folder / card_file_name, draw_model_card(make_card(run, trainer)));
}

}  // namespace

namespace {

// So far above what any model begins with that the updates must be too large.
bool has_diverged(const TrainResult& result) {
  return result.best_loss > 2 * result.loss_of_single_symbols && result.best_loss > 1.2 * result.loss_of_guessing;
}

std::string nothing_learned(const TrainResult& result) {
  const std::string known = fmt::format(
      "on the held-out lines the loss is {:.3f} a symbol, and {:.3f} for one who knows only how frequent the "
      "symbols are",
      result.best_loss, result.loss_of_single_symbols);
  const double tried = result.config.training.learning_rate, usual = learning_rate_for(result.config.model);
  if (has_diverged(result)) {
    return fmt::format(
        "nothing was learned: {}. The updates are too large: try `settings` training.learning_rate={:.2g}", known,
        std::min(usual, tried / 10));
  }
  if (result.ending != Ending::finished) {
    const std::string faster =
        tried < usual / 3 ? fmt::format(", or with `settings` training.learning_rate={:.2g}", usual) : "";
    return fmt::format("nothing was learned yet: {}. Train for longer{}", known, faster);
  }
  return fmt::format(
      "nothing was learned: {}. Do source and target of a line belong together? If so, try more lines, `settings` "
      "training.learning_rate={:.2g}, or more patience",
      known, tried < usual ? usual : tried / 3);
}

// Whether lines that have one another's sources are as probable as they are.
bool heeds_sources(const HeldOut::Exchanged& losses) {
  constexpr double clearly = 1.05;
  return losses.others > clearly * losses.own;
}

}  // namespace

std::string what_was_not_learned(const TrainResult& result) {
  if (!result.learned) return nothing_learned(result);
  if (!result.exchanged || heeds_sources(*result.exchanged)) return {};
  const std::string known = fmt::format("the held-out loss is {:.3f}, and {:.3f} where each line has another's source",
                                        result.exchanged->own, result.exchanged->others);
  return result.ending == Ending::finished
             ? fmt::format("answers do not depend on the source: {}. Do source and target of a line belong together?",
                           known)
             : fmt::format(
                   "answers do not depend on the source yet: {}. Train for longer, unless source and target of "
                   "a line do not belong together",
                   known);
}

TrainResult train(const TrainRequest& request) {
  Ranks& ranks = *request.ranks;
  Files files;
  std::shared_ptr<const Beginning> beginning =
      find_beginning(files, request.from, request.folder, request.fresh, ranks);
  const Config* from = beginning ? &beginning->model->config() : nullptr;
  Config config = make_config(request.config, from);  // what is wrong with it is said before the data is read
  if (ranks.count() > 1 && request.data.reads_standard_input()) {
    throw usage_error("of {} ranks one alone gets standard input; give the data as a file", ranks.count());
  }
  std::optional<DirectoryLock> lock;
  if (ranks.first()) {
    check_run_folder(request.folder);
    if (may_hold(request.folder, lock_file_name)) lock.emplace(request.folder);
  }
  Observer nobody;
  TrainedRun run;
  run.folder = request.folder;
  run.command = request.command;
  Recorder recorder(request.observer ? *request.observer : nobody, run);
  TrainingData data =
      read_training_data(request.data, config, [&](const std::string& text) { recorder.noticed(text); });
  if (beginning) beginning->model->task().check_columns(Columns(config.columns));
  ResolvedConfig resolved = make_config(request.config, config.columns, data.training, from);
  data.beginning = std::move(beginning);
  Trainer trainer(resolved.config, std::move(data), options_of(request), files, recorder);
  if (ranks.first() && !lock) {  // a request that is refused leaves nothing behind
    files.make_directories(request.folder);
    lock.emplace(request.folder);
  }
  recorder.announce(std::move(resolved.choices));
  std::optional<Film> film;
  if (ranks.first()) {
    recorder.on_start = [&] {  // not before: a request that is refused changes nothing
      files.write_atomically(request.folder / config_file_name, to_toml(resolved.config));
      if (request.film) film.emplace(files, request.folder, trainer.progress());
    };
    recorder.on_measured = [&](const ValidationReport& report) {
      try {
        if (!film) return;
        if (const std::string* frame = film->add(report, trainer.progress().validations, trainer.model())) {
          recorder.filmed(*frame);
        }
      } catch (const Error& e) {  // the film is no reason to stop
        recorder.warned(e.what());
      }
    };
  }
  TrainResult result;
  result.ending = trainer.run();
  recorder.ended();
  const Progress& progress = trainer.progress();
  result.reason = progress.finished;
  result.config = std::move(resolved.config);
  result.updates = progress.update;
  result.seconds = progress.seconds;
  result.best_loss = trainer.best_loss().value_or(0);
  result.loss_of_single_symbols = trainer.loss_of_single_symbols();
  result.loss_of_guessing = std::log(static_cast<double>(trainer.model().task().target().size()));
  result.learned = !trainer.best_loss() || trainer.has_left_single_symbols();
  if (!ranks.first()) return result;
  if (result.ending != Ending::interrupted) result.exchanged = trainer.exchange_sources();
  run.events = read_journal(files, request.folder / journal_file_name);
  result.best = best_validation(run.events);
  if (run.maps.empty()) run.maps = last_maps(files, request.folder);  // nothing was measured since it went on
  write_reports(files, run, trainer);
  return result;
}

}  // namespace fovea
