// Everything that decides what a run computes: the same config, data and seed give the same bytes.
#pragma once

#include <cstdint>
#include <string>

#include "base/options.h"
#include "models/options.h"

namespace fovea {

struct SideOptions {
  std::string unit = "char";
  int max_symbols = 50000;
  int min_count = 1;

  void fields(FieldVisitor& visit);
};

struct TrainingOptions {
  BatchSize batch = {4000, true};
  std::string optimizer = "adam";
  double learning_rate = 0.002;
  double momentum = 0.9;
  int warmup = 0;
  std::string decay = "plateau";
  double clip = 1.0;
  double dropout = 0.1;
  double sampling = 0;
  int sampling_warmup = 0;
  int patience = 5;
  Period validate_every = {1, Period::Unit::epochs};
  int shards = 4;
  int most_skipped = 20;
  std::int64_t seed = 1;

  void fields(FieldVisitor& visit);
};

struct Config {
  std::string task = "transduce";
  SideOptions source;
  SideOptions target;
  std::string extra = "none";
  ModelOptions model;
  TrainingOptions training;

  void fields(FieldVisitor& visit);
};

}  // namespace fovea
