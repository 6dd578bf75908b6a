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

// Of a run as its folder has it: what only the one who trained knows is not there. Throws a usage_error if it holds
// none.
RunReport read_report(Files& files, const std::filesystem::path& folder);

// Those of the last frame of its film; none if there is no film.
std::vector<Output> last_maps(Files& files, const std::filesystem::path& folder);

ModelCard make_card(const TrainedRun& run, const Trainer& trainer);

// The one that has the best model; nothing before the first.
std::optional<ValidationReport> best_validation(const JournalEvents& events);

// For people: "exact 99.95%, CER 0.01%, loss 0.0012, at update 1500" and "45.0 s".
std::string describe(const std::optional<ValidationReport>& best, const Config& config);
std::string describe_seconds(double seconds);

}  // namespace fovea
