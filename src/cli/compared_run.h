// One run of a comparison: trained and measured in a process of its own, and remembered in its folder, so that the same
// comparison need not do it twice.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "cli/progress.h"
#include "show/comparison.h"
#include "training/trainer.h"

namespace fovea {

inline constexpr std::size_t compared_examples = 3;  // held-out lines whose maps are kept

// The same for all runs of a comparison.
struct ComparedTask {
  TrainingData data;
  std::uint64_t data_hash = 0;  // its fingerprint
  Period budget;
  int threads = 1;
  ProgressMode progress = ProgressMode::plain;
};

struct PlannedRun {
  std::string title;  // 3/12 attention.score=dot seed 2
  std::filesystem::path folder;
  Config config;
};

enum class RunState { begun, done, cannot, failed };

struct RunRecord {
  RunState state = RunState::begun;
  std::string reason;  // of the last two
  ComparedRun figures;
};

// Tells these data from others.
std::uint64_t fingerprint(const TrainingData& data);

// A line on standard error that stays.
void say_progress(const std::string& line, ProgressMode mode);

// What the folder remembers of the run; nothing of a run that is new. Throws a usage_error if it is of another config,
// data, budget or number of threads.
std::optional<RunRecord> find_record(const PlannedRun& run, const ComparedTask& task);

// Brings the run to its end, or, after a signal, to where it can go on. Only what has to do with the folder throws.
RunRecord do_run(const PlannedRun& run, const ComparedTask& task);

}  // namespace fovea
