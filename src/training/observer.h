// What training tells whoever watches: a terminal, a log, a page.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tasks/confusions.h"
#include "tasks/defaults.h"
#include "tasks/metrics/metric_values.h"
#include "tasks/output.h"

namespace fovea {

struct RunStart {
  std::int64_t training_lines = 0;
  std::int64_t held_out_lines = 0;
  int source_symbols = 0;
  int target_symbols = 0;
  std::int64_t weights = 0;
  std::int64_t updates_per_epoch = 0;
  double padding_share = 0;
  std::int64_t resumed_from = 0;    // update; 0 for a new run
  std::string metric = {};          // what decides which model is best
  std::optional<double> best = {};  // of a run that goes on
  int patience_left = 0;
  bool one_step = false;  // an answer is one symbol
};

struct UpdateReport {
  std::int64_t update = 0;
  double epoch = 0;
  double seconds = 0;            // of training, over all its parts
  double training_loss = 0;      // per target symbol, a moving mean
  double tokens_per_second = 0;  // source and target symbols
  double learning_rate = 0;
  double gradient_norm = 0;
  std::int64_t skipped = 0;                                // updates that were not finite
  std::vector<std::pair<std::string, double>> terms = {};  // the objective's parts, per target symbol of this update
  double seconds_left = 0;                                 // until the run may end; negative: not known yet
  std::string_view until = "";                             // what ends it then: the asked time, or patience
};

struct Sample {
  std::string target;
  Output answer;
  std::string line = {};  // as it can be asked again
};

// An answer that is far from what was wanted.
struct WrongAnswer {
  std::string source;
  std::string target;
  std::string answer;
  std::int64_t edits = 0;  // of characters
  std::string line = {};   // as it can be asked again
};

struct ValidationReport {
  std::int64_t update = 0;
  double epoch = 0;
  double seconds = 0;
  double training_loss = 0;  // nats per target symbol, since the last validation, label smoothing included
  double held_out_loss = 0;  // nats per target symbol
  MetricValues metrics;
  std::int64_t unfinished = 0;  // answers that were cut at their greatest length
  bool all_right = false;       // every answer
  std::string metric;           // what decides whether it is the best, see tasks/criterion.h
  bool best = false;
  bool aside = false;  // made because the run was to stop: when it goes on, it is as if it had never been
  int patience_left = 0;
  std::vector<Sample> samples;
  std::vector<WrongAnswer> worst = {};     // the most edits first
  std::vector<Confusion> confusions = {};  // the most frequent first
};

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void noticed(const std::string& /*text*/) {}       // which columns and lines were read
  virtual void chose(const std::vector<Choice>& /*all*/) {}  // settings that nobody gave, of a run that begins
  virtual void started(const RunStart&) {}
  virtual void updated(const UpdateReport&) {}
  // Before it is saved: what is written now is there whenever the checkpoint knows of this validation. Not of one
  // aside.
  virtual void measured(const ValidationReport&) {}
  virtual void filmed(const std::string& /*frame*/) {}  // a line of film.jsonl, of what was measured
  virtual void validated(const ValidationReport&) {}
  virtual void saved(const std::string& /*path*/, std::int64_t /*update*/) {}
  virtual void warned(const std::string& /*message*/) {}
  virtual void ended() {}  // all is saved; the report is still to be written
};

}  // namespace fovea
