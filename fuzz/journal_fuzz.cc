// metrics.jsonl: read when a run goes on, and drawn in its report.
#include "fuzz.h"
#include "show/report.h"
#include "tasks/metrics/metric.h"
#include "training/journal.h"

using namespace fovea;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  OneFile files(as_text(data, size));
  Progress progress;
  progress.update = 5;
  Journal(files, "fuzz", progress);
  const JournalEvents events = read_journal(files, "fuzz");
  RunReport report;
  const Metric& metric = **metrics().begin();
  report.metric = metric.title;
  for (const UpdateReport& r : events.updates) {
    report.points.push_back({r.update, r.epoch, r.seconds, r.training_loss, std::nullopt, std::nullopt});
  }
  for (const ValidationReport& r : events.validations) {
    report.points.push_back({r.update, r.epoch, r.seconds, r.training_loss, std::nullopt, r.metrics.find(metric.name)});
  }
  must(!find_invalid_utf8(draw_report(report)));
  return 0;
}
