// Settings side by side: what each reached and what it cost, as a table for the terminal, TSV, JSON and a page.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "evaluation/figure.h"
#include "show/report.h"
#include "tasks/output.h"

namespace fovea {

// One run, with one seed.
struct ComparedRun {
  std::int64_t seed = 0;
  std::int64_t lines = 0;       // held out; those of one source count once
  std::vector<Figure> metrics;  // of them, each with its interval over the lines
  std::int64_t parameters = 0;
  std::int64_t updates = 0;
  double train_seconds = 0;
  double predict_seconds = 0;  // for all lines
  double peak_mib = 0;
  std::vector<Output> examples;  // of the first few lines, the same in every run

  double predict_ms() const { return lines ? 1000 * predict_seconds / static_cast<double>(lines) : 0; }  // a line
};

struct ComparedSettings {
  std::vector<std::string> values;  // one for each varied name
  std::vector<ComparedRun> runs;    // that came to their end
  std::string trouble;  // why others did not, "cannot: ...", "failed: ..."; or what to doubt, "nothing was learned"
};

struct Comparison {
  std::string command;
  std::vector<std::string> names;  // what was varied
  std::string budget;              // of each run
  std::string metric;              // by which the best model of a run is chosen, see tasks/criterion.h
  std::int64_t seeds = 1;
  int threads = 1;
  std::int64_t training_lines = 0;
  std::int64_t held_out_lines = 0;
  std::vector<std::string> targets;  // of the examples
  std::vector<ComparedSettings> rows;
  std::vector<RunReport> curves = {};  // of each run that came to its end
};

// The figures of a row that has runs: means over the seeds, of memory the most. With one seed asked for, metrics have
// their interval over the lines; else they have Student's over the seeds, once two came to their end.
struct ComparedFigures {
  std::vector<Figure> metrics;  // those that all its runs have
  std::int64_t parameters = 0;
  double train_seconds = 0;
  double predict_ms = 0;
  double peak_mib = 0;
};
ComparedFigures figures_of(const ComparedSettings& row, std::int64_t seeds);

std::string draw_comparison(const Comparison& comparison);
std::string comparison_to_tsv(const Comparison& comparison);
std::string comparison_to_json(const Comparison& comparison);  // docs/compare.md; one line
std::string draw_comparison_page(const Comparison& comparison);

}  // namespace fovea
