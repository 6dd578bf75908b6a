#include "runs/train.h"

#include <functional>

#include "base/ranks.h"
#include "data/columns.h"
#include "runs/beginning_input.h"
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

  void noticed(const std::string& text) override { next_.noticed(text); }
  void started(const RunStart& start) override {
    if (on_start) on_start();
    run_.start = start;
    if (start.resumed_from == 0 && !choices_.empty()) next_.chose(choices_);
    next_.started(start);
  }
  void updated(const UpdateReport& report) override { next_.updated(report); }
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
  if (run.maps.empty() && files.exists(run.folder / report_file_name)) return;  // nothing was measured since
  files.write_atomically(run.folder / report_file_name, draw_report(make_report(run, trainer)));
  files.write_atomically(run.folder / card_file_name, draw_model_card(make_card(run, trainer)));
}

}  // namespace

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
    files.make_directories(request.folder);
    lock.emplace(request.folder);
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
  recorder.announce(std::move(resolved.choices));
  // Of a run that goes on it is there already, and a request that is refused must not change it.
  const bool goes_on = !request.fresh && files.exists(request.folder / checkpoint_file_name);
  if (ranks.first() && !goes_on) {
    recorder.on_start = [&] { files.write_atomically(request.folder / config_file_name, to_toml(resolved.config)); };
  }
  TrainResult result;
  result.ending = trainer.run();
  recorder.ended();
  const Progress& progress = trainer.progress();
  result.reason = progress.finished;
  result.config = std::move(resolved.config);
  result.updates = progress.update;
  result.seconds = progress.seconds;
  result.best_loss = progress.best_loss;
  result.loss_of_single_symbols = trainer.loss_of_single_symbols();
  result.learned = progress.validations == 0 || trainer.has_left_single_symbols();
  if (!ranks.first()) return result;
  run.events = read_journal(files, request.folder / journal_file_name);
  result.best = best_validation(run.events);
  write_reports(files, run, trainer);
  return result;
}

}  // namespace fovea
