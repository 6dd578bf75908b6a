// A small run, and what an observer saw of it.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "training/tiny_run.h"
#include "training/trainer.h"

namespace fovea {

class Record : public Observer {
 public:
  void started(const RunStart& start) override { starts.push_back(start); }
  void updated(const UpdateReport& report) override { updates.push_back(report); }
  void validated(const ValidationReport& report) override { validations.push_back(report); }
  void saved(const std::string&, std::int64_t update) override { saves.push_back(update); }
  void warned(const std::string& message) override { warnings.push_back(message); }

  std::vector<RunStart> starts;
  std::vector<UpdateReport> updates;
  std::vector<ValidationReport> validations;
  std::vector<std::int64_t> saves;
  std::vector<std::string> warnings;
};

class TrainerTest : public testing::Test {
 protected:
  Trainer trainer(const Config& config, std::int64_t updates, bool fresh = false) {
    return Trainer(config, tiny_data(),
                   {.folder = folder_.path(),
                    .stop_after = {updates, Period::Unit::updates},
                    .save_every = save_every_,
                    .fresh = fresh},
                   files_, record_);
  }
  void train(const Config& config, std::int64_t updates) { trainer(config, updates).run(); }

  TemporaryFolder folder_;
  Files files_;
  Record record_;
  Period save_every_ = {5, Period::Unit::updates};
};

// With so small a rate no validation is better than the first, and the loss stays where it began.
inline const std::vector<std::string> stuck = {"training.decay=plateau", "training.decay_after=1",
                                               "training.learning_rate=1e-12", "training.validate_every=5u"};

}  // namespace fovea
