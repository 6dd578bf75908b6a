#include "runs/run_report.h"

#include <algorithm>
#include <fmt/core.h>
#include <span>

#include "base/utf8.h"
#include "kernels/instruction_set.h"
#include "runs/film.h"
#include "runs/run_folder.h"
#include "show/metric_text.h"
#include "tasks/criterion.h"
#include "tasks/task_kind.h"

namespace fovea {

namespace {

constexpr std::size_t max_validations = 20;  // whose samples a report shows

// The last part of a path, with or without a slash behind it.
std::string folder_name(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder.lexically_normal();
  return path.has_filename() ? path.filename().string() : path.parent_path().filename().string();
}

// What curves are drawn of: the metric that leads, and the one beside it.
struct DrawnMetrics {
  const Metric* first = nullptr;
  const Metric* second = nullptr;
};
DrawnMetrics drawn_metrics(const std::string& criterion) {
  // The loss has a curve of its own.
  DrawnMetrics drawn = {&leading_metric(Criterion(criterion)), nullptr};
  for (const Metric* metric : leading_metrics(Criterion(criterion))) {
    if (metric != drawn.first && !drawn.second) drawn.second = metric;
  }
  return drawn;
}

std::vector<RunPoint> points_of(const JournalEvents& events, const DrawnMetrics& drawn) {
  std::vector<RunPoint> points;
  for (const UpdateReport& u : events.updates) {
    points.push_back({u.update, u.epoch, u.seconds, u.training_loss, {}, {}, {}, u.learning_rate, u.gradient_norm});
  }
  for (const ValidationReport& v : events.validations) {
    // Its loss is a mean over an epoch, the others' a moving one: drawn together they would zigzag.
    const std::optional<double> loss = events.updates.empty() ? std::optional(v.training_loss) : std::nullopt;
    points.push_back({v.update, v.epoch, v.seconds, loss, v.held_out_loss, v.metrics.find(drawn.first->name),
                      drawn.second ? v.metrics.find(drawn.second->name) : std::nullopt});
  }
  std::ranges::stable_sort(points, {}, &RunPoint::update);
  return points;
}

// What decided, and what says more of such targets; the journal has all.
std::vector<const Metric*> telling_metrics(const Config& config) {
  const Metric* decided = Criterion(config.training.metric).metric();
  const bool sentences = decided && decided->telling == Telling::of_sentences;
  const Telling telling = sentences                           ? Telling::of_sentences
                          : config.target.tokenizer == "word" ? Telling::of_symbols
                                                              : Telling::of_characters;
  std::vector<const Metric*> all;
  if (decided) all.push_back(decided);
  for (const Metric* metric : metrics()) {
    const bool tells = metric->telling == Telling::of_all || metric->telling == telling;
    const bool fits = metric->of_symbols || !task_kinds().find(config.task).traits.one_step;
    if (tells && fits && metric != decided) all.push_back(metric);
  }
  return all;
}

// All that the journal and the settings say.
RunReport report_of(const std::filesystem::path& folder, const JournalEvents& events, const Config& config) {
  RunReport report;
  report.title = folder_name(folder);
  const DrawnMetrics drawn = drawn_metrics(config.training.metric);
  report.metric = drawn.first->title;
  report.higher_is_better = drawn.first->higher_is_better;
  if (drawn.second) report.second_metric = drawn.second->title;
  report.points = points_of(events, drawn);
  for (const ValidationReport& v :
       std::span(events.validations).last(std::min(max_validations, events.validations.size()))) {
    report.validations.push_back({v.update, {}});
    for (const Sample& s : v.samples) {
      report.validations.back().samples.push_back(
          {s.answer.source_text, s.target, s.answer.text, s.answer.is(s.target)});
    }
  }
  report.earlier_validations = events.validations.size() - report.validations.size();
  report.settings = to_toml(config);
  if (!events.validations.empty()) {
    const ValidationReport& last = events.validations.back();
    for (const WrongAnswer& w : last.worst) report.worst.push_back({w.source, w.target, w.answer, w.edits});
    report.confusions = last.confusions;
  }
  return report;
}

}  // namespace

std::vector<Output> last_maps(Files& files, const std::filesystem::path& folder) {
  if (!files.exists(folder / film_file_name)) return {};
  try {
    return read_film(files, folder).back().samples;
  } catch (const Error&) {  // a report is there without them, too
    return {};
  }
}

RunReport read_report(Files& files, const std::filesystem::path& folder) {
  if (!files.exists(folder / journal_file_name) || !files.exists(folder / config_file_name)) {
    throw usage_error("{} holds no run; give the folder of one", printable(folder.string()));
  }
  Config config;
  read_toml(config, files.read(folder / config_file_name), (folder / config_file_name).string());
  const JournalEvents events = read_journal(files, folder / journal_file_name);
  RunReport report = report_of(folder, events, config);
  report.maps = last_maps(files, folder);
  report.facts = {{"best on the held-out lines", describe(best_validation(events), config)}};
  return report;
}

RunReport make_report(const TrainedRun& run, const Trainer& trainer) {
  RunReport report = report_of(run.folder, run.events, trainer.model().config());
  report.command = run.command;
  report.maps = run.maps;
  const Progress& p = trainer.progress();
  report.facts = {{"best on the held-out lines", describe(best_validation(run.events), trainer.model().config())},
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

std::string describe(const std::optional<ValidationReport>& best, const Config& config) {
  if (!best) return "not measured yet";
  std::string text;
  for (const Metric* metric : telling_metrics(config)) {
    const std::optional<double> value = best->metrics.find(metric->name);
    if (value) text += fmt::format("{} {}, ", metric->title, metric_text(*metric, *value, 2));
  }
  return text + fmt::format("loss {}, at update {}", loss_text(best->held_out_loss), best->update);
}

std::string describe_seconds(double seconds) {
  return seconds < 120 ? fmt::format("{:.1f} s", seconds) : fmt::format("{:.1f} min", seconds / 60);
}

}  // namespace fovea
