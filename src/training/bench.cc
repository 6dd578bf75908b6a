#include "training/bench.h"

#include <algorithm>
#include <chrono>

#include "base/threads.h"
#include "kernels/product.h"
#include "kernels/reference_product.h"
#include "training/gradient.h"
#include "training/optimizer.h"

namespace fovea {

namespace {

struct BenchShape {
  std::string name;
  int size;  // of embeddings and states
  int batch;
  int source;  // positions, the stop symbol counted
  int target;
  int symbols;
};

const std::vector<BenchShape>& shapes() {
  static const std::vector<BenchShape> all = {
      {"S", 128, 64, 28, 11, 60}, {"M", 256, 64, 15, 15, 8000}, {"L", 512, 64, 15, 15, 8000}};
  return all;
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

Vocabulary made_vocabulary(int size) {
  SymbolCounts counts;
  for (int i = Vocabulary::first_symbol; i < size; ++i) counts.add("w" + std::to_string(i), 1'000'000);
  return Vocabulary(counts);
}

Symbols made_symbols(const Random& random, int count, int symbols) {
  Symbols made;
  for (int i = 0; i < count; ++i) {
    const auto choice =
        random.below(static_cast<std::uint64_t>(symbols - Vocabulary::first_symbol), static_cast<std::uint64_t>(i));
    made.push_back(static_cast<std::int32_t>(choice) + Vocabulary::first_symbol);
  }
  return made;
}

// Two operations for each weight and row, once forward and twice backward.
double flops(const Parameters& parameters, const BenchShape& shape) {
  double total = 0;
  for (const Parameters::Entry& entry : parameters.entries()) {
    if (entry.shape.axes() != 2 || entry.name.find("table") != std::string::npos) continue;
    const bool source = entry.name.starts_with("encoder") || entry.name.find(".key") != std::string::npos;
    const bool once = entry.name.starts_with("decoder.bridge");
    total += 6.0 * entry.shape.count() * shape.batch * (once ? 1 : source ? shape.source : shape.target);
  }
  return total;
}

double roofline(Workers& workers) {
  constexpr int size = 512;
  constexpr double work = 2.0 * size * size * size;
  std::vector<std::vector<Real>> memory(static_cast<std::size_t>(workers.count()),
                                        std::vector<Real>(std::size_t(4) * size * size, Real(0.5)));
  double best = 0;
  for (int round = 0; round < 12; ++round) {
    constexpr int repeats = 8;
    const double start = now();
    workers.run(workers.count(), [&](int task, int) {
      Real* a = memory[static_cast<std::size_t>(task)].data();
      Real *b = a + size * size, *packed = b + size * size, *c = packed + size * size;
      for (int i = 0; i < repeats; ++i) {
        if (round % 2 == 0) {
          kernels::add_reference_product(a, b, size, c);
        } else {
          kernels::multiply({a, size, size, size}, packed, size, c, size, kernels::Start::zero);
        }
      }
    });
    best = std::max(best, work * repeats * workers.count() / (now() - start) / 1e9);
  }
  return best;
}

}  // namespace

std::vector<std::string> bench_shapes() {
  std::vector<std::string> names;
  for (const BenchShape& shape : shapes()) names.push_back(shape.name);
  return names;
}

BenchResult bench(const std::string& name, int threads, double seconds) {
  const auto shape = std::ranges::find(shapes(), name, &BenchShape::name);
  if (shape == shapes().end()) throw usage_error("no shape {}; there are S, M and L", name);
  Config config;
  config.model.encoder.size = config.model.encoder.embedding = shape->size;
  config.model.decoder.size = config.model.decoder.embedding = shape->size;
  config.model.attention.size = config.model.output.size = shape->size;
  Model model(config, Transduce(config, made_vocabulary(shape->symbols), made_vocabulary(shape->symbols)));
  std::vector<Encoding> examples;
  std::vector<std::uint32_t> batch;
  for (int i = 0; i < shape->batch; ++i) {
    const Random random = Random(1, Purpose::data).at(static_cast<std::uint64_t>(i));
    examples.push_back({{made_symbols(random.at(0), shape->source - 1, shape->symbols), {}, {}},
                        made_symbols(random.at(1), shape->target - 1, shape->symbols),
                        {}});
    batch.push_back(static_cast<std::uint32_t>(i));
  }
  Workers workers(threads);
  GradientWorker gradient(model, examples, workers);
  Optimizer optimizer("adam", 0, static_cast<std::size_t>(model.parameters().count()));
  std::int64_t update = 0;
  const auto step = [&] {
    gradient.compute({.examples = batch,
                      .random = Random(1, Purpose::dropout).at(static_cast<std::uint64_t>(update)),
                      .dropout = 0,
                      .sampling = 0,
                      .shards = config.training.shards});
    const Optimizer::Step change = {++update, 0.001, 1};
    gradient.for_each_piece([&](std::size_t start, std::size_t count) {
      optimizer.apply(change, start, gradient.gradient().subspan(start, count), model.parameters().values());
    });
    model.parameters().refresh_packed(workers);
  };
  BenchResult result;
  result.roofline_gflops = roofline(workers);
  for (int i = 0; i < 3; ++i) step();
  std::vector<double> times;
  for (const double end = now() + seconds; now() < end || times.size() < 5;) {
    const double start = now();
    step();
    times.push_back(now() - start);
  }
  std::ranges::sort(times);
  const double typical = times[times.size() / 2];
  result.roofline_gflops = std::max(result.roofline_gflops, roofline(workers));
  result.ms_per_step = typical * 1e3;
  result.tokens_per_second = shape->batch * (shape->source + shape->target) / typical;
  result.gflops = flops(model.parameters(), *shape) / typical / 1e9;
  result.share = result.gflops / result.roofline_gflops;
  return result;
}

}  // namespace fovea
