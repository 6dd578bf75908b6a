// Lines answered, and the answers as JSON texts.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "server/inquiry.h"

namespace fovea {

// One text for each line.
std::vector<std::string> answer_lines(Predictor& predictor, std::span<const std::string> lines,
                                      const AskedOptions& asked, const PredictOptions& options);

}  // namespace fovea
