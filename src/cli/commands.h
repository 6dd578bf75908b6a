// The commands. command_line.cc turns words into these structures; each command turns one into calls of the library.
// Results go to standard output, all else to standard error.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/makers/maker.h"
#include "decoding/search_options.h"
#include "benchmarks/bench.h"
#include "evaluation/difference.h"
#include "runs/config_input.h"
#include "runs/training_input.h"
#include "server/listener.h"

namespace fovea {

class Ranks;

struct MakeCommand {
  std::string name;
  std::int64_t count = 10000;
  std::int64_t seed = 1;
  MakerOptions options;
  int run() const;
};

struct TrainCommand {
  TrainingInput files;
  ConfigInput input;
  std::string folder;
  std::string from;  // a model to begin with; empty: none
  std::string stop_after = "none";
  std::string save_every = "60s";
  std::string progress = "auto";
  std::string command_line;
  int threads = 0;            // 0: all
  int keep = 0;               // validated models
  double rank_timeout = 120;  // seconds; 0: none
  std::string watch;          // port of the page that shows it; empty: none
  bool fresh = false;
  bool no_film = false;
  bool print_config = false;
  int run() const;

 private:
  int run(Ranks& ranks) const;
};

struct PredictCommand {
  std::vector<std::string> words;  // see cli/models.h
  std::string columns;             // empty: as the model has them
  SearchOptions search;
  int batch = 64;
  std::int64_t max_length = 0;  // 0: as the model has it
  bool replace_unknown = false;
  std::string dictionary;
  bool int8 = false;
  int threads = 0;
  bool json = false;
  bool by_words = false;
  int run() const;
};

struct ScoreCommand {
  std::vector<std::string> words;  // see cli/models.h
  std::string columns;             // empty: as the model has them
  int batch = 64;
  std::int64_t max_length = 0;  // 0: as the model has it
  bool int8 = false;
  int threads = 0;
  bool json = false;
  int run() const;
};

struct AverageCommand {
  std::vector<std::string> models;
  int last = 0;  // of the models a run has kept; 0: the given ones
  std::string output;
  int run() const;
};

struct EvaluateCommand {
  std::vector<std::string> words;  // see cli/models.h
  std::string source_file;
  std::string target_file;
  std::string alignment_file;
  std::string columns;                // empty: as the model has them
  std::vector<std::string> minimums;  // exact=0.99
  std::vector<std::string> maximums;  // cer=0.05
  std::string on_bad_line = "fail";
  std::string against;          // another model, to be told apart from; empty: none
  std::string errors;           // file for what went wrong; empty: none
  std::string svg;              // file for how good it is by length; empty: none
  std::int64_t max_length = 0;  // 0: as the model has it
  int top = 0;                  // 0: as the task has it
  SearchOptions search;
  MeasureOptions measure;
  bool int8 = false;
  int threads = 0;
  bool json = false;
  int run() const;

 private:
  Evaluation evaluate_other(const PairOptions& files) const;
};

struct CheckCommand {
  TrainingInput files;
  ConfigInput input;
  bool json = false;
  int run() const;
};

struct ShowCommand {
  std::string model;
  std::vector<std::string> texts;
  std::vector<std::string> files;  // of further lines
  std::string columns;             // empty: as the model has them
  std::string svg;
  std::string png;
  std::string html;
  std::string target;           // empty: the model's answer
  std::int64_t max_length = 0;  // 0: as the model has it
  SearchOptions search;
  int layer = -1;  // -1: all
  int head = -1;
  bool steps = false;
  bool film = false;  // the model is a run, and what is shown its film
  bool json = false;
  bool by_words = false;
  bool compact = false;
  int run() const;

 private:
  int run_film() const;
};

struct ReportCommand {
  std::vector<std::string> runs;
  std::string output = "report.html";
  std::string tensorboard;  // folder
  int run() const;
};

struct ServeCommand {
  std::vector<std::string> models;
  ServerOptions options;
  std::string files;  // the folder whose files lines may name; empty: none
  int queue = 64;
  bool int8 = false;
  int threads = 0;
  int run() const;
};

struct CompareCommand {
  TrainingInput files;
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
