// How fast training and answering are on this machine, beside the most it could do.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace fovea {

struct BenchOptions {
  std::string shape = "S";
  std::string mode = "train";  // train; greedy: batches, one on each thread; beam: line after line on one thread
  int threads = 1;
  double seconds = 4;
  int batch = 0;  // 0 here and below: as the shape has it
  int source = 0;
  int target = 0;
  int size = 0;
  int symbols = 0;
  bool int8 = false;      // answers with weights rounded to 8 bits
  std::string save = {};  // folder for model.safetensors and batch.json, what it computes; empty: none
};

struct BenchResult {
  std::string unit;  // what `ms` is the time of: step, batch or line
  double ms = 0;
  double tokens_per_second = 0;  // trained on: positions of both sides; answered: symbols written
  double gflops = 0;             // of the matrix products alone that were done
  double whole_gflops = 0;       // as if every position had been multiplied
  double roofline_gflops = 0;    // multiply-adds on registers alone, on all threads: the physical limit
  double product_gflops = 0;     // our own large product on each thread
  std::optional<double> share;   // gflops / roofline_gflops; not of 8-bit weights, whose units have another limit
  std::int64_t parameters = 0;
  double peak_mib = 0;  // memory of the process, at most until now
  int threads = 1;
  int batch = 0, source = 0, target = 0, size = 0, symbols = 0;
};

std::vector<std::string> bench_modes();

// The stop symbol is never chosen, so that every answer has as many symbols as the shape's targets.
BenchResult bench(const BenchOptions& options);

}  // namespace fovea
