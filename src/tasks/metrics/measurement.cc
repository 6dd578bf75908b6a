#include "tasks/metrics/measurement.h"

#include <map>

#include "base/utf8.h"
#include "tasks/metrics/edits.h"
#include "tasks/metrics/metric.h"
#include "tasks/references.h"

namespace fovea {

namespace {

constexpr std::int64_t bin = 10;

// use(metric, its part of the row)
template <class Number, class Use>
void for_each_metric(std::span<Number> row, const Use& use) {
  std::size_t start = 0;
  for (const Metric* metric : metrics()) {
    use(*metric, row.subspan(start, metric->statistics));
    start += metric->statistics;
  }
}

std::vector<double> values_of(std::span<const double> sums) {
  std::vector<double> values;
  for_each_metric(sums,
                  [&](const Metric& metric, std::span<const double> own) { values.push_back(metric.value(own)); });
  return values;
}

MetricValues named(std::span<const double> sums) {
  MetricValues values;
  for_each_metric(
      sums, [&](const Metric& metric, std::span<const double> own) { values.add(metric.name, metric.value(own)); });
  return values;
}

void add_to(std::span<double> sums, std::span<const double> more) {
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += more[i];
}

}  // namespace

Measurement::Measurement() {
  for (const Metric* metric : metrics()) width_ += metric->statistics;
}

void Measurement::add(const Answered& answer) {
  const std::string& reference = nearest_reference(answer.references, answer.text);
  const Judged judged = {.text = answer.text,
                         .reference = reference,
                         .edits = reference == answer.text ? 0 : edit_distance(reference, answer.text),
                         .characters = std::ssize(characters(reference))};
  statistics_.resize(statistics_.size() + width_);
  for_each_metric(std::span(statistics_).last(width_),
                  [&](const Metric& metric, std::span<double> own) { metric.count(judged, own); });
  lengths_.push_back(judged.characters);
  right_ += judged.edits == 0;
  unfinished_ += !answer.finished;
  abstained_ += answer.abstained;
  lines_ += answer.lines;
}

MetricValues Measurement::values() const {
  std::vector<double> sums(width_);
  for (std::size_t i = 0; i < lengths_.size(); ++i) add_to(sums, statistics(i));
  return named(sums);
}

std::vector<LengthRow> Measurement::by_length() const {
  struct Bin {
    std::int64_t sources = 0;
    std::vector<double> sums;
  };
  std::map<std::int64_t, Bin> bins;  // by the shortest
  for (std::size_t i = 0; i < lengths_.size(); ++i) {
    Bin& own = bins[lengths_[i] / bin * bin];
    ++own.sources;
    own.sums.resize(width_);
    add_to(own.sums, statistics(i));
  }
  std::vector<LengthRow> rows;
  for (const auto& [shortest, own] : bins) {
    rows.push_back({shortest, shortest + bin - 1, own.sources, named(own.sums)});
  }
  return rows;
}

std::vector<Interval> Measurement::intervals(Workers& workers) const {
  std::vector<Interval> all = bootstrap_intervals({statistics_, width_}, values_of, workers);
  std::vector<double> sums(width_);
  for (std::size_t i = 0; i < lengths_.size(); ++i) add_to(sums, statistics(i));
  std::size_t place = 0;
  for_each_metric(std::span<const double>(sums), [&](const Metric& metric, std::span<const double> own) {
    if (metric.form == MetricForm::share) {
      all[place] = wilson_interval(static_cast<std::int64_t>(own[0]), static_cast<std::int64_t>(own[1]));
    }
    ++place;
  });
  return all;
}

}  // namespace fovea
