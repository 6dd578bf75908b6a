#include <algorithm>
#include <fmt/core.h>

#include "base/counted.h"
#include "base/streams.h"
#include "base/utf8.h"
#include "cli/commands.h"
#include "cli/overwriting.h"
#include "runs/run_report.h"
#include "runs/tensorboard.h"

namespace fovea {

namespace {

// A file for each run, in a folder of the run's name.
void write_events(Files& files, const std::filesystem::path& folder, const std::vector<std::string>& runs,
                  const std::vector<RunReport>& reports) {
  std::vector<std::filesystem::path> written;
  for (const RunReport& report : reports) {
    written.push_back(folder / report.title / tensorboard_file_name);
    check_file(written.back(), tensorboard_file);
    if (std::ranges::count(written, written.back()) > 1) {
      throw usage_error("two of the runs are called {}; TensorBoard would take them for one: give them in turn",
                        printable(report.title));
    }
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    files.make_directories(written[i].parent_path());
    const JournalEvents events = read_journal(files, std::filesystem::path(runs[i]) / journal_file_name);
    files.write_atomically(written[i], tensorboard_events(events));
  }
}

}  // namespace

int ReportCommand::run() const {
  check_file(output, report_page);
  Files files;
  std::vector<RunReport> reports;
  for (const std::string& folder : runs) reports.push_back(read_report(files, folder));
  if (!tensorboard.empty()) write_events(files, tensorboard, runs, reports);
  files.write_atomically(output, draw_reports(reports));
  say(fmt::format("{}: the report of {}\n", output, counted(reports.size(), "run")));
  return 0;
}

}  // namespace fovea
