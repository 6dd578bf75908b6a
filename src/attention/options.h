// What an attention is made of. Each option stands here once and appears as flag, TOML key and help.
#pragma once

#include <string>
#include <vector>

#include "base/options.h"

namespace fovea {

struct AttentionOptions {
  std::string score = "additive";
  std::vector<std::string> bias;
  std::string select = "softmax";
  std::string read = "sum";
  int heads = 1;
  int size = 128;
  bool projections = false;
  bool rotary = false;
  int positions = 256;
  int depth = 2;
  int window = 10;
  int reach = 1;
  int fertility = 4;
  double temperature = 0;
  double noise = 1;
  double offset = 0;
  bool normalized = false;
  double soft_share = 0.5;
  std::string activation = "tanh";

  void fields(FieldVisitor& visit);
};

}  // namespace fovea
