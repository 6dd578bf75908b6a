// The report of a training run: curves, samples and maps on one stand-alone page.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tasks/confusions.h"
#include "tasks/output.h"

namespace fovea {

struct RunPoint {
  std::int64_t update = 0;
  double epoch = 0;
  double seconds = 0;
  std::optional<double> loss;           // on training data, since the point before
  std::optional<double> held_out_loss;  // only at validations, like the next
  std::optional<double> score;
  std::optional<double> second = {};  // the other metric
  std::optional<double> rate = {};    // of learning
  std::optional<double> gradient = {};
};

struct RunSample {
  std::string source;
  std::string target;
  std::string answer;
  bool correct = false;
};

struct RunValidation {
  std::int64_t update = 0;
  std::vector<RunSample> samples;
};

struct RunReport {
  std::string title;
  std::string command;
  std::string metric;  // name of the score
  bool higher_is_better = true;
  std::vector<RunPoint> points;            // updates rising
  std::vector<RunValidation> validations;  // updates rising
  std::vector<Output> maps;                // a few examples
  std::vector<std::pair<std::string, std::string>> facts;
  std::size_t earlier_validations = 0;  // whose samples are left out
  std::string second_metric = {};       // empty: there is none
  std::string settings = {};            // as TOML
  struct Wrong {
    std::string source;
    std::string target;
    std::string answer;
    std::int64_t edits = 0;
  };
  std::vector<Wrong> worst = {};  // of the last validation
  std::vector<Confusion> confusions = {};
};

std::string draw_report(const RunReport& report);
// Of several, their curves over one another.
std::string draw_reports(std::span<const RunReport> reports);
// Those curves alone, with a line for each run, for a page.
std::string html_curves(std::span<const RunReport> reports);

}  // namespace fovea
