// How fast training is on this machine, beside the fastest product the machine can do: the four shapes of the design.
#pragma once

#include <string>
#include <vector>

namespace fovea {

std::vector<std::string> bench_shapes();

struct BenchResult {
  double ms_per_step = 0;
  double tokens_per_second = 0;  // positions of both sides
  double gflops = 0;             // of the matrix products alone
  double roofline_gflops = 0;    // one large product on each thread, the best of several
  double share = 0;              // gflops / roofline_gflops
};

BenchResult bench(const std::string& shape, int threads, double seconds);

}  // namespace fovea
