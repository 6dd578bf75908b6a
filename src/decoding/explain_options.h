// What an explanation has beyond the usual, and what is changed to see what happens. Declared once: flags, JSON of HTTP
// and help come from the fields. An edit is text, in JSON: [{"step": 3, "map": 0, "weights": [0.1, 0.9]}].
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/options.h"

namespace fovea {

struct ExplainOptions {
  bool detail = false;
  bool saliency = false;
  bool self_attention = false;
  bool tree = false;
  bool media = false;
  std::string edits = {};

  void fields(FieldVisitor& visit);

  bool any() const { return detail || saliency || self_attention || tree || media || !edits.empty(); }
};

// Weights that one map of one step is made to use.
struct AttentionEdit {
  int step = 0;
  int map = 0;
  std::vector<float> weights;  // finite, none below zero, one above
};

// Throws a usage_error that says what is wrong with the text. An empty text has no edits.
std::vector<AttentionEdit> read_edits(std::string_view text);

}  // namespace fovea
