// Training from files or lines in memory to a folder with the model, its report and its model card.
#pragma once

#include <atomic>
#include <filesystem>
#include <optional>
#include <string>

#include "runs/config_input.h"
#include "runs/training_input.h"
#include "training/trainer.h"

namespace fovea {

struct TrainRequest {
  TrainingInput data;
  ConfigInput config;               // what is not given is chosen to suit the data
  std::filesystem::path folder;     // for the model and all about it; if it holds a run, that goes on
  std::filesystem::path from = {};  // a model to begin with, a run's folder or a file; empty: none
  int threads = 0;                  // 0: all
  Period stop_after = {};           // none: until patience is at its end
  Period save_every = {60, Period::Unit::seconds};
  int keep = 0;                                   // so many of the last validated models stay in the folder
  bool fresh = false;                             // forget what the folder holds
  bool film = true;                               // what validations saw is kept for fovea show, see film.h
  std::string command = {};                       // for report and card: how to do it again
  Observer* observer = nullptr;                   // null: nobody watches
  const std::atomic<int>* stop_signal = nullptr;  // not 0: save and return
  Ranks* ranks = &Ranks::alone();                 // each calls train
};

struct TrainResult {
  Ending ending = Ending::finished;
  std::string reason;  // why it is finished; empty: it is not
  Config config;       // as resolved
  std::int64_t updates = 0;
  double seconds = 0;                    // over all its parts
  std::optional<ValidationReport> best;  // where the model in the folder was measured; none: not yet; on rank 0 alone
  double best_loss = 0;                  // on the held-out lines, of that model
  double loss_of_single_symbols = 0;     // of one who knows only how frequent the target's symbols are
  double loss_of_guessing = 0;           // of one who does not know even that
  bool learned = true;                   // more than that, as far as was measured
  // Of the weights at its end, if it was not interrupted; on rank 0 alone.
  std::optional<HeldOut::Exchanged> exchanged;
};

// What to tell of a run that has not learned anything, or nothing of its sources, and what might help; empty: it has.
std::string what_was_not_learned(const TrainResult& result);

// The same request again goes on where it stopped. From Observer::started on the stop signal is heeded.
TrainResult train(const TrainRequest& request);

}  // namespace fovea
