// Values and gradients of attention with several heads, of Transformer layers and of a whole encoder-decoder as PyTorch
// computes them (tests/golden/model_goldens.py). Weights have the same names there.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "base/as_size.h"
#include "golden/as_inputs.h"
#include "layers/loss_check.h"
#include "models/encoder_decoder.h"
#include "models/transformer.h"

namespace fovea::golden_test {
namespace {

struct NamedOutput {
  std::string name;
  Tensor value;
};
using Computation = std::function<std::vector<NamedOutput>(Pass&, Ts)>;

Tensor constant(Pass& pass, Shape shape, const std::vector<Real>& values) {
  const Tensor made = pass.tape().make(shape);
  std::ranges::copy(values, made.data());
  return made;
}

// `parameters` are those of what `compute` uses, filled here.
void expect_golden(const Golden& golden, Parameters& parameters, NamedInputs inputs, const Computation& compute) {
  parameters.allocate();
  for (const Parameters::Entry& entry : parameters.entries()) {
    ASSERT_EQ(entry.shape, shape_of(golden.input(entry.name))) << entry.name;
    std::ranges::copy(golden.input(entry.name).as<Real>(), parameters.values(entry).begin());
  }
  parameters.invalidate_packed();
  std::vector<Real> gradients(as_size(parameters.count()));
  Arena arena;
  const TrainingPass training = {gradients, Random(1, Purpose::dropout), {}};
  Pass pass(parameters, arena, training);
  std::vector<Tensor> tensors;
  std::vector<std::vector<Real>> input_gradients(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    input_gradients[i].resize(inputs[i].values.size());
    tensors.push_back(pass.tape().borrow(inputs[i].shape, inputs[i].values.data(), input_gradients[i].data()));
  }

  Tensor loss;
  for (const auto& [name, value] : compute(pass, tensors)) {
    expect_close(value.values(), golden.output(name).values, name, golden_tolerance);
    const Tensor probed = sum(multiply(value, constant(pass, value.shape(), golden.probe(name).as<Real>())));
    loss = loss ? add(loss, probed) : probed;
  }
  pass.tape().backward(loss);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string& name = inputs[i].name;
    expect_close(input_gradients[i], golden.gradient(name).values, "gradient of " + name, golden_tolerance);
  }
  for (const Numbers& weight : numbers_of(parameters, gradients)) {
    expect_close(weight.gradient, golden.gradient(weight.name).values, "gradient of " + weight.name, golden_tolerance);
  }
}

AttentionOptions four_heads(int size) { return {.score = "scaled_dot", .bias = {}, .heads = 4, .size = size}; }

// A sequence sees itself up to each step.
Mask causal(Mask mask) {
  mask.causal = 0;
  return mask;
}

// Without "queries" the memory asks itself.
void expect_golden_multi_head(const std::string& file, const std::vector<std::string>& names) {
  const Golden golden(file);
  const NamedInputs inputs = inputs_of(golden, names);
  const int positions = inputs[0].shape[0], size = inputs[0].shape[2];
  const OwnMask mask = mask_of(golden.input("lengths"), positions);
  Parameters parameters;
  const Attention attention(parameters, "attention", four_heads(size), {size, size, 0});
  expect_golden(golden, parameters, inputs, [&](Pass& pass, Ts t) -> std::vector<NamedOutput> {
    const bool itself = t.size() == 1;
    const auto prepared = attention.prepare(pass, {t[0], itself ? causal(mask) : mask});
    const Tensor queries = itself ? t[0] : t[1];
    const auto attended = attention.attend(pass, queries, {}, prepared, {});
    Readout readout;
    readout.state = queries;
    readout.selected = attended.selected;
    readout.heads = attention.heads();
    return {{"context", attended.context}, {"weights", readout.weights()}};
  });
}

TEST(ModelsGolden, MultiHead) { expect_golden_multi_head("multi_head.json", {"memory", "queries"}); }
TEST(ModelsGolden, MultiHeadCausal) { expect_golden_multi_head("multi_head_causal.json", {"memory"}); }

void expect_golden_encoder(const std::string& file, bool norm_first) {
  const Golden golden(file);
  const NamedInputs inputs = inputs_of(golden, {"x"});
  const int size = inputs[0].shape[2], wide = shape_of(golden.input("layer.wide.bias"))[0];
  const OwnMask mask = mask_of(golden.input("lengths"), inputs[0].shape[0]);
  Parameters parameters;
  const TransformerLayer layer(parameters, "layer", four_heads(size), {}, {1, size, wide, norm_first});
  expect_golden(golden, parameters, inputs, [&](Pass& pass, Ts t) -> std::vector<NamedOutput> {
    return {{"y", layer(pass, t[0], mask, {}, {}).x}};
  });
}

void expect_golden_decoder(const std::string& file, bool norm_first) {
  const Golden golden(file);
  const NamedInputs inputs = inputs_of(golden, {"x", "memory"});
  const int size = inputs[0].shape[2], wide = shape_of(golden.input("layer.wide.bias"))[0];
  const OwnMask mask = mask_of(golden.input("lengths"), inputs[0].shape[0]);
  const OwnMask memory_mask = mask_of(golden.input("memory_lengths"), inputs[1].shape[0]);
  Parameters parameters;
  const TransformerLayer layer(parameters, "layer", four_heads(size), four_heads(size),
                               {1, size, wide, norm_first, true, {size}});
  expect_golden(golden, parameters, inputs, [&](Pass& pass, Ts t) -> std::vector<NamedOutput> {
    std::vector<Attention::Prepared> memory;
    layer.cross_attention().prepare(pass, {{t[1], memory_mask}, {}}, memory);
    return {{"y", layer(pass, t[0], causal(mask), {}, memory).x}};
  });
}

TEST(ModelsGolden, TransformerEncoderNormFirst) { expect_golden_encoder("transformer_encoder_pre.json", true); }
TEST(ModelsGolden, TransformerEncoderNormLast) { expect_golden_encoder("transformer_encoder_post.json", false); }
TEST(ModelsGolden, TransformerDecoderNormFirst) { expect_golden_decoder("transformer_decoder_pre.json", true); }
TEST(ModelsGolden, TransformerDecoderNormLast) { expect_golden_decoder("transformer_decoder_post.json", false); }

// Symbol 0 is padding.
Side side_of(const GoldenArray& ids) {
  Side side;
  side.length = static_cast<int>(ids.shape[0]);
  side.batch = static_cast<int>(ids.shape[1]);
  side.ids = ids.as<std::int32_t>();
  for (const std::int32_t id : side.ids) side.real.push_back(id != 0);
  return side;
}

TEST(ModelsGolden, LuongWithInputFeeding) {
  const Golden golden("luong.json");
  ModelOptions options;
  options.encoder.bidirectional = false;
  options.decoder.style = "luong";
  options.attention.score = "bilinear";
  const Shape table = shape_of(golden.input("encoder.embedding.table"));
  const Shape features = shape_of(golden.input("generator.context"));  // [memory, features]
  options.encoder.embedding = options.decoder.embedding = table[1];
  options.encoder.size = options.decoder.size = features[0];
  options.generator.size = features[1];
  Parameters parameters;
  const EncoderDecoder network(parameters, options, {{SourceShape::of_symbols(table[0])}, table[0]});
  Batch batch;
  batch.source = side_of(golden.input("source"));
  batch.previous = {side_of(golden.input("inputs"))};
  batch.targets = side_of(golden.input("targets"));
  expect_golden(golden, parameters, {}, [&](Pass& pass, Ts) -> std::vector<NamedOutput> {
    const Tensor weights = network.look(pass, batch);
    const Shape shape = weights.shape();
    std::vector<Real> real;
    for (const std::uint8_t bit : batch.targets.real) real.insert(real.end(), shape[2], Real(bit));
    return {{"loss", network.loss(pass, batch).total}, {"weights", multiply(weights, constant(pass, shape, real))}};
  });
}

}  // namespace
}  // namespace fovea::golden_test
