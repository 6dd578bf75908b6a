// One line, answered with all there is to say about the answer.
#pragma once

#include <string>
#include <vector>

#include "inference/predictor.h"

namespace fovea {

// A line, and the target that the model is made to write.
Prediction predict_target(Predictor& predictor, const std::string& line, const std::string& target,
                          PredictOptions options);

struct Explained {
  Output output;
  std::vector<std::string> warnings;
};

// The model's answer, or, with a target, how it would write that: each step with its best symbols, as many answers as
// the beam has. Throws a data_error if the line cannot be answered.
Explained explain(Predictor& predictor, const std::string& line, const std::string& target, PredictOptions options);

}  // namespace fovea
