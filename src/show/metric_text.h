// A metric's value as people read it: 99.9%, 43.2.
#pragma once

#include <string>

#include "tasks/criterion.h"

namespace fovea {

std::string metric_text(const Metric& metric, double value, int decimals = 1);

// Nats per target symbol.
std::string loss_text(double loss);

// With its name: "CER 0.4%", "loss 0.031".
std::string criterion_text(const Criterion& criterion, double value);

}  // namespace fovea
