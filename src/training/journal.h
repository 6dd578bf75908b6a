// metrics.jsonl: one JSON object for each event of a run, flat but for the samples of a validation, appended as it
// happens.
#pragma once

#include <filesystem>

#include "base/files.h"
#include "base/json.h"
#include "training/observer.h"
#include "training/progress.h"

namespace fovea {

inline constexpr const char* journal_file_name = "metrics.jsonl";

// The events as the journal has them, and whoever else tells of them.
Json event_json(const UpdateReport& report);
Json event_json(const ValidationReport& report);

class Journal {
 public:
  // Events that are not part of the progress yet are forgotten: a resumed run writes them again.
  Journal(Files& files, std::filesystem::path path, const Progress& progress);

  // What cannot be written now is kept and written with the next event.
  void write(const UpdateReport& report);
  void write(const ValidationReport& report);
  // Throws if there is something that still cannot be written.
  void flush();

 private:
  void add(const std::string& line);

  Files& files_;
  std::filesystem::path path_;
  std::size_t size_ = 0;  // bytes that are written for sure
  bool torn_ = false;     // behind them may be a part of a line
  std::string pending_;
};

// The events of a journal, for reports; lines that cannot be read are passed over.
struct JournalEvents {
  std::vector<UpdateReport> updates;
  std::vector<ValidationReport> validations;  // of their samples the texts
};
JournalEvents read_journal(Files& files, const std::filesystem::path& path);
// The same as a JSON list of the events as they were written, the last ones if they are many.
std::string journal_list(Files& files, const std::filesystem::path& path, std::size_t max_bytes);

}  // namespace fovea
