// Every metric of some answers: over all of them, by the length of the reference, and how sure it is. Of several right
// answers the one nearest to what was answered counts.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/threads.h"
#include "tasks/metrics/metric_values.h"
#include "tasks/statistics.h"

namespace fovea {

struct LengthRow {
  std::int64_t shortest = 0;  // characters of the reference
  std::int64_t longest = 0;
  std::int64_t sources = 0;
  MetricValues metrics = {};
};

// To one source.
struct Answered {
  std::span<const std::string> references;  // any of them is right
  std::string_view text;
  bool finished = true;    // false if it was cut at the greatest length
  bool abstained = false;  // it was not sure enough to give one
  std::int64_t lines = 1;  // of the data that ask for it
};

class Measurement {
 public:
  Measurement();
  void add(const Answered& answer);

  std::int64_t sources() const { return static_cast<std::int64_t>(lengths_.size()); }
  std::int64_t lines() const { return lines_; }
  std::int64_t unfinished() const { return unfinished_; }
  std::int64_t abstained() const { return abstained_; }
  bool all_right() const { return right_ == sources(); }

  // In the order of the list, like intervals().
  MetricValues values() const;
  std::vector<LengthRow> by_length() const;

  // 95 % confidence: Wilson's for shares of the answers, for the others from answers drawn again. There must be one.
  std::vector<Interval> intervals(Workers& workers) const;

 private:
  std::span<const double> statistics(std::size_t answer) const {
    return std::span(statistics_).subspan(answer * width_, width_);
  }

  std::size_t width_ = 0;              // statistics of an answer, of all metrics
  std::vector<double> statistics_;     // [answers, width_]
  std::vector<std::int64_t> lengths_;  // of the references, in characters
  std::int64_t right_ = 0;
  std::int64_t lines_ = 0;
  std::int64_t unfinished_ = 0;
  std::int64_t abstained_ = 0;
};

}  // namespace fovea
