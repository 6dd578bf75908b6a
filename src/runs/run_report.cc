#include "runs/run_report.h"

#include <algorithm>
#include <fmt/core.h>
#include <span>

#include "kernels/instruction_set.h"
#include "show/metric_text.h"
#include "tasks/criterion.h"

namespace fovea {

namespace {

constexpr std::size_t max_validations = 20;  // whose samples a report shows

// The last part of a path, with or without a slash behind it.
std::string folder_name(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder.lexically_normal();
  return path.has_filename() ? path.filename().string() : path.parent_path().filename().string();
}

std::vector<RunPoint> points_of(const JournalEvents& events, const Metric& metric) {
  std::vector<RunPoint> points;
  for (const UpdateReport& u : events.updates) {
    points.push_back({u.update, u.epoch, u.seconds, u.training_loss, {}, {}});
  }
  for (const ValidationReport& v : events.validations) {
    // Its loss is a mean over an epoch, the others' a moving one: drawn together they would zigzag.
    const std::optional<double> loss = events.updates.empty() ? std::optional(v.training_loss) : std::nullopt;
    points.push_back({v.update, v.epoch, v.seconds, loss, v.held_out_loss, v.metrics.find(metric.name)});
  }
  std::ranges::stable_sort(points, {}, &RunPoint::update);
  return points;
}

}  // namespace

RunReport make_report(const TrainedRun& run, const Trainer& trainer) {
  const JournalEvents& events = run.events;
  RunReport report;
  report.title = folder_name(run.folder);
  report.command = run.command;
  // The loss has a curve of its own.
  const Metric& metric = leading_metric(Criterion(trainer.model().config().training.metric));
  report.metric = metric.title;
  report.higher_is_better = metric.higher_is_better;
  report.points = points_of(events, metric);
  for (const ValidationReport& v :
       std::span(events.validations).last(std::min(max_validations, events.validations.size()))) {
    report.validations.push_back({v.update, {}});
    for (const Sample& s : v.samples) {
      report.validations.back().samples.push_back(
          {s.answer.source_text, s.target, s.answer.text, s.target == s.answer.text});
    }
  }
  report.earlier_validations = events.validations.size() - report.validations.size();
  report.maps = run.maps;
  const Progress& p = trainer.progress();
  report.facts = {{"best on the held-out lines", describe(best_validation(events))},
                  {"updates", fmt::format("{} ({} skipped)", p.update, p.skipped)},
                  {"epochs", fmt::format("{}", p.epoch)},
                  {"time", describe_seconds(p.seconds)},
                  {"training lines", fmt::format("{}", run.start.training_lines)},
                  {"held-out lines", fmt::format("{}", run.start.held_out_lines)},
                  {"weights", fmt::format("{}", run.start.weights)},
                  {"padding", fmt::format("{:.1f} %", 100 * run.start.padding_share)},
                  {"instruction set", kernels::instruction_set()},
                  {"fovea", FOVEA_VERSION}};
  return report;
}

ModelCard make_card(const TrainedRun& run, const Trainer& trainer) {
  ModelCard card;
  card.name = folder_name(run.folder);
  card.task = trainer.model().config().task;
  card.config_toml = to_toml(trainer.model().config());
  card.training_lines = run.start.training_lines;
  card.held_out_lines = run.start.held_out_lines;
  card.weights = run.start.weights;
  if (const std::optional<ValidationReport> best = best_validation(run.events)) {
    card.metrics = best->metrics;
    card.metrics.add(Criterion::loss_name, best->held_out_loss);
  }
  card.updates = trainer.progress().update;
  card.seconds = trainer.progress().seconds;
  card.instruction_set = kernels::instruction_set();
  card.version = FOVEA_VERSION;
  card.data_hash = fmt::format("{:016x}", trainer.data_hash());
  card.command = run.command;
  return card;
}

std::optional<ValidationReport> best_validation(const JournalEvents& events) {
  const auto best =
      std::ranges::find_if(events.validations.rbegin(), events.validations.rend(), &ValidationReport::best);
  return best == events.validations.rend() ? std::nullopt : std::optional(*best);
}

std::string describe(const std::optional<ValidationReport>& best) {
  if (!best) return "not measured yet";
  std::string text;
  for (const auto& [name, value] : best->metrics) {
    const Metric& metric = metrics().find(name);
    text += fmt::format("{} {}, ", metric.title, metric_text(metric, value, 2));
  }
  return text + fmt::format("loss {}, at update {}", loss_text(best->held_out_loss), best->update);
}

std::string describe_seconds(double seconds) {
  return seconds < 120 ? fmt::format("{:.1f} s", seconds) : fmt::format("{:.1f} min", seconds / 60);
}

}  // namespace fovea
