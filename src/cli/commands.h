// The commands. command_line.cc turns words into these structures; each command turns one into calls of the library.
// Results go to standard output, all else to standard error.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/training_input.h"
#include "benchmarks/bench.h"

namespace fovea {

class Ranks;

struct MakeCommand {
  std::string name;
  std::int64_t count = 10000;
  std::int64_t seed = 1;
  int run() const;
};

struct TrainCommand {
  TrainingFiles files;
  ConfigInput input;
  std::string folder;
  std::string stop_after = "none";
  std::string save_every = "60s";
  std::string progress = "auto";
  std::string command_line;
  int threads = 0;            // 0: all
  double rank_timeout = 120;  // seconds; 0: none
  bool fresh = false;
  bool print_config = false;
  int run() const;

 private:
  int run(Ranks& ranks) const;
};

struct PredictCommand {
  std::string model;
  std::string file = "-";
  std::string columns;  // empty: as the model has them
  int beam = 1;
  int nbest = 1;
  double length_power = 1;
  int batch = 64;
  std::int64_t max_length = 0;  // 0: as the model has it, like
  int max_output = 0;
  double coverage_penalty = 0;
  double temperature = 0;  // > 0: draws
  std::int64_t seed = 1;   // of the draws
  bool replace_unknown = false;
  std::string dictionary;
  bool int8 = false;
  int threads = 0;
  bool json = false;
  int run() const;
};

struct EvaluateCommand {
  std::string model;
  std::string data;
  std::string source_file;
  std::string target_file;
  std::string alignment_file;
  std::string columns;                // empty: as the model has them
  std::vector<std::string> minimums;  // exact=0.99
  std::vector<std::string> maximums;  // cer=0.05
  std::string on_bad_line = "fail";
  std::int64_t max_length = 0;  // 0: as the model has it, like
  int max_output = 0;
  int beam = 1;
  double length_power = 1;
  double coverage_penalty = 0;
  bool int8 = false;
  int threads = 0;
  bool json = false;
  int run() const;
};

struct ShowCommand {
  std::string model;
  std::string text;
  std::string columns;  // empty: as the model has them
  std::string svg;
  std::string html;
  int beam = 1;
  std::int64_t max_length = 0;  // 0: as the model has it, like
  int max_output = 0;
  bool json = false;
  bool compact = false;
  int run() const;
};

struct CompareCommand {
  TrainingFiles files;
  ConfigInput input;
  std::string folder = "runs/compare";
  std::vector<std::string> varied;  // a.b=c,d or a.b=all
  std::string stop_after = "2m";    // each
  std::string progress = "auto";
  std::string tsv;
  std::string html;
  std::string command_line;
  std::int64_t seeds = 1;
  int threads = 0;
  bool json = false;
  int run() const;
};

struct ListCommand {
  static std::vector<std::string> names();  // of the lists

  std::string what;
  bool json = false;
  int run() const;
};

struct InspectCommand {
  std::string model;
  bool json = false;
  int run() const;
};

struct BenchCommand {
  BenchOptions options = {.threads = 0};
  bool json = false;
  int run() const;
};

struct ManualCommand {
  int run() const;
};

struct CompletionsCommand {
  static std::vector<std::string> shells();

  std::string shell;
  int run() const;
};

}  // namespace fovea
