// Which symbols answers have in the place of which.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tasks/metrics/edits.h"

namespace fovea {

struct Confusion {
  std::string wanted;   // empty: it was written where nothing was wanted
  std::string written;  // empty: it is missing
  std::int64_t count = 0;
};

class Confusions {
 public:
  void add(std::span<const Edit> path);
  // Most frequent first; of equally many in the order of the texts.
  std::vector<Confusion> top(std::size_t count) const;

 private:
  std::map<std::pair<std::string, std::string>, std::int64_t> counts_;
};

}  // namespace fovea
