// What a person sees of a training run.
//
//   9,000 lines to train on, 1,000 held out; 61 source and 12 target symbols; 312,345 weights
//   141 updates an epoch, 3.1% of the positions are padding
//   epoch  update   loss  exact    CER    time  tok/s  sample
//     1.0     141  1.021  12.4%  38.2%    0:06  48.2k  3 may 1999 -> 1999-05-13 wrong *best
//     2.0     282 0.0870  96.9%   0.4%    0:12  48.5k  3 may 1999 -> 1999-05-03 ok *best
//   epoch 3 [====>    ]  loss 0.0310  best exact 96.9%  ETA 0:07+ (patience)  48.3k tok/s  patience 5  update 390
//
// On a terminal the last line is redrawn by time, never by count; in a pipe plain lines appear now and then.
#pragma once

#include <cstdio>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "training/observer.h"

namespace fovea {

enum class ProgressMode { live, plain, none };  // none: warnings only

// "settings that suit the data", with their reasons.
std::string describe(const std::vector<Choice>& choices);

class ProgressView : public Observer {
 public:
  using Clock = std::function<double()>;  // seconds, never falling; empty: the steady clock

  using Sink = std::function<void(std::string_view text)>;

  ProgressView(Sink out, ProgressMode mode, int width, bool colour, Clock clock = {});
  ~ProgressView() override { finish(); }
  ProgressView(const ProgressView&) = delete;
  ProgressView& operator=(const ProgressView&) = delete;

  void noticed(const std::string& text) override;
  void chose(const std::vector<Choice>& all) override;
  void started(const RunStart& run) override;
  void updated(const UpdateReport& report) override;
  void validated(const ValidationReport& report) override;
  void saved(const std::string& path, std::int64_t update) override;
  void warned(const std::string& message) override;

  // Clears the status line, so that something else may be printed. A later update draws it again.
  void finish();

 protected:
  // A text of the library in the words of whoever looks on: that names inputs in backticks.
  virtual std::string worded(const std::string& text) const { return text; }

 private:
  enum class Style { plain = 0, faint = 2, bad = 31, good = 32 };  // codes of ECMA-48
  struct Piece {
    std::string text;
    Style style = Style::plain;
  };

  std::vector<std::string> status_fields() const;
  std::string status_line() const;
  std::vector<Piece> sample_pieces(const ValidationReport& report, int columns) const;
  void print_row(const ValidationReport& report);
  std::string paint(const std::vector<Piece>& pieces, int columns) const;  // cut to so many
  void print(const std::string& line);                                     // one that stays

  Sink out_;
  ProgressMode mode_;
  int columns_;  // one less than the terminal has: a full line would wrap on some
  bool colour_;
  Clock clock_;

  UpdateReport last_;
  double drawn_at_ = -std::numeric_limits<double>::infinity();
  std::int64_t saved_ = -1;  // the last update that was
  bool status_up_ = false;
  bool header_printed_ = false;
  std::optional<std::string> best_;
  std::optional<int> patience_;
  bool one_step_ = false;
};

}  // namespace fovea
