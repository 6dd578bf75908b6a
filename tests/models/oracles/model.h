// What an oracle of a part of a model is given: the weights by name, what the model is made of, and one example.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/as_size.h"
#include "attention/oracles/attention.h"
#include "models/batch.h"
#include "models/options.h"

namespace fovea::oracle {

struct Model {
  const Parameters& parameters;
  const ModelOptions& options;
  std::string prefix = "";            // of the names of its weights
  std::optional<Random> random = {};  // in training: the numbers of the update
  std::uint64_t sample = 0;           // and the example's own place in them
  double expected = 0;                // in training: the moving average of the log-likelihood of a symbol

  Weights weights() const { return Weights(parameters, prefix); }
  // `attention` must outlive it.
  Attention attention(const std::string& name, const AttentionOptions& attention, int key_size = 0) const {
    return Attention(parameters, prefix + name, attention, key_size);
  }
};

// What a position stands for among the target's symbols.
struct Share {
  int symbol = 0;
  double share = 0;
};

struct Example {
  std::vector<int> source;                        // closed by the stop symbol
  std::vector<int> inputs;                        // the target, opened by the start symbol
  std::vector<int> outputs;                       // the target, closed by the stop symbol
  std::vector<std::vector<Share>> copy_map = {};  // of each position, for generators that copy or look up
  int width = 0;                              // how many symbols copy_map know, those that only the source has counted
  Rows alignment = {};                        // [steps][positions] wanted weights; a row of zeros: none known
  std::vector<std::vector<int>> others = {};  // further sources
  std::vector<int> line_features = {};
};

// Row b of a batch.
inline Example example_of(const SourceBatch& source, const Side& inputs, const Side& outputs, int b) {
  const auto real = [&](const auto& side) {
    std::vector<int> ids;
    for (int i = 0; i < side.length; ++i) {
      const auto cell = as_size(i * side.batch + b);
      if (side.real[cell]) ids.push_back(side.ids[cell]);
    }
    return ids;
  };
  Example example = {real(source), real(inputs), real(outputs)};
  for (const Side& other : source.others) example.others.push_back(real(other));
  example.line_features = real(source.features);
  const CopyMap& table = source.copy_map;
  example.width = table.width;
  for (std::size_t i = 0; i < example.source.size() && !table.starts.empty(); ++i) {
    const std::size_t cell = i * as_size(source.batch) + as_size(b);
    auto& copy_map = example.copy_map.emplace_back();
    for (int k = table.starts[cell]; k < table.starts[cell + 1]; ++k) {
      copy_map.push_back({table.symbols[as_size(k)], static_cast<double>(table.shares[as_size(k)])});
    }
  }
  return example;
}
inline Example example_of(const Batch& batch, int b) {
  Example example = example_of(batch.source, batch.previous, batch.targets, b);
  for (std::size_t t = 0; t < example.outputs.size() && !batch.alignment.empty(); ++t) {
    Row& wanted = example.alignment.emplace_back();
    const std::size_t first = (t * as_size(batch.targets.batch) + as_size(b)) * as_size(batch.source.length);
    for (std::size_t i = 0; i < example.source.size(); ++i) {
      wanted.push_back(static_cast<double>(batch.alignment[first + i]));
    }
  }
  return example;
}

// Vaswani et al. 2017: sin(i / 10000^(2j / d)) and cos of the same, in turn; or learned, the last one for all beyond.
inline Row position_vector(const Weights& weights, const std::string& name, const std::string& kind, int size, int i) {
  if (kind == "none") return Row(as_size(size));
  if (kind == "learned") return weights.row(name + ".table", std::min(i, weights.rows(name + ".table") - 1));
  Row vector;
  for (int j = 0; j < size; ++j) {
    const double angle = i / std::pow(10000.0, (j - j % 2) / static_cast<double>(size));
    vector.push_back(j % 2 == 0 ? std::sin(angle) : std::cos(angle));
  }
  return vector;
}

}  // namespace fovea::oracle
