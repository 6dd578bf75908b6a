// Every metric of some answers: over all of them, by the length of the reference, and how sure it is. Of several right
// answers the one nearest to what was answered counts.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/options.h"
#include "base/threads.h"
#include "tasks/metrics/metric.h"
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

// How texts are held against each other.
struct MeasureOptions {
  bool lowercase = false;            // case does not count, for any metric
  std::string tokenization = "13a";  // of BLEU, see cut_words.h
  bool each_line = false;            // is asked for itself, and its own target alone is right

  void fields(FieldVisitor& visit);
};

class Measurement {
 public:
  // The tokenizer, if there is one, is the one that cuts answers into the model's symbols, and must outlive it.
  explicit Measurement(const MeasureOptions& options = {}, const Tokenizer* tokenizer = nullptr);
  void add(const Answered& answer);

  std::int64_t sources() const { return static_cast<std::int64_t>(lengths_.size()); }
  std::int64_t lines() const { return lines_; }
  std::int64_t unfinished() const { return unfinished_; }
  std::int64_t abstained() const { return abstained_; }
  bool all_right() const { return right_ == sources(); }

  // In the order of the list, like intervals().
  MetricValues values() const;
  std::vector<LengthRow> by_length() const;

  // How each figure of `metric` was computed, as sacreBLEU writes it: nrefs:1|case:mixed|... Empty: it has none.
  std::string signature(const Metric& metric) const;

  // What each answer adds to all sums, in the order of the list.
  StatisticRows rows() const { return {statistics_, width_}; }
  // Every metric, in the order of the list, of such sums.
  static std::vector<double> values_of(std::span<const double> sums);

  // 95 % confidence: Wilson's for shares of the answers, for the others from answers drawn again. There must be one.
  std::vector<Interval> intervals(Workers& workers) const;

 private:
  void add(const Answered& answer, std::span<const std::string> references, std::string_view text);
  std::span<const double> statistics(std::size_t answer) const {
    return std::span(statistics_).subspan(answer * width_, width_);
  }

  MeasureOptions options_;
  CutWords cut_;
  const Tokenizer* tokenizer_;
  bool several_ = false;               // some source has several references
  std::size_t width_ = 0;              // statistics of an answer, of all metrics
  std::vector<double> statistics_;     // [answers, width_]
  std::vector<std::int64_t> lengths_;  // of the references, in characters
  std::int64_t right_ = 0;
  std::int64_t lines_ = 0;
  std::int64_t unfinished_ = 0;
  std::int64_t abstained_ = 0;
};

}  // namespace fovea
