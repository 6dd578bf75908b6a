#include <fmt/core.h>

#include "base/counted.h"
#include "base/threads.h"
#include "base/json.h"
#include "cli/commands.h"
#include "cli/complaint.h"
#include "cli/out.h"
#include "cli/overwriting.h"
#include "kernels/instruction_set.h"
#include "benchmarks/bench.h"

namespace fovea {

int BenchCommand::run() const {
  BenchOptions asked = options;
  if (asked.threads == 0) asked.threads = Workers::default_count();
  check_bench_folder(options.save);
  const BenchResult r = bench(asked);
  complain_of_threads(asked.threads, r.threads);
  if (json) {
    OrderedJson out = {{"shape", options.shape},
                       {"mode", options.mode},
                       {"threads", r.threads},
                       {"instruction_set", kernels::instruction_set()},
                       {"batch", r.batch},
                       {"source", r.source},
                       {"target", r.target},
                       {"size", r.size},
                       {"symbols", r.symbols},
                       {"parameters", r.parameters},
                       {"ms_per_" + r.unit, r.ms},
                       {"tokens_per_second", r.tokens_per_second},
                       {"gflops", r.gflops},
                       {"whole_gflops", r.whole_gflops},
                       {"roofline_gflops", r.roofline_gflops},
                       {"product_gflops", r.product_gflops},
                       {"peak_mib", r.peak_mib}};
    if (r.share) out["share"] = *r.share;
    write_out(json_text(out) + "\n");
  } else {
    write_out(fmt::format(
        "shape {}, {}, {}, {}\n{:>10.2f} ms a {}\n{:>10.0f} {}tokens/s\n{:>10.1f} GFLOP/s in "
        "products{}; one large product reaches {:.1f}\n{:>10.1f} MiB at most\n",
        options.shape, options.mode, counted(r.threads, "thread"), kernels::instruction_set(), r.ms, r.unit,
        r.tokens_per_second, options.mode == "train" ? "" : "output ", r.gflops,
        r.share ? fmt::format(", {:.1f} % of the {:.1f} that registers alone allow", 100 * *r.share, r.roofline_gflops)
                : " of 8-bit weights",
        r.product_gflops, r.peak_mib));
  }
  flush_out();
  return 0;
}

}  // namespace fovea
