// The lines of a run: to train on and held out, from files or from memory.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "data/pairs.h"
#include "training/trainer.h"

namespace fovea {

struct TrainingInput {
  std::string file;         // of columns, "-" for standard input; or
  std::string source_file;  // two files; or
  std::string target_file;
  std::string alignment_file;
  std::vector<Example> examples;  // lines in memory
  std::string dev;                // held-out lines, as columns or as two files; none: a part of the data
  std::string dev_source;
  std::string dev_target;
  std::vector<Example> held_out;  // or in memory
  std::string lexicon;            // for outputs that look symbols up; empty: none
  std::string on_bad_line = "fail";

  bool empty() const { return file.empty() && source_file.empty() && examples.empty(); }
  bool reads_standard_input() const;
};

// Something to be told about the data: which columns they have, if that had to be guessed, which lines were left out.
using Notice = std::function<void(const std::string&)>;

// All lines as they were read; without held-out ones where a part of the others will be. Puts the columns that were
// read into the config. Texts are normalised as that says.
struct ReadLines {
  Pairs training;
  Pairs held_out = {};
};
ReadLines read_lines(const TrainingInput& input, Config& config, const Notice& notice);

// The same, parted.
TrainingData training_data(const TrainingInput& input, ReadLines lines);

// Both. Puts the columns that were read into the config. Texts are normalised as that says.
TrainingData read_training_data(const TrainingInput& input, Config& config, const Notice& notice);

}  // namespace fovea
