// Everything that decides what a run computes: the same config, data and seed give the same bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/options.h"
#include "data/source.h"
#include "models/options.h"

namespace fovea {

struct TrainingOptions {
  BatchSize batch = {4000, true};
  std::string optimizer = "adam";
  double learning_rate = 0.002;
  double momentum = 0.9;
  double beta2 = 0.999;
  double weight_decay = 0;
  double average = 0;
  int warmup = 0;
  std::string decay = "plateau";
  int decay_after = 3;
  int decay_updates = 0;
  double clip = 1.0;
  double dropout = 0.1;
  double scheduled_sampling = 0;
  int scheduled_sampling_warmup = 0;
  std::string metric = "exact";
  int patience = 5;
  int patience_updates = 0;
  Period validate_every = {1, Period::Unit::epochs};
  int shards = 4;
  int max_skipped = 20;
  std::int64_t seed = 1;

  void fields(FieldVisitor& visit);
};

struct Config {
  std::string task = "transduce";
  std::vector<std::string> columns;  // see data/columns.h
  std::int64_t max_length = 1000;
  bool shared_vocabulary = false;
  SourceOptions source;
  SourceOptions source2;  // where the columns have it, like
  SourceOptions source3;
  TextOptions target;
  ModelOptions model;
  TrainingOptions training;

  void fields(FieldVisitor& visit);
  // Those of the columns.
  std::vector<const SourceOptions*> sources() const;
};

// A usage_error unless what is asked for suits the task.
void check_task(const Config& config);

}  // namespace fovea
