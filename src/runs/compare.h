// Every combination of some settings, each trained under one budget, in one table.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "runs/compared_run.h"
#include "runs/config_input.h"
#include "runs/training_input.h"
#include "show/comparison.h"

namespace fovea {

// A setting and the values to compare, as set_field reads them; the one value "all" stands for every one it can have.
struct Varied {
  std::string name;
  std::vector<std::string> values;
};

// What a comparison tells whoever watches.
class CompareObserver {
 public:
  virtual ~CompareObserver() = default;
  virtual void noticed(const std::string& /*text*/) {}  // as an Observer is told, like the next
  virtual void chose(const std::vector<Choice>& /*all*/) {}
  virtual void started() {}  // from here on the stop signal is heeded
  // Who watches a run: is told in the process of the run, which is not this one.
  virtual std::unique_ptr<Observer> watch(const PlannedRun&) { return std::make_unique<Observer>(); }
  virtual void done(const PlannedRun&, const RunRecord&, bool /*before*/) {}
  virtual void ended() {}  // all is saved
};

struct CompareRequest {
  TrainingInput data;
  ConfigInput config;
  std::vector<Varied> varied;
  std::filesystem::path folder;  // for the runs, one in it for each; those that are done there are not done again
  std::int64_t seeds = 1;        // runs of each combination, with seeds one apart
  Period stop_after = {120, Period::Unit::seconds};  // each
  int threads = 0;                                   // 0: all
  std::string command = {};                          // for the page: how to do it again
  CompareObserver* observer = nullptr;               // null: nobody watches
  const std::atomic<int>* stop_signal = nullptr;     // not 0: save and return
};

// Each run has a process of its own (runs/child_process.h).
Comparison compare(const CompareRequest& request);

}  // namespace fovea
