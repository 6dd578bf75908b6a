// What is asked of a model: the body of /v1/predict and /v1/explain, read by the tables of options. A new option of
// search or of explanations needs no line here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "decoding/search_options.h"
#include "inference/predictor.h"

namespace fovea {

// How lines are to be answered. Those of the same options can be answered together.
struct AskedOptions {
  bool explain = false;  // the route says it; what is only for explanations is known only then
  SearchOptions search;
  bool replace_unknown = false;
  int alternatives = 5;
  bool words = false;
  std::string target = {};  // what is to be looked at instead of an answer; empty: the model's own
  bool svg = false;         // a picture is wanted, not its numbers
  int layer = -1;           // whose map it has; -1: the last
  int head = -1;            // -1: the mean of all

  void fields(FieldVisitor& visit);
  PredictOptions predict_options() const;
};

struct Inquiry {
  std::string model = {};  // empty: the first
  std::vector<std::string> lines = {};
  AskedOptions options = {};
  // Of everything but the lines; drawn answers go with no others', since each line has draws of its own, nor do those
  // with pictures and sounds, which are large.
  std::string key() const;
  bool alone() const {
    return options.search.sample > 0 || !options.target.empty() || options.search.explain.media || options.svg;
  }
};

struct InquiryLimits {
  std::size_t lines = 256;
  std::size_t explained = 16;  // lines
  int beam = 64;
  int max_output = 1024;       // and min_output
  std::size_t work = 1 << 18;  // lines x beam x max_output
  ExplanationLimits explanation = {.maps = 64, .steps = 1025, .positions = 1025, .cells = 1 << 18};
};

// Throws an HttpError that names the key.
Inquiry parse_inquiry(std::string_view body, bool explain, const InquiryLimits& limits = {});

// What can be asked for, with its defaults, for descriptions: no option that names a file.
std::vector<Field> asked_fields(AskedOptions& options);

}  // namespace fovea
