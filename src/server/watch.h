// Training made visible: an observer that passes everything on and writes it down for those who watch by HTTP.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "server/events.h"
#include "training/observer.h"

namespace fovea {

class WatchedTraining : public Observer {
 public:
  // `next` must outlive it. Of a run that goes on the past is read from its folder.
  WatchedTraining(Observer& next, std::shared_ptr<EventLog> events, std::filesystem::path folder = {})
      : next_(next), events_(std::move(events)), folder_(std::move(folder)) {}

  void noticed(const std::string& text) override;
  void chose(const std::vector<Choice>& all) override;
  void started(const RunStart& start) override;
  void updated(const UpdateReport& report) override;
  void filmed(const std::string& frame) override;
  void validated(const ValidationReport& report) override;
  void saved(const std::string& path, std::int64_t update) override;
  void warned(const std::string& message) override;
  void ended() override;

 private:
  Observer& next_;
  std::shared_ptr<EventLog> events_;
  std::filesystem::path folder_;
  std::vector<Choice> choices_;
  std::chrono::steady_clock::time_point last_update_ = {};
};

}  // namespace fovea
