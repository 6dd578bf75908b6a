#include <fmt/core.h>

#include "base/threads.h"
#include "cli/commands.h"
#include "cli/out.h"
#include "kernels/target.h"
#include "training/bench.h"

namespace fovea {

int BenchCommand::run() const {
  const int used = threads > 0 ? threads : Workers::default_count();
  const BenchResult r = bench(shape, used, seconds);
  if (json) {
    write_out(
        fmt::format("{{\"shape\":\"{}\",\"threads\":{},\"instruction_set\":\"{}\",\"ms_per_step\":{:.4f},"
                    "\"tokens_per_second\":{:.1f},\"gflops\":{:.3f},\"roofline_gflops\":{:.3f},\"share\":{:.4f}}}\n",
                    shape, used, kernels::instruction_set(), r.ms_per_step, r.tokens_per_second, r.gflops,
                    r.roofline_gflops, r.share));
  } else {
    write_out(
        fmt::format("shape {}, {} threads, {}\n{:>10.2f} ms a step\n{:>10.0f} tokens/s\n{:>10.1f} GFLOP/s in "
                    "products, {:.1f} % of the {:.1f} this machine can do\n",
                    shape, used, kernels::instruction_set(), r.ms_per_step, r.tokens_per_second, r.gflops,
                    100 * r.share, r.roofline_gflops));
  }
  flush_out();
  return 0;
}

}  // namespace fovea
