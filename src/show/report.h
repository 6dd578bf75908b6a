// The report of a training run: curves, samples and maps on one stand-alone page.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tasks/output.h"

namespace fovea {

struct RunPoint {
  std::int64_t update = 0;
  double epoch = 0;
  double seconds = 0;
  std::optional<double> loss;           // on training data, since the point before
  std::optional<double> held_out_loss;  // only at validations, like the next
  std::optional<double> score;
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
};

std::string draw_report(const RunReport& report);

}  // namespace fovea
