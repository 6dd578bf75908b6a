#include "benchmarks/bench.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>

#include "base/as_size.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/nearest.h"
#include "base/threads.h"
#include "kernels/limit.h"
#include "kernels/product.h"
#include "tensor/share_products.h"
#include "benchmarks/shapes.h"
#include "tasks/batching.h"
#include "training/gradient.h"
#include "training/optimizer.h"

namespace fovea {

namespace {

constexpr int beam_size = 5;

// Since the process began; getrusage would also tell of the program that started this one.
double peak_mib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) / 1024;
  }
  return 0;
}

// GFLOP/s, the best of what the threads together reach in a few tries of `work(thread)`, which says its operations.
double best_rate(Workers& workers, double seconds, const std::function<double(int)>& work) {
  std::vector<double> done(as_size(workers.count()));
  double best = 0;
  const double end = now() + std::min(0.1, seconds);
  do {
    const double start = now();
    workers.run(workers.count(), [&](int task, int) { done[as_size(task)] = work(task); });
    best = std::max(best, std::accumulate(done.begin(), done.end(), 0.0) / (now() - start) / 1e9);
  } while (now() < end);
  return best;
}

// What the machine can do at most, and what it does in our own large product.
class Rates {
 public:
  explicit Rates(Workers& workers)
      : workers_(workers), matrices_(as_size(workers.count()), std::vector<Real>(3 * size * size, Real(0.5))) {}

  void measure(double seconds) {
    measure_limit(seconds);
    product_ = std::max(product_, best_rate(workers_, seconds, [&](int task) {
                          Real* a = matrices_[as_size(task)].data();
                          Real *packed = a + size * size, *out = packed + size * size;
                          constexpr int repeats = 8;
                          for (int i = 0; i < repeats; ++i) {
                            kernels::multiply({a, size, size, size}, packed, size, out, size, kernels::Start::zero);
                          }
                          return 2.0 * repeats * size * size * size;
                        }));
  }

  // The best of many looks: the machine may do other things, too, at any of them.
  void measure_limit(double seconds) {
    limit_ = std::max(limit_, best_rate(workers_, seconds, [&](int task) {
                        const kernels::MultiplyAdds done = kernels::multiply_add_registers(1 << 18);
                        matrices_[as_size(task)][0] = done.sum;
                        return done.operations;
                      }));
  }

  double limit() const { return limit_; }
  double product() const { return product_; }

 private:
  static constexpr int size = 512;

  Workers& workers_;
  std::vector<std::vector<Real>> matrices_;
  double limit_ = 0, product_ = 0;
};

// In seconds, the median. In between the limit is looked at again.
double typical_time(double seconds, Rates& rates, const std::function<void()>& work) {
  constexpr double between_looks = 0.25, look = 0.01;
  for (int i = 0; i < 3; ++i) work();
  std::vector<double> times;
  double worked = 0, looked_after = 0;
  while (worked < seconds || times.size() < 5) {
    const double start = now();
    work();
    times.push_back(now() - start);
    worked += times.back();
    if (worked < looked_after + between_looks) continue;
    rates.measure_limit(look);
    looked_after = worked;
  }
  std::ranges::sort(times);
  return times[times.size() / 2];
}

class TrainingSteps {
 public:
  TrainingSteps(Model& model, std::span<const Encoding> examples, Workers& workers)
      : model_(model),
        workers_(workers),
        gradient_(model, examples, workers),
        optimizer_({}, as_size(model.parameters().count())) {
    for (std::size_t i = 0; i < examples.size(); ++i) batch_.push_back(static_cast<std::uint32_t>(i));
  }

  void step() {
    gradient_.compute({.examples = batch_,
                       .random = Random(1, Purpose::dropout).at(static_cast<std::uint64_t>(update_)),
                       .dropout = 0,
                       .scheduled_sampling = 0,
                       .shards = model_.config().training.shards});
    const Optimizer::Step change = {++update_, 0.001, 1};
    gradient_.for_each_piece([&](std::size_t start, std::size_t count) {
      optimizer_.apply(change, start, gradient_.gradient().subspan(start, count), model_.parameters().values());
    });
    model_.parameters().refresh_packed(workers_);
  }

 private:
  Model& model_;
  Workers& workers_;
  GradientWorker gradient_;
  Optimizer optimizer_;
  std::vector<std::uint32_t> batch_;
  std::int64_t update_ = 0;
};

// Answers of a fixed length, with the memory that a thread needs for them.
class FixedSearch {
 public:
  FixedSearch(const Model& model, int length, int beam)
      : model_(model), options_{.beam = beam}, symbols_(model.task().search_symbols()), length_(length) {
    symbols_.never.push_back(symbols_.stop);
    rules_ = options_.rules.make({.stop = symbols_.stop, .encode = {}});
  }

  std::vector<std::vector<Answer>> answer(std::span<const Encoding> examples) {
    std::vector<const Reading*> sources;
    for (const Encoding& example : examples) sources.push_back(&example.source);
    fill_source(model_.task(), sources, side_);
    Pass pass(model_.parameters(), sources_);
    const std::unique_ptr<StepModel> asked = model_.network().begin(pass, side_);
    const std::vector<int> max_steps(examples.size(), length_);
    return search(model_.parameters(), *asked, options_, symbols_, rules_, {.max_steps = max_steps}, steps_);
  }

 private:
  const Model& model_;
  SearchOptions options_;
  SearchSymbols symbols_;
  Rules rules_;
  int length_;
  Arena sources_;
  SearchArenas steps_;
  SourceBatch side_;
};

// The seconds that a step, a batch or a line takes.
double measure(const BenchOptions& options, const BenchShape& shape, Model& model, Workers& workers, Rates& rates) {
  const std::vector<Encoding> examples = made_examples(shape);
  if (options.mode == "train") {
    TrainingSteps training(model, examples, workers);
    return typical_time(options.seconds, rates, [&] { training.step(); });
  }
  model.parameters().refresh_packed(workers);
  if (options.mode == "beam") {
    FixedSearch beam(model, shape.target, beam_size);
    const ShareProducts sharing(workers);
    std::size_t line = 0;
    return typical_time(options.seconds, rates,
                        [&] { beam.answer(std::span(examples).subspan(line++ % examples.size(), 1)); });
  }
  std::vector<std::unique_ptr<FixedSearch>> searches;
  for (int i = 0; i < workers.count(); ++i) {
    searches.push_back(std::make_unique<FixedSearch>(model, shape.target, 1));
  }
  const double all = typical_time(options.seconds, rates, [&] {
    workers.run(workers.count(), [&](int task, int) { searches[as_size(task)]->answer(examples); });
  });
  return all / workers.count();
}

// model.safetensors, and in batch.json what another program with these weights should find: the mean loss of a target
// symbol, the norm of its gradient, and the best answers with their log-probability per symbol.
void save_bench(const std::filesystem::path& folder, const Model& model, const BenchShape& shape) {
  const std::vector<Encoding> examples = made_examples(shape);
  std::vector<const Encoding*> rows;
  Json sources, targets;
  for (const Encoding& example : examples) {
    rows.push_back(&example);
    sources.push_back(example.source.sources[0].symbols);
    targets.push_back(example.target);
  }
  Batch batch;
  batch.samples.assign(examples.size(), 0);
  fill_batch(model.task(), rows, batch);
  Arena arena;
  std::vector<Real> gradient(as_size(model.parameters().count()));
  const TrainingPass training = {gradient, Random(1, Purpose::dropout), batch.samples};
  Pass pass(model.parameters(), arena, training);
  const EncoderDecoder::Loss loss = model.network().loss(pass, batch);
  pass.tape().backward(loss.total, Real(1) / static_cast<Real>(loss.symbols));
  double squares = 0;
  for (const Real value : gradient) squares += static_cast<double>(value) * static_cast<double>(value);

  Json out = {{"shape", shape.name},
              {"size", shape.size},
              {"symbols", shape.symbols},
              {"source", std::move(sources)},
              {"target", std::move(targets)},
              {"target_length", shape.target},
              {"start", Vocabulary::start},
              {"stop", Vocabulary::stop},
              {"never", {Vocabulary::pad, Vocabulary::unknown, Vocabulary::start, Vocabulary::stop}},
              {"loss", static_cast<double>(*loss.total.data()) / loss.symbols},
              {"gradient_norm", std::sqrt(squares)},
              {"beam_size", beam_size}};
  for (const int beam : {1, beam_size}) {
    Json answers;
    for (const auto& best : FixedSearch(model, shape.target, beam).answer(examples)) {
      answers.push_back({{"symbols", best[0].symbols}, {"score", best[0].score}});
    }
    out[beam == 1 ? "greedy" : "beam"] = std::move(answers);
  }
  Files files;
  files.make_directories(folder);
  files.write_atomically(folder / model_file_name, encode_safetensors({model.metadata(), model.arrays()}));
  files.write_atomically(folder / "batch.json", json_text(out) + "\n");
}

}  // namespace

std::vector<std::string> bench_modes() { return {"train", "greedy", "beam"}; }

BenchResult bench(const BenchOptions& options) {
  if (std::ranges::count(bench_modes(), options.mode) == 0) {
    throw unknown_name("mode", options.mode, bench_modes());
  }
  BenchShape shape = find_bench_shape(options.shape);
  const auto change = [](int& value, int wanted) { value = wanted > 0 ? wanted : value; };
  change(shape.batch, options.batch);
  change(shape.source, options.source);
  change(shape.target, options.target);
  change(shape.size, options.size);
  change(shape.symbols, options.symbols);
  const bool trains = options.mode == "train", beams = options.mode == "beam";
  if (options.int8 && trains) throw usage_error("`int8` is for answering; set `mode` to greedy or beam");
  const std::unique_ptr<Model> model = made_model(shape);
  if (!options.save.empty()) save_bench(options.save, *model, shape);
  if (options.int8) model->parameters().use_int8();
  Workers workers(options.threads);

  BenchResult result;
  Rates rates(workers);
  rates.measure(options.seconds);
  const double seconds = measure(options, shape, *model, workers, rates);
  rates.measure(options.seconds);
  result.roofline_gflops = rates.limit();
  result.product_gflops = rates.product();
  const int sources = beams ? 1 : shape.batch;
  const auto work = [&](Counted counted) {
    return trains ? training_flops(model->parameters(), shape, counted)
                  : answering_flops(model->parameters(), shape, sources, beams ? beam_size : 1, counted);
  };
  result.unit = trains ? "step" : beams ? "line" : "batch";
  result.ms = seconds * 1e3;
  result.tokens_per_second = sources * (trains ? shape.source + shape.target : shape.target) / seconds;
  result.gflops = work(Counted::done) / seconds / 1e9;
  result.whole_gflops = work(Counted::whole) / seconds / 1e9;
  if (!options.int8) result.share = result.gflops / result.roofline_gflops;
  result.parameters = model->parameters().count();
  result.peak_mib = peak_mib();
  result.threads = workers.count();
  result.batch = sources;
  result.source = shape.source;
  result.target = shape.target;
  result.size = shape.size;
  result.symbols = shape.symbols;
  return result;
}

}  // namespace fovea
