#include "benchmarks/shapes.h"

#include <algorithm>

#include "base/nearest.h"

namespace fovea {

namespace {

constexpr int transformer_layers = 3;  // of each side

Vocabulary made_vocabulary(int size) {
  SymbolCounts counts;
  for (int i = Vocabulary::first_symbol; i < size; ++i) counts.add("w" + std::to_string(i));
  return Vocabulary(counts, {.max_size = size});
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

Config config_of(const BenchShape& shape) {
  Config config;
  config.source.tokenizer = config.target.tokenizer = "word";
  ModelOptions& model = config.model;
  model.encoder.size = model.encoder.embedding = shape.size;
  model.decoder.size = model.decoder.embedding = shape.size;
  model.attention.size = model.generator.size = shape.size;
  if (!shape.transformer) return config;
  model.encoder.kind = model.decoder.kind = "transformer";
  model.encoder.layers = model.decoder.layers = transformer_layers;
  model.encoder.feed_forward = model.decoder.feed_forward = 4 * shape.size;
  model.attention.score = "scaled_dot";
  model.attention.heads = model.self_attention.heads = 4;
  return config;
}

// How many rows are multiplied with weights, and how many pairs of a query and a key there are in each layer.
struct Rows {
  double source;
  double target;
  double once;
  double pairs;
  double source_symbols;  // by recurrent layers that read symbols
  double target_symbols;
};

double flops(const Parameters& parameters, const BenchShape& shape, const Rows& rows) {
  double total = 0;
  for (const Parameters::Entry& entry : parameters.entries()) {
    const auto has = [&](const char* part) { return entry.name.find(part) != std::string::npos; };
    if (entry.shape.axes() != 2 || has("table")) continue;
    const bool of_memory = has("additive.key") || has(".attention.project_key") || has(".attention.project_value");
    const bool source = entry.name.starts_with("encoder") || of_memory;
    const bool of_symbols = !shape.transformer && has("layer0") && has(".input");
    total += 2.0 * entry.shape.count() *
             (of_symbols      ? (source ? rows.source_symbols : rows.target_symbols)
              : has("bridge") ? rows.once
              : source        ? rows.source
                              : rows.target);
  }
  return total + (shape.transformer ? transformer_layers * 4.0 * rows.pairs * shape.size : 0);
}

}  // namespace

const std::vector<BenchShape>& bench_shapes() {
  static const std::vector<BenchShape> all = {{"S", false, 128, 64, 28, 11, 60},
                                              {"M", false, 256, 64, 15, 15, 8000},
                                              {"L", false, 512, 64, 15, 15, 8000},
                                              {"T", true, 256, 64, 20, 20, 8000}};
  return all;
}

BenchShape find_bench_shape(const std::string& name) {
  const auto found = std::ranges::find(bench_shapes(), name, &BenchShape::name);
  if (found != bench_shapes().end()) return *found;
  std::vector<std::string> known;
  for (const BenchShape& shape : bench_shapes()) known.push_back(shape.name);
  throw unknown_name("shape", name, known);
}

// Larger than a new model's weights, and biases that are not zero: with such weights each part of the model shows in
// the loss, which other programs are compared by.
std::unique_ptr<Model> made_model(const BenchShape& shape) {
  const Config config = config_of(shape);
  Task::Learned learned;
  learned.sources = {std::make_shared<TextSource>(make_tokenizer("char"), made_vocabulary(shape.symbols))};
  learned.target_tokenizer = make_tokenizer("char");
  learned.target = made_vocabulary(shape.symbols);
  auto model = std::make_unique<Model>(config, Task(config, std::move(learned)));
  Parameters& parameters = model->parameters();
  std::uint64_t place = 0;
  for (const Parameters::Entry& entry : parameters.entries()) {
    for (Real& value : parameters.values(entry)) {
      const double shift = 0.4 * Random(2, Purpose::initial_weights).uniform(place++) - 0.2;
      value = entry.shape.axes() == 2 ? 2 * value : value + static_cast<Real>(shift);
    }
  }
  parameters.invalidate_packed();
  return model;
}

std::vector<Encoding> made_examples(const BenchShape& shape) {
  std::vector<Encoding> examples;
  for (int i = 0; i < shape.batch; ++i) {
    const Random random = Random(1, Purpose::data).at(static_cast<std::uint64_t>(i));
    Encoding& example = examples.emplace_back();
    example.source.sources = {{made_symbols(random.at(0), shape.source - 1, shape.symbols), {}, shape.source - 1}};
    example.target = made_symbols(random.at(1), shape.target - 1, shape.symbols);
  }
  return examples;
}

double training_flops(const Parameters& parameters, const BenchShape& shape, Counted counted) {
  const double batch = shape.batch, source = shape.source, target = shape.target;
  // A shard multiplies each symbol once, see SymbolProducts.
  const double symbols =
      counted == Counted::done ? double(shape.symbols) * TrainingOptions().shards : batch * std::max(source, target);
  return 3 *
         flops(parameters, shape,
               {batch * source, batch * target, batch, batch * (source * source + target * target + target * source),
                std::min(symbols, batch * source), std::min(symbols, batch * target)});
}

// A step sees the steps before it and itself.
double answering_flops(const Parameters& parameters, const BenchShape& shape, int sources, int beam, Counted counted) {
  const double source = shape.source, target = shape.target;
  const double pairs = source * source + beam * (target * (target + 1) / 2 + target * source);
  const double kept = counted == Counted::done ? 0 : 1;  // products of symbols are, as long as the weights
  return flops(parameters, shape,
               {sources * source, sources * target * beam, static_cast<double>(sources), sources * pairs,
                kept * sources * source, kept * sources * target * beam});
}

}  // namespace fovea
