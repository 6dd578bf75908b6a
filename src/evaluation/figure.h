// One number of an evaluation.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tasks/statistics.h"

namespace fovea {

enum class Better { higher, lower, neither };

struct Figure {
  std::string name;
  double value = 0;
  Better better = Better::neither;
  bool count = false;                     // a whole number
  std::optional<Interval> interval = {};  // 95 % confidence
};

// By its name; null if there is none.
const Figure* find_figure(std::span<const Figure> figures, std::string_view name);

}  // namespace fovea
