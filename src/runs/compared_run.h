// One run of a comparison: trained and measured in a process of its own, and remembered in its folder, so that the same
// comparison need not do it twice.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

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
  const std::atomic<int>* stop_signal = nullptr;

  bool stopped() const { return stop_signal && *stop_signal != 0; }
};

struct PlannedRun {
  std::string title;  // 3/12 attention.score=dot seed 2
  std::filesystem::path folder;
  Config config;
};

enum class RunState { begun, done, cannot, failed };

struct RunRecord {
  RunState state = RunState::begun;
  std::string reason;  // of the last two; of one that is done what is doubtful about it, or nothing
  ComparedRun figures;
};
// What became of it: "update 500, exact 0.9123, 45 s", "cannot: ...".
std::string describe(const RunRecord& record, const Config& config);

// Tells these data from others.
std::uint64_t fingerprint(const TrainingData& data);

// What the folder remembers of the run; nothing of a run that is new. Throws a usage_error if it is of another config,
// data, budget or number of threads.
std::optional<RunRecord> find_record(const PlannedRun& run, const ComparedTask& task);

// Brings the run to its end, or, after a signal, to where it can go on. Only what has to do with the folder throws. The
// observer is told in the process of the run.
RunRecord do_run(const PlannedRun& run, const ComparedTask& task, Observer& observer);

}  // namespace fovea
