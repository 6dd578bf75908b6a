// Where a run stands: all that a checkpoint holds beside weights and the optimizer's memory. Data order and random
// numbers are functions of these counters, so nothing else is needed to go on bit for bit.
#pragma once

#include <cstdint>
#include <string>

namespace fovea {

struct Progress {
  std::int64_t update = 0;  // updates made, skipped ones counted
  std::int64_t epoch = 0;   // epochs completed
  std::int64_t batch = 0;   // batches of the current epoch done
  int validations = 0;
  std::string metric;            // what decides, see tasks/criterion.h; empty before the first validation
  double best = 0;               // the best of it on the held-out part
  double best_loss = 0;          // there, of that model
  std::int64_t best_update = 0;  // which it was
  int since_best = 0;            // validations since
  double rate_factor = 1;        // what plateaus have left of the learning rate
  std::int64_t skipped = 0;
  int skipped_in_a_row = 0;
  double loss = 0;           // summed over symbols, since the last validation
  std::int64_t symbols = 0;  // how many those were
  double smoothed_loss = 0;  // per symbol, as reported; 0: none yet
  double expected = 0;       // moving average of the log-likelihood per symbol, a baseline of REINFORCE
  bool validating = false;   // a validation is due, and not done yet
  double seconds = 0;        // spent training
  std::string finished;      // why the run is over; empty while it is not
};

}  // namespace fovea
