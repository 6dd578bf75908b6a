#include "server/run_journal.h"

#include "base/files.h"
#include "base/json.h"
#include "runs/run_folder.h"
#include "training/journal.h"

namespace fovea {

std::string film_event(Json frame) {
  frame["event"] = "film";
  return json_text(frame);
}

void add_run(const std::filesystem::path& folder, EventLog& events) {
  constexpr std::size_t max_bytes = 32 << 20;
  Files files;
  for (const Json& event : parse_json(journal_list(files, folder / journal_file_name, max_bytes))) {
    const bool validation = event.value("event", Json()) == "validation";
    events.add(validation ? "validation" : "update", json_text(event), true);
  }
  if (!files.exists(folder / film_file_name)) return;
  for (const Json& frame : parse_json(journal_list(files, folder / film_file_name, max_bytes))) {
    events.add("film", film_event(frame), true);
  }
}

std::shared_ptr<EventLog> RunJournal::events() {
  std::error_code missing;
  const auto time = std::filesystem::last_write_time(folder_ / journal_file_name, missing);
  const auto size = std::filesystem::file_size(folder_ / journal_file_name, missing);
  if (events_ && time == time_ && size == size_) return events_;
  const auto events = std::make_shared<EventLog>();
  add_run(folder_, *events);
  events->end();
  events_ = events;
  time_ = time;
  size_ = size;
  return events_;
}

}  // namespace fovea
