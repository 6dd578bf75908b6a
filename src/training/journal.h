// metrics.jsonl: one flat JSON object for each event of a run, appended as it happens.
#pragma once

#include <filesystem>

#include "base/files.h"
#include "training/observer.h"

namespace fovea {

inline constexpr const char* journal_file_name = "metrics.jsonl";

class Journal {
 public:
  // Events after `update` are forgotten: a resumed run writes them again.
  Journal(Files& files, std::filesystem::path path, std::int64_t update);

  void write(const UpdateReport& report);
  void write(const ValidationReport& report);

 private:
  Files& files_;
  std::filesystem::path path_;
};

// The events of a journal, for reports; lines that cannot be read are passed over.
struct JournalEvents {
  std::vector<UpdateReport> updates;
  std::vector<ValidationReport> validations;  // without samples
};
JournalEvents read_journal(Files& files, const std::filesystem::path& path);

}  // namespace fovea
