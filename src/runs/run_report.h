// What a run leaves behind for people: its report and its model card.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "show/model_card.h"
#include "show/report.h"
#include "training/trainer.h"

namespace fovea {

// A run that has come to its end, or to a stop.
struct TrainedRun {
  std::filesystem::path folder;
  std::string command;  // that did it; empty: not known
  RunStart start;
  std::vector<Output> maps;  // of the last validation
  JournalEvents events;
};

RunReport make_report(const TrainedRun& run, const Trainer& trainer);
ModelCard make_card(const TrainedRun& run, const Trainer& trainer);

// The one that has the best model; nothing before the first.
std::optional<ValidationReport> best_validation(const JournalEvents& events);

// For people: "exact 99.95%, ..., loss 0.0012, at update 1500" and "45.0 s".
std::string describe(const std::optional<ValidationReport>& best);
std::string describe_seconds(double seconds);

}  // namespace fovea
