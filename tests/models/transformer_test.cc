// How the layers of a Transformer begin.
#include "models/transformer.h"

#include <gtest/gtest.h>

#include <cmath>

namespace fovea::transformer_test {
namespace {

constexpr int size = 4, wide = 12, layers = 8;

// What each weight of a layer that reads a memory begins within, as a share of Glorot's bound.
double share_of_glorot(const std::string& name, bool norm_first) {
  Parameters parameters;
  AttentionOptions options;
  options.heads = 2;
  const TransformerLayer layer(parameters, "layer", options, options,
                               {layers, size, wide, norm_first, true, EncodedSizes{size}});
  for (const Parameters::Entry& entry : parameters.entries()) {
    if (entry.name != "layer." + name) continue;
    return entry.initial.value / std::sqrt(6.0 / (entry.shape[0] + entry.shape[1]));
  }
  ADD_FAILURE() << name << " is no weight of the layer";
  return 0;
}

// Radford et al. 2019: a layer of eight adds two parts of sixteen.
TEST(TransformerLayer, WhatEachPartAddsBeginsSmall) {
  for (const char* adds :
       {"self_attention.project_context.weight", "attention.project_context.weight", "narrow.weight"}) {
    EXPECT_NEAR(share_of_glorot(adds, true), 0.25, 1e-12) << adds;
    EXPECT_NEAR(share_of_glorot(adds, false), 1, 1e-12) << adds << ": the sum is normalised behind it";
  }
  for (const char* other : {"self_attention.project_value.weight", "attention.project_query.weight", "wide.weight"}) {
    EXPECT_NEAR(share_of_glorot(other, true), 1, 1e-12) << other;
  }
}

}  // namespace
}  // namespace fovea::transformer_test
