#include "show/progress.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/utf8.h"

namespace fovea::progress_test {
namespace {

// A view that is kept as text, with a clock that moves only when told.
class Watched {
  std::string text_;

 public:
  Watched(ProgressMode mode, int width, bool colour = false) {
    const auto keep = [this](std::string_view text) { text_ += text; };
    view = std::make_unique<ProgressView>(keep, mode, width, colour, [this] { return now; });
  }

  const std::string& text() const { return text_; }
  std::string since(std::size_t start) const { return text().substr(start); }

  double now = 1000;
  std::unique_ptr<ProgressView> view;  // uses the others until its end
};

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string without_colours(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "\x1b[") == 0) {
      i = text.find_first_of("mK", i);
    } else {
      out += text[i];
    }
  }
  return out;
}

// What a terminal would have shown at one time or another, line by line.
std::vector<std::string> drawn_lines(const std::string& text) {
  std::vector<std::string> lines = {""};
  for (char c : without_colours(text)) {
    if (c == '\n' || c == '\r') {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  return lines;
}

// What stands on the last line in the end.
std::string last_line(const std::string& text) {
  const std::string line = text.substr(text.find_last_of("\r\n") + 1);
  return without_colours(line);
}

RunStart a_start() {
  return {.training_lines = 9000,
          .held_out_lines = 1000,
          .source_symbols = 61,
          .target_symbols = 12,
          .weights = 1312345,
          .updates_per_epoch = 100,
          .padding_share = 0.031};
}

UpdateReport an_update(std::int64_t update) {
  return {.update = update,
          .epoch = static_cast<double>(update) / 100,
          .seconds = static_cast<double>(update),
          .training_loss = 0.031,
          .tokens_per_second = 48200,
          .seconds_left = 65,
          .until = "patience"};
}

ValidationReport a_validation(const std::string& source, const std::string& answer, const std::string& target) {
  ValidationReport report = {.update = 200,
                             .epoch = 2,
                             .seconds = 72,
                             .training_loss = 0.5,
                             .held_out_loss = 0.75,
                             .metrics = {{"exact", 0.9999}, {"cer", 0.004}, {"chrf", 43.21}, {"edit_distance", 0.0123}},
                             .metric = "exact",
                             .best = true,
                             .patience_left = 5,
                             .samples = {{target, {}}}};
  report.samples[0].answer.source_text = source;
  report.samples[0].answer.text = answer;
  return report;
}

TEST(Progress, PlainIsAPlainText) {
  Watched run(ProgressMode::plain, 80, true);
  run.view->started(a_start());
  for (int i = 1; i <= 250; ++i) {
    run.now += 0.1;
    run.view->updated(an_update(i));
  }
  run.view->validated(a_validation("3\x1b[31m may\r\n", "1999-05-03", "1999-05-03"));
  for (int i = 0; i < 2; ++i) run.view->saved("runs/a\nb", 250);  // once, as nothing is new
  run.view->warned("odd\rthing");
  run.view->finish();
  const std::string text = run.text();
  EXPECT_EQ(text.find_first_of("\r\x1b"), std::string::npos);
  EXPECT_EQ(text,
            "9,000 lines to train on, 1,000 held out; 61 source and 12 target symbols; 1,312,345 weights\n"
            "100 updates an epoch, 3.1% of the positions are padding\n"
            "epoch 1 100%  loss 0.0310  ETA 1:05+ (patience)  48.2k tok/s  update 100\n"
            "epoch 2 100%  loss 0.0310  ETA 1:05+ (patience)  48.2k tok/s  update 200\n"
            "validation  epoch 2.0  update 200  loss 0.500  held-out 0.750  exact 99.9%  CER 0.4%  time 1:12  "
            "3␛[31m may␍␊ -> 1999-05-03 ok *best\n"
            "saved  update 250  runs/a␊b\n"
            "warning: odd␍thing\n");
}

TEST(Progress, OneIsNotMany) {
  Watched run(ProgressMode::plain, 80);
  RunStart start = a_start();
  start.training_lines = start.updates_per_epoch = 1;
  run.view->started(start);
  EXPECT_TRUE(run.text().starts_with("1 line to train on")) << run.text();
  EXPECT_TRUE(contains(run.text(), "\n1 update an epoch")) << run.text();
}

TEST(Progress, SettingsStandApartFromTheirReasons) {
  const std::string text = describe(std::vector<Choice>{{"task", {"task"}, "classify", "few targets"},
                                                        {std::string(60, 'a'), {"a"}, "128", "4 lines"}});
  EXPECT_TRUE(contains(text, "\n  task = classify                   few targets\n")) << text;
  EXPECT_TRUE(contains(text, "a = 128 4 lines\n")) << text;
}

TEST(Progress, AnswersThatWereCutAreCounted) {
  for (const ProgressMode mode : {ProgressMode::plain, ProgressMode::live}) {
    Watched run(mode, 120);
    ValidationReport report = a_validation("a", "b", "c");
    report.unfinished = 1234;
    run.view->validated(report);
    EXPECT_NE(run.text().find("a -> b wrong *best 1,234 unfinished\n"), std::string::npos) << run.text();
  }
}

TEST(Progress, PlainComesByTime) {
  Watched run(ProgressMode::plain, 80);
  run.view->updated(an_update(1));
  run.now += 9.5;
  run.view->updated(an_update(2));
  EXPECT_EQ(run.text(), "");
  run.now += 1;
  run.view->updated(an_update(3));
  EXPECT_EQ(count(run.text(), "\n"), 1u);
  for (int i = 4; i < 1000; ++i) run.view->updated(an_update(i));
  EXPECT_EQ(count(run.text(), "\n"), 1u);
}

TEST(Progress, NoneSpeaksOnlyToWarn) {
  Watched run(ProgressMode::none, 80);
  run.view->started(a_start());
  run.now += 100;
  run.view->updated(an_update(1));
  run.view->validated(a_validation("a", "b", "c"));
  run.view->saved("x", 1);
  run.view->finish();
  EXPECT_EQ(run.text(), "");
  run.view->warned("look");
  EXPECT_EQ(run.text(), "warning: look\n");
}

TEST(Progress, LiveRedrawsAtMostTenTimesASecond) {
  Watched run(ProgressMode::live, 100);
  for (int i = 1; i <= 3000; ++i) {
    run.view->updated(an_update(i));
    run.now += 0.001;
  }
  const std::size_t drawn = count(run.text(), "\r");
  EXPECT_LE(drawn, 31u);
  EXPECT_GE(drawn, 28u);
  EXPECT_EQ(count(run.text(), "\n"), 0u);
  EXPECT_EQ(count(run.text(), "\x1b[K"), drawn);
}

TEST(Progress, TheTimeLeftIsTheRunsAndSaysWhy) {
  Watched run(ProgressMode::live, 120);
  UpdateReport report = an_update(130);
  run.view->updated(report);
  EXPECT_EQ(last_line(run.text()),
            "epoch 2 [=========>                    ]  loss 0.0310  ETA 1:05+ (patience)  48.2k tok/s  update 130");
  run.view->validated(a_validation("a", "b", "b"));
  run.now += 1;
  report.seconds_left = 3;
  report.until = "stop-after";
  run.view->updated(report);
  const std::string line = last_line(run.text());
  EXPECT_TRUE(contains(line, "best exact 99.9%  ETA 0:03 (stop-after)  48.2k tok/s  patience 5  update 130")) << line;
  run.now += 1;
  report.until = "";
  run.view->updated(report);
  EXPECT_TRUE(contains(last_line(run.text()), "best exact 99.9%  ETA -:--")) << last_line(run.text());
}

TEST(Progress, TheBestIsSaidInTheMetricThatDecides) {
  const auto best = [](const std::string& metric) {
    Watched run(ProgressMode::live, 150);
    ValidationReport report = a_validation("a", "b", "b");
    report.metric = metric;
    run.view->validated(report);
    run.view->updated(an_update(300));
    return run.text();
  };
  EXPECT_TRUE(contains(best("exact"), "best exact 99.9%"));
  EXPECT_TRUE(contains(best("chrf"), "best chrF 43.2"));
  EXPECT_TRUE(contains(best("chrf"), "held-out   chrF    CER"));
  EXPECT_TRUE(contains(best("cer"), "best CER 0.4%"));
  EXPECT_TRUE(contains(best("cer"), "held-out  exact    CER"));
  EXPECT_TRUE(contains(best("edit_distance"), "held-out  exact  edits"));
  EXPECT_TRUE(contains(best("edit_distance"), "best edits 0.0123"));
  EXPECT_TRUE(contains(best("loss"), "best loss 0.750"));
  EXPECT_TRUE(contains(best("loss"), "held-out  exact    CER"));
  EXPECT_TRUE(contains(best("bleu"), "held-out   BLEU    CER")) << "though it was not measured";
}

TEST(Progress, LabelsHaveNoErrorsOfCharacters) {
  for (const bool one_step : {false, true}) {
    Watched run(ProgressMode::plain, 80);
    RunStart start = a_start();
    start.one_step = one_step;
    run.view->started(start);
    run.view->validated(a_validation("a", "b", "b"));
    EXPECT_TRUE(contains(run.text(), "exact 99.9%"));
    EXPECT_EQ(contains(run.text(), "CER"), !one_step);
  }
}

TEST(Progress, ARunThatGoesOnKnowsItsBest) {
  Watched run(ProgressMode::live, 120);
  RunStart start = a_start();
  start.metric = "chrf";
  start.best = 43.21;
  start.patience_left = 2;
  run.view->started(start);
  run.view->updated(an_update(130));
  EXPECT_TRUE(contains(last_line(run.text()), "best chrF 43.2  ETA 1:05+ (patience)  48.2k tok/s  patience 2"))
      << last_line(run.text());
}

TEST(Progress, ANarrowTerminalDropsTheLastFieldsThenTheBar) {
  const auto status = [](int width) {
    Watched run(ProgressMode::live, width);
    run.view->validated(a_validation("a", "b", "b"));
    run.view->updated(an_update(300));
    return last_line(run.text());
  };
  EXPECT_EQ(status(87), "epoch 3 [==========]  loss 0.0310  best exact 99.9%  ETA 1:05+ (patience)  48.2k tok/s");
  EXPECT_EQ(status(65), "epoch 3 [=======================]  loss 0.0310  best exact 99.9%");
  EXPECT_EQ(status(30), "epoch 3 [======]  loss 0.0310");
  EXPECT_EQ(status(29), "epoch 3 [==================]");
  EXPECT_EQ(status(16), "epoch 3 100%");
}

TEST(Progress, RowsStandAboveTheStatusLine) {
  Watched run(ProgressMode::live, 80);
  run.view->updated(an_update(199));
  std::size_t start = run.text().size();
  run.view->validated(a_validation("3 may 1999", "1999-05-03", "1999-05-03"));
  const auto lines = drawn_lines(run.since(start));
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines[1], "epoch  update   loss held-out  exact    CER    time  sample");
  EXPECT_TRUE(lines[2].starts_with("epoch 2 [")) << lines[2];
  EXPECT_EQ(lines[3], "  2.0     200  0.500    0.750  99.9%   0.4%    1:12  3 may … -> 1999-… ok *best");
  EXPECT_TRUE(lines[4].starts_with("epoch 2 [")) << lines[4];

  start = run.text().size();
  ValidationReport second = a_validation("3 may 1999", "1999-05-13", "1999-05-03");
  second.best = false;
  run.view->validated(second);
  EXPECT_FALSE(contains(run.since(start), "sample"));  // the header comes once
  EXPECT_TRUE(contains(run.since(start), "3 may"));
  EXPECT_TRUE(contains(run.since(start), " wrong\n"));

  start = run.text().size();
  run.view->warned("mind the gap");
  EXPECT_TRUE(run.since(start).starts_with("\r\x1b[Kwarning: mind the gap\nepoch 2 ["));
}

TEST(Progress, AWideTableShowsTheSpeed) {
  Watched run(ProgressMode::live, 120);
  run.view->updated(an_update(1));
  run.view->validated(a_validation("a", "b", "b"));
  EXPECT_TRUE(contains(run.text(), "    time  tok/s  sample\n"));
  EXPECT_TRUE(contains(run.text(), "    1:12  48.2k  a -> b ok *best\n"));
}

TEST(Progress, FinishLeavesAnEmptyLineAndAVisibleCursor) {
  Watched run(ProgressMode::live, 80, true);
  run.view->finish();
  EXPECT_EQ(run.text(), "");
  run.view->updated(an_update(1));
  run.view->finish();
  EXPECT_TRUE(run.text().ends_with("\r\x1b[K"));
  const std::size_t size = run.text().size();
  run.view->finish();
  EXPECT_EQ(run.text().size(), size);
  run.now += 1;
  run.view->updated(an_update(2));
  EXPECT_TRUE(contains(last_line(run.text()), "update 2"));
  run.view.reset();
  EXPECT_TRUE(run.text().ends_with("\r\x1b[K"));
  EXPECT_FALSE(contains(run.text(), "\x1b[?"));
}

TEST(Progress, NothingIsWiderThanTheTerminal) {
  const std::string wide = "日本語の長い文は幅が二倍になる日本語の長い文は幅が二倍になる";
  for (int width = 1; width <= 200; ++width) {
    for (const bool colour : {false, true}) {
      Watched run(ProgressMode::live, width, colour);
      UpdateReport update = an_update(123456789);
      update.training_loss = 1e300;
      run.view->updated(update);
      run.view->validated(a_validation(wide, wide, "x"));
      run.view->validated(a_validation("e\u0301e\u0301e\u0301", wide + wide, "x"));
      run.view->validated(a_validation(std::string(500, 'a'), "", "x"));
      run.now += 1;
      run.view->updated(update);
      for (const std::string& line : drawn_lines(run.text())) {
        EXPECT_LE(display_width(line), width == 1 ? 1 : width - 1) << line;
        EXPECT_FALSE(find_invalid_utf8(line)) << line;
      }
    }
  }
}

TEST(Progress, SourceAndAnswerShareTheRoom) {
  Watched run(ProgressMode::live, 80);
  const std::string letters = "abcdefghijklmnopqrstuvwxyz";
  run.view->validated(a_validation(letters, "1", "1"));
  EXPECT_TRUE(contains(run.text(), "  abcdefghijk… -> 1 ok *best\n")) << run.text();
  run.view->validated(a_validation("1", letters, letters));
  EXPECT_TRUE(contains(run.text(), "  1 -> abcdefghijk… ok *best\n")) << run.text();
  run.view->validated(a_validation(letters, letters, letters));
  EXPECT_TRUE(contains(run.text(), "  abcdef… -> abcde… ok *best\n")) << run.text();
}

TEST(Progress, DataCannotSteerTheTerminal) {
  Watched run(ProgressMode::live, 150);
  run.view->validated(a_validation("a\x1b[2Jb\x07", "c\u202ed\xff", "x"));
  EXPECT_EQ(count(run.text(), "\x1b"), 0u);
  EXPECT_TRUE(contains(run.text(), "a␛[2Jb␇ -> c<U+202E>d� wrong"));
}

TEST(Progress, ColourMarksRightAndWrong) {
  Watched run(ProgressMode::live, 120, true);
  run.view->validated(a_validation("a", "b", "b"));
  EXPECT_TRUE(contains(run.text(), "\x1b[32m ok\x1b[0m\x1b[32m *best\x1b[0m\n"));
  run.view->validated(a_validation("a", "b", "c"));
  EXPECT_TRUE(contains(run.text(), "\x1b[31m wrong\x1b[0m"));
}

TEST(Progress, OnlyAllRightIsAHundredPercent) {
  Watched run(ProgressMode::plain, 80);
  ValidationReport report = a_validation("a", "b", "b");
  report.metrics = {{"exact", 0.99999}};
  run.view->validated(report);
  EXPECT_TRUE(contains(run.text(), "exact 99.9%"));
  report.metrics = {{"exact", 1}};
  run.view->validated(report);
  EXPECT_TRUE(contains(run.text(), "exact 100.0%"));
}

TEST(Progress, AResumedRunSaysSo) {
  Watched run(ProgressMode::plain, 80);
  RunStart start = a_start();
  start.resumed_from = 12345;
  run.view->started(start);
  EXPECT_TRUE(contains(run.text(), "; going on from update 12,345\n"));
}

}  // namespace
}  // namespace fovea::progress_test
