#include <algorithm>
#include <fmt/core.h>
#include <limits>

#include "base/clock.h"
#include "base/streams.h"
#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/out.h"
#include "cli/overwriting.h"
#include "cli/signals.h"
#include "cli/terminal.h"
#include "fovea.h"
#include "show/label.h"
#include "tasks/criterion.h"

namespace fovea {

namespace {

// "decoder.size=64,128" or "attention.score=all". A list is written with +: attention.bias=markov,markov+position,[].
Varied parse_varied(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) throw usage_error("--vary {}: wanted is name=value,value,... or name=all", text);
  Varied varied{text.substr(0, equals), {}};
  const std::string values = text.substr(equals + 1);
  for (std::size_t start = 0; start <= values.size();) {
    const std::size_t end = std::min(values.find(',', start), values.size());
    varied.values.push_back(values.substr(start, end - start));
    start = end + 1;
  }
  return varied;
}

// A line on standard error that stays.
void say_progress(const std::string& line, ProgressMode mode) {
  if (mode != ProgressMode::none) say((mode == ProgressMode::live ? "\r\x1b[K" : "") + line + "\n");
}

// The status of one run: "3/12 attention.score=dot seed 2: update 500, exact 0.91, 45 s".
class RunStatus : public Observer {
 public:
  RunStatus(const PlannedRun& run, ProgressMode mode) : title_(run.title), mode_(mode) {}

  void updated(const UpdateReport& report) override {
    constexpr double live_interval = 0.2, plain_interval = 10;  // seconds
    if (now() - shown_at_ < (mode_ == ProgressMode::live ? live_interval : plain_interval)) return;
    shown_at_ = now();
    const std::string line = fmt::format("{}: update {}{}, {:.0f} s", title_, report.update, score_, report.seconds);
    if (mode_ == ProgressMode::plain) say_progress(line, mode_);
    // Redrawn over and over, and cut, for a line that wraps cannot be.
    if (mode_ == ProgressMode::live) say("\r\x1b[K" + shorten(line, terminal_of(stderr).width - 1));
  }
  void validated(const ValidationReport& report) override {
    const Criterion criterion(report.metric);
    const auto score = criterion.find(report.metrics, report.held_out_loss);
    score_ = fmt::format(", {} {:.4f}", criterion.name(), score.value_or(0));
    shown_at_ = long_ago;  // the next update shows it; behind the last validation stands the line of the whole run
  }
  void warned(const std::string& message) override {
    say_progress(title_ + ": " + message, mode_ == ProgressMode::none ? ProgressMode::plain : mode_);
  }

 private:
  static constexpr double long_ago = -std::numeric_limits<double>::infinity();

  std::string title_;
  ProgressMode mode_;
  std::string score_;
  double shown_at_ = now();
};

class CompareView : public CompareObserver {
 public:
  explicit CompareView(ProgressMode mode) : mode_(mode) {}

  void noticed(const std::string& text) override { say(with_flags(text) + "\n"); }
  void chose(const std::vector<Choice>& all) override {
    if (mode_ != ProgressMode::none) say(with_flags(describe(all)));
  }
  void started() override { catch_stop_signals(); }
  std::unique_ptr<Observer> watch(const PlannedRun& run) override { return std::make_unique<RunStatus>(run, mode_); }
  void done(const PlannedRun& run, const RunRecord& record, bool before) override {
    const char* more = before                            ? " (done before)"
                       : record.state == RunState::begun ? "; the same command goes on from there"
                                                         : "";
    say_progress(fmt::format("{}: {}{}", run.title, with_flags(describe(record, run.config)), more), mode_);
  }
  void ended() override { all_is_saved(); }

 private:
  ProgressMode mode_;
};

}  // namespace

int CompareCommand::run() const {
  const auto check_files = [&] {
    check_file(tsv, comparison_table);
    check_file(html, comparison_page);
  };
  check_files();
  CompareView view(parse_progress(progress));
  CompareRequest request;
  request.data = files;
  request.config = input;
  for (const std::string& text : varied) request.varied.push_back(parse_varied(text));
  request.folder = folder;
  request.seeds = seeds;
  request.stop_after = parse_period(stop_after);
  request.threads = threads;
  request.command = command_line;
  request.observer = &view;
  request.stop_signal = &stop_signal();
  Comparison comparison = compare(request);
  for (ComparedSettings& row : comparison.rows) row.trouble = with_flags(row.trouble);

  check_files();  // a comparison takes its time
  Files disk;
  if (!tsv.empty()) disk.write_atomically(tsv, comparison_to_tsv(comparison));
  if (!html.empty()) disk.write_atomically(html, draw_comparison_page(comparison));
  write_out(json ? comparison_to_json(comparison) : draw_comparison(comparison));
  flush_out();
  if (stop_signal() != 0) return 128 + stop_signal();
  const bool measured = std::ranges::any_of(comparison.rows, [](const auto& row) { return !row.runs.empty(); });
  return measured ? 0 : static_cast<int>(ErrorKind::failure);
}

}  // namespace fovea
