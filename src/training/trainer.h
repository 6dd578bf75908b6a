// Training from data to the best model, able to stop and go on at any update without a trace in the result, in one
// process or in several (base/ranks.h), of which rank 0 alone validates, saves and reports.
#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/ranks.h"
#include "base/threads.h"
#include "data/batches.h"
#include "inference/answering.h"
#include "tasks/model.h"
#include "training/checkpoint.h"
#include "training/gradient.h"
#include "training/held_out.h"
#include "training/journal.h"
#include "training/judge.h"
#include "training/observer.h"
#include "training/training_data.h"

namespace fovea {

struct RunOptions {
  std::filesystem::path folder;
  int threads = 1;
  Period stop_after = {};                           // none: until patience is at its end
  Period save_every = {60, Period::Unit::seconds};  // beside validations; leaves no trace in the result
  int keep = 0;                                     // the last validated models that stay in the folder, see kept.h
  bool fresh = false;                               // forget what the folder holds
  const std::atomic<int>* stop_signal = nullptr;    // not 0, on any rank: save and return; rank 0's ends a validation
  Ranks* ranks = &Ranks::alone();
};

enum class Ending { finished, stopped, interrupted };

class Trainer {
 public:
  // All ranks make theirs together; it is refused on all of them if their programs, settings or data differ.
  Trainer(const Config& config, TrainingData data, RunOptions options, Files& files, Observer& observer);

  Ending run();

  const Model& model() const { return *model_; }
  const Progress& progress() const { return progress_; }
  std::uint64_t data_hash() const { return lines_.hash; }
  // The held-out loss of the best model, that of the end of a run that stopped as asked among them; none: not
  // validated.
  std::optional<double> best_loss() const {
    return aside_loss_ || progress_.validations == 0 ? aside_loss_ : progress_.best_loss;
  }
  // Whether that model knows more than how frequent the target's symbols are.
  bool has_left_single_symbols() const { return best_loss() && judge_->has_left_single_symbols(*best_loss()); }
  double loss_of_single_symbols() const { return held_out_->loss_of_single_symbols(); }
  // Of the weights as they are now.
  std::optional<HeldOut::Exchanged> exchange_sources();

 private:
  void start();
  void begin();
  void resume();
  void share_progress();
  void train_batch(std::span<const std::uint32_t> batch);
  void report_update(const GradientResult& result, double rate);
  void estimate_end(UpdateReport& report) const;
  void validate();
  Ending validate_aside();
  std::pair<ValidationReport, ModelFiles> look_at_held_out();
  void take_in(ValidationReport report);
  enum class Save { due, last };
  void save(Save which);
  bool due(Period period) const;  // at the current update; epochs fall due at their end
  bool reached(Period limit) const;
  std::optional<Ending> reason_to_stop();
  double seconds() const;

  Config config_;
  TrainingData data_;
  RunOptions options_;
  Files& files_;
  Observer& observer_;
  Ranks& ranks_;

  std::unique_ptr<Model> model_;
  EncodedLines lines_;
  std::string from_;  // the model it began with; empty: none

  Workers workers_;
  std::unique_ptr<GradientWorker> gradient_;
  std::unique_ptr<HeldOut> held_out_;
  std::unique_ptr<Judge> judge_;
  std::unique_ptr<Optimizer> optimizer_;
  std::unique_ptr<Journal> journal_;
  Progress progress_;
  BatchPlan plan_;

  std::optional<double> aside_loss_;  // of a model at a stop that is the best

  bool unsaved_ = false;                     // something has happened since the last save
  ModelFiles best_model_;                    // if it is not written yet
  std::map<std::int64_t, ModelFiles> kept_;  // by update, likewise

  std::int64_t first_update_ = 0;  // of this process's part of the run
  double started_at_ = 0;          // of this process's part of the run
  double seconds_before_ = 0;      // of earlier parts
  double saved_at_ = 0;            // or tried to
  double rate_at_ = 0;             // tokens per second: since then
  std::int64_t rate_tokens_ = 0;
  double tokens_per_second_ = 0;
};

}  // namespace fovea
