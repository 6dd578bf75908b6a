#include "show/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/as_size.h"
#include "base/clock.h"
#include "base/counted.h"
#include "base/utf8.h"
#include "show/label.h"
#include "show/metric_text.h"
#include "tasks/criterion.h"

namespace fovea {
namespace {

constexpr double live_redraw = 0.1;  // seconds
constexpr double plain_redraw = 10;
constexpr int min_bar = 6, max_bar = 30;
constexpr int wide_table = 90;    // columns; a narrower table leaves the speed out, for the sample's sake
constexpr int plain_sample = 60;  // columns
constexpr const char* erase_line = "\r\x1b[K";

std::string grouped(std::int64_t count) {
  std::string text = fmt::format("{}", count);
  for (std::size_t at = text.size(); at > 3 && text[at - 4] != '-';) text.insert(at -= 3, ",");
  return text;
}

struct Quality {
  std::string title;
  std::string text;
};

// One score and one error rate: all that there is room for. Of answers that are one symbol what says something of them.
std::vector<Quality> qualities(const ValidationReport& report, bool one_step) {
  std::vector<Quality> all;
  if (report.metrics.empty()) return all;  // nothing is answered: the loss says all
  for (const Metric* metric : leading_metrics(Criterion(report.metric))) {
    if (one_step && !metric->of_symbols) continue;
    const std::optional<double> value = report.metrics.find(metric->name);
    all.push_back({std::string(metric->title), value ? metric_text(*metric, *value) : "-"});
  }
  return all;
}

std::string rate_text(double rate) {
  if (!(rate < 1e9)) return "-";
  if (rate >= 1e6) return fmt::format("{:.2f}M", rate / 1e6);
  return rate >= 1e3 ? fmt::format("{:.1f}k", rate / 1e3) : fmt::format("{:.0f}", rate);
}

// 0:07, 12:34, 1:02:03
std::string time_text(double seconds) {
  if (!(seconds >= 0 && seconds < 1e7)) return "-:--";
  const auto whole = static_cast<long>(seconds);
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

// Of the whole run, and what would end it then.
std::string eta_text(const UpdateReport& report) {
  if (report.until.empty()) return "ETA -:--";
  // Patience may begin anew.
  return fmt::format("ETA {}{} ({})", time_text(report.seconds_left), report.until == "patience" ? "+" : "",
                     report.until);
}

// An update's epoch counts itself as done: 3.0 is the end of the third.
double current_epoch(double epoch) { return std::max(1.0, std::ceil(epoch - 1e-9)); }
double share_of_epoch(double epoch) { return std::clamp(epoch - (current_epoch(epoch) - 1), 0.0, 1.0); }

std::string bar(double share, int length) {
  const int done = static_cast<int>(share * length);
  std::string text(as_size(length), ' ');
  std::fill_n(text.begin(), done, '=');
  if (done < length) text[as_size(done)] = '>';
  return "[" + text + "]";
}

// Two texts of the data in so many columns; what one does not need, the other may use.
std::pair<std::string, std::string> share_out(const std::string& a, const std::string& b, int columns) {
  const std::string left = printable(a), right = printable(b);
  const std::string first = shorten(left, columns - std::min(display_width(right), columns / 2));
  return {isolate(first), isolate(shorten(right, columns - display_width(first)))};
}

}  // namespace

ProgressView::ProgressView(Sink out, ProgressMode mode, int width, bool colour, Clock clock)
    : out_(std::move(out)),
      mode_(mode),
      columns_(std::max(width - 1, 1)),
      colour_(colour && mode == ProgressMode::live),
      clock_(clock ? std::move(clock) : now) {
  if (mode == ProgressMode::plain) drawn_at_ = clock_();
}

std::string describe(const std::vector<Choice>& choices) {
  std::string text = "settings that suit the data (`settings` gives others):\n";
  for (const Choice& choice : choices) {
    text += fmt::format("  {:<33} {}\n", choice.name + " = " + choice.value, choice.reason);
  }
  return text;
}

void ProgressView::noticed(const std::string& text) { print(worded(text)); }

void ProgressView::chose(const std::vector<Choice>& all) {
  if (mode_ != ProgressMode::none) out_(worded(describe(all)));
}

void ProgressView::started(const RunStart& run) {
  one_step_ = run.one_step;
  if (run.best) {
    best_ = criterion_text(Criterion(run.metric), *run.best);
    patience_ = run.patience_left;
  }
  if (mode_ == ProgressMode::none) return;
  print(fmt::format("{} line{} to train on, {} held out; {} source and {} target symbols; {} weights",
                    grouped(run.training_lines), plural(run.training_lines), grouped(run.held_out_lines),
                    grouped(run.source_symbols), grouped(run.target_symbols), grouped(run.weights)));
  std::string line =
      fmt::format("{} update{} an epoch, {:.1f}% of the positions are padding", grouped(run.updates_per_epoch),
                  plural(run.updates_per_epoch), 100 * run.padding_share);
  if (run.resumed_from > 0) line += fmt::format("; going on from update {}", grouped(run.resumed_from));
  print(line);
}

void ProgressView::updated(const UpdateReport& report) {
  last_ = report;
  const double interval = mode_ == ProgressMode::live ? live_redraw : plain_redraw;
  if (mode_ == ProgressMode::none || clock_() - drawn_at_ < interval) return;
  drawn_at_ = clock_();
  if (mode_ == ProgressMode::live) {
    out_("\r" + status_line() + "\x1b[K");
    status_up_ = true;
  } else {
    print(fmt::format("epoch {:.0f} {:3.0f}%  {}", current_epoch(report.epoch), 100 * share_of_epoch(report.epoch),
                      fmt::join(status_fields(), "  ")));
  }
}

void ProgressView::validated(const ValidationReport& report) {
  const Criterion criterion(report.metric);
  if (const auto score = criterion.find(report.metrics, report.held_out_loss); report.best && score) {
    best_ = criterion_text(criterion, *score);
  }
  patience_ = report.patience_left;
  if (mode_ == ProgressMode::live) {
    print_row(report);
  } else if (mode_ == ProgressMode::plain) {
    std::string quality;
    for (const auto& [title, text] : qualities(report, one_step_)) quality += fmt::format("  {} {}", title, text);
    print(fmt::format("validation  epoch {:.1f}  update {}  loss {}  held-out {}{}  time {}  {}", report.epoch,
                      report.update, loss_text(report.training_loss), loss_text(report.held_out_loss), quality,
                      time_text(report.seconds), paint(sample_pieces(report, plain_sample), plain_sample)));
  }
}

void ProgressView::saved(const std::string& path, std::int64_t update) {
  const bool again = std::exchange(saved_, update) == update;  // before and behind a validation
  if (mode_ == ProgressMode::plain && !again) print(fmt::format("saved  update {}  {}", update, printable(path)));
}

void ProgressView::warned(const std::string& message) {
  const std::string text = printable(message);
  print(colour_ ? fmt::format("\x1b[33mwarning:\x1b[0m {}", text) : "warning: " + text);
}

void ProgressView::finish() {
  if (status_up_) out_(erase_line);
  status_up_ = false;
}

// Most wanted first: a narrow terminal drops them from the end.
std::vector<std::string> ProgressView::status_fields() const {
  std::vector<std::string> fields = {"loss " + loss_text(last_.training_loss)};
  if (best_) fields.push_back("best " + *best_);
  fields.push_back(eta_text(last_));
  fields.push_back(rate_text(last_.tokens_per_second) + " tok/s");
  if (patience_) fields.push_back(fmt::format("patience {}", *patience_));
  fields.push_back(fmt::format("update {}", last_.update));
  return fields;
}

std::string ProgressView::status_line() const {
  const std::string head = fmt::format("epoch {:.0f} ", current_epoch(last_.epoch));
  const int room = columns_ - static_cast<int>(head.size()) - 2;  // without the brackets of the bar
  std::string tail;
  for (const std::string& field : status_fields()) {
    if (static_cast<int>(tail.size() + field.size()) + 2 > room - min_bar) break;
    tail += "  " + field;
  }
  const int length = std::min(room - static_cast<int>(tail.size()), max_bar);
  const double share = share_of_epoch(last_.epoch);
  if (length < min_bar) return paint({{fmt::format("{}{:.0f}%", head, 100 * share)}}, columns_);
  return paint({{head}, {bar(share, length), Style::good}, {tail}}, columns_);
}

std::vector<ProgressView::Piece> ProgressView::sample_pieces(const ValidationReport& report, int columns) const {
  std::vector<Piece> pieces;
  const std::string best = report.best ? " *best" : "";
  const std::string cut = report.unfinished > 0 ? fmt::format(" {} unfinished", grouped(report.unfinished)) : "";
  if (!report.samples.empty()) {
    const Sample& sample = report.samples.front();
    const bool right = sample.answer.is(sample.target);
    const std::string mark = right ? " ok" : " wrong", arrow = " -> ";
    const auto room = columns - static_cast<int>(arrow.size() + mark.size() + best.size() + cut.size());
    if (room >= 2) {
      const auto [source, answer] = share_out(sample.answer.read_text(), sample.answer.text, room);
      pieces = {{source}, {arrow, Style::faint}, {answer}, {mark, right ? Style::good : Style::bad}};
    }
  }
  if (report.best) pieces.push_back({best, Style::good});
  if (!cut.empty()) pieces.push_back({cut, Style::bad});
  return pieces;
}

void ProgressView::print_row(const ValidationReport& report) {
  struct Column {
    std::string name;
    int width;
    std::string cell;
  };
  std::vector<Column> columns = {{"epoch", 5, fmt::format("{:.1f}", report.epoch)},
                                 {"update", 7, fmt::format("{}", report.update)},
                                 {"loss", 6, loss_text(report.training_loss)},
                                 {"held-out", 8, loss_text(report.held_out_loss)}};
  for (const auto& [title, text] : qualities(report, one_step_)) columns.push_back({title, 6, text});
  columns.push_back({"time", 7, time_text(report.seconds)});
  if (columns_ >= wide_table) columns.push_back({"tok/s", 6, rate_text(last_.tokens_per_second)});
  std::string names, figures;
  for (const Column& column : columns) {
    names += fmt::format("{:>{}} ", column.name, column.width);
    figures += fmt::format("{:>{}} ", column.cell, column.width);
  }
  if (!std::exchange(header_printed_, true)) print(paint({{names + " sample", Style::faint}}, columns_));
  std::vector<Piece> pieces = sample_pieces(report, columns_ - static_cast<int>(figures.size()) - 1);
  pieces.insert(pieces.begin(), Piece{figures + " "});
  print(paint(pieces, columns_));
}

std::string ProgressView::paint(const std::vector<Piece>& pieces, int columns) const {
  std::string text;
  for (const Piece& piece : pieces) {
    if (columns <= 0) break;
    const std::string part = shorten(piece.text, columns);
    columns -= display_width(part);
    const bool painted = colour_ && piece.style != Style::plain;
    text += painted ? fmt::format("\x1b[{}m{}\x1b[0m", static_cast<int>(piece.style), part) : part;
  }
  return text;
}

void ProgressView::print(const std::string& line) {
  out_((status_up_ ? erase_line : "") + line + "\n" + (status_up_ ? status_line() : ""));
}

}  // namespace fovea
