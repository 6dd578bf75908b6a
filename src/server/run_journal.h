// What a run has written down in its folder, as events for those who watch.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "base/json.h"
#include "server/events.h"

namespace fovea {

// A line of film.jsonl.
std::string film_event(Json frame);

// Those of metrics.jsonl and, behind them, the frames of the film.
void add_run(const std::filesystem::path& folder, EventLog& events);

// The same, read again only when the run has written more. By one thread at a time.
class RunJournal {
 public:
  explicit RunJournal(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::shared_ptr<EventLog> events();

 private:
  std::filesystem::path folder_;
  std::filesystem::file_time_type time_ = {};
  std::uintmax_t size_ = 0;
  std::shared_ptr<EventLog> events_;
};

}  // namespace fovea
