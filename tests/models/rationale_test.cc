// What was not chosen cannot matter, and choosing is learned by the gradient of what choices are worth on average.
#include "models/rationale.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "base/as_size.h"
#include "models/oracles/objectives.h"
#include "models/tiny_model.h"

namespace fovea::rationale_test {
namespace {

// ---- what an encoder reads

struct Columns {
  std::vector<std::vector<Real>> read;  // that are real in the memory
  std::vector<Real> last;
  bool operator==(const Columns&) const = default;
};

class Reader {
 public:
  explicit Reader(const ModelOptions& options)
      : input_(make_input(parameters_, "encoder.embedding", options.encoder, SourceShape::of_symbols(source_symbols))),
        encoder_(make_encoder(parameters_, options, *input_)) {
    parameters_.allocate();
    std::ranges::copy(random_values(static_cast<int>(parameters_.count()), "weights", Real(0.8)),
                      parameters_.values().begin());
  }

  Columns read(const Sequence& source, std::vector<std::uint8_t> chosen) const {
    Arena arena;
    Pass pass(parameters_, arena);
    const Side side = tiny_side({source}, {}, 0);
    const Encoded encoded = encoder_->encode(pass, input_->vectors(pass, side), {chosen.data(), side.length, 1});
    Columns out;
    const int size = encoded.memory.values.shape()[2];
    for (int i = 0; i < encoded.memory.mask.positions; ++i) {
      if (!encoded.memory.mask.data[i]) continue;
      const Real* first = encoded.memory.values.data() + std::ptrdiff_t(i) * size;
      out.read.emplace_back(first, first + size);
    }
    for (const CellState& state : encoded.last) {
      for (const Tensor part : {state.h, state.c}) {
        if (part) out.last.insert(out.last.end(), part.values().begin(), part.values().end());
      }
    }
    return out;
  }

 private:
  Parameters parameters_;
  std::unique_ptr<Input> input_;
  std::unique_ptr<Encoder> encoder_;
};

TEST(Rationale, OnlyWhatIsChosenIsRead) {
  const Sequence source = {4, 5, 6, 7, 8, 4, stop};
  const std::vector<std::uint8_t> chosen = {0, 1, 0, 0, 1, 0, 1};
  for (const std::string& kind : encoders().names()) {
    for (const int layers : {1, 2}) {
      ModelOptions options = tiny_options();
      options.encoder.kind = kind;
      options.encoder.layers = layers;
      const Reader reader(options);
      const Columns before = reader.read(source, chosen);
      EXPECT_FALSE(before.read.empty());
      for (std::size_t i = 0; i < source.size(); ++i) {
        Sequence other = source;
        other[i] = unknown;
        EXPECT_EQ(reader.read(other, chosen) == before, !chosen[i]) << kind << " of " << layers << ", symbol " << i;
      }
    }
  }
}

// ---- choosing

constexpr double reinforce_weight = 0.7;

ModelOptions choosing_options() {
  ModelOptions options = tiny_options();
  options.encoder.rationale = true;
  set_field(options.objective, "rationale_length=0.3");
  set_field(options.objective, "rationale_jumps=0.2");
  set_field(options.objective, fmt::format("reinforce={}", reinforce_weight));
  return options;
}

// A Rationale with the weights of a model's own, asked in the same way.
class Chooser {
 public:
  Chooser(const TinyModel& model, const EncoderOptions& options)
      : rationale_(parameters_, options, SourceShape::of_symbols(source_symbols)) {
    parameters_.allocate();
    for (const Parameters::Entry& own : parameters_.entries()) {
      for (const Parameters::Entry& entry : model.parameters.entries()) {
        if (entry.name == own.name) std::ranges::copy(model.parameters.values(entry), parameters_.values(own).begin());
      }
    }
  }

  // Of the only row.
  struct Drawn {
    std::vector<int> mask;
    double log_probability = 0, chosen = 0, jumps = 0;
  };
  Drawn draw(const Batch& batch, std::uint64_t seed) {
    std::vector<Real> ignored(as_size(parameters_.count()));
    const TrainingPass training = {ignored, Random(seed, Purpose::dropout), batch.samples};
    Pass pass(parameters_, arena_, training);
    return told(rationale_.choose(pass, batch.source));
  }
  Drawn use(const Batch& batch) {
    Pass pass(parameters_, arena_);
    return told(rationale_.choose(pass, batch.source));
  }

 private:
  static Drawn told(const Rationale::Chosen& chosen) {
    Drawn drawn;
    drawn.mask.assign(chosen.mask.data, chosen.mask.data + chosen.mask.positions);
    if (chosen.log_probability) drawn.log_probability = static_cast<double>(*chosen.log_probability.data());
    drawn.chosen = static_cast<double>(chosen.chosen[0]);
    drawn.jumps = static_cast<double>(chosen.jumps[0]);
    return drawn;
  }

  Parameters parameters_;
  Rationale rationale_;
  Arena arena_;
};

const TinyExample example = {{4, 7, 6}, {5, 4}, 11};
const std::vector<int> closed_source = {4, 7, 6, stop};

double probability_of(const std::vector<double>& p, const std::vector<int>& mask) {
  double product = 1;
  for (std::size_t i = 0; i < p.size(); ++i) product *= mask[i] ? p[i] : 1 - p[i];
  return product;
}

TEST(Rationale, DrawsAreAsProbableAsTheySay) {
  const ModelOptions options = choosing_options();
  const TinyModel model(options);
  Chooser chooser(model, options.encoder);
  const Batch batch = tiny_batch({example}, Linked::none);
  const std::vector<double> p = oracle::chosen_probabilities({model.parameters, options}, closed_source);
  std::map<std::vector<int>, int> counts;
  constexpr int draws = 4000;
  for (int seed = 0; seed < draws; ++seed) {
    const Chooser::Drawn drawn = chooser.draw(batch, static_cast<std::uint64_t>(seed));
    ASSERT_EQ(drawn.mask.back(), 1);  // the stop symbol
    EXPECT_NEAR(drawn.log_probability, std::log(probability_of(p, drawn.mask)), 1e-5);
    ++counts[drawn.mask];
  }
  double total = 0;
  for (const auto& [mask, count] : counts) {
    const double wanted = probability_of(p, mask);
    EXPECT_NEAR(static_cast<double>(count) / draws, wanted, 4.5 * std::sqrt(wanted * (1 - wanted) / draws));
    total += wanted;
  }
  EXPECT_NEAR(total, 1, 0.01);
  // In use what is more probable than not.
  const Chooser::Drawn used = chooser.use(batch);
  for (std::size_t i = 0; i < p.size(); ++i) EXPECT_EQ(used.mask[i], p[i] > 0.5);
}

// E[(reward - baseline) d log p(z)] over all eight masks z is the gradient of E[reward], the baseline falling out.
TEST(Rationale, GradientIsThatOfTheExpectedCost) {
  const ModelOptions options = choosing_options();
  TinyModel model(options);
  Chooser chooser(model, options.encoder);
  const Batch batch = tiny_batch({example}, Linked::none);

  struct Outcome {
    double cost = 0;
    std::vector<Real> gradient;
  };
  std::map<std::vector<int>, Outcome> outcomes;
  for (std::uint64_t seed = 0; outcomes.size() < 8; ++seed) {
    ASSERT_LT(seed, 20000u);
    const Chooser::Drawn drawn = chooser.draw(batch, seed);
    if (outcomes.contains(drawn.mask)) continue;
    Outcome& outcome = outcomes[drawn.mask];
    outcome.gradient.resize(as_size(model.parameters.count()));
    const TrainingPass training = {outcome.gradient, Random(seed, Purpose::dropout), batch.samples};
    Pass pass(model.parameters, model.arena, training);
    const EncoderDecoder::Loss loss = model.network.loss(pass, batch);
    int chosen = 0, jumps = 0;
    for (int i = 0, before = 0; i < 3; before = drawn.mask[i++])
      chosen += drawn.mask[i], jumps += drawn.mask[i] != before;
    EXPECT_EQ(drawn.chosen, chosen);
    EXPECT_EQ(drawn.jumps, jumps);
    outcome.cost = static_cast<double>(*loss.terms[0].value.data()) + 0.3 * chosen + 0.2 * jumps;
    pass.tape().backward(loss.total);
  }

  const oracle::Model told = {model.parameters, options};
  const auto expected_cost = [&] {
    const std::vector<double> p = oracle::chosen_probabilities(told, closed_source);
    double sum = 0;
    for (const auto& [mask, outcome] : outcomes) sum += probability_of(p, mask) * outcome.cost;
    return reinforce_weight * sum;
  };
  std::vector<Real> mean(as_size(model.parameters.count()));
  const std::vector<double> p = oracle::chosen_probabilities(told, closed_source);
  for (const auto& [mask, outcome] : outcomes) {
    for (std::size_t i = 0; i < mean.size(); ++i) {
      mean[i] += static_cast<Real>(probability_of(p, mask)) * outcome.gradient[i];
    }
  }
  std::vector<Numbers> all = numbers_of(model.parameters, mean);
  std::erase_if(all, [](const Numbers& numbers) {
    return !numbers.name.starts_with("rationale.") || numbers.name == "rationale.baseline";
  });
  ASSERT_FALSE(all.empty());
  const Difference error = largest_loss_gradient_error(all, expected_cost);
  EXPECT_LE(error.size, is_double ? 1e-6 : 1e-2) << error.where;
  EXPECT_TRUE(std::ranges::any_of(all, [](const Numbers& n) { return std::abs(n.gradient[0]) > 1e-3; }));
}

}  // namespace
}  // namespace fovea::rationale_test
