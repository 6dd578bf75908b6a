#include "tasks/metrics/measurement.h"

#include <fmt/format.h>

#include <map>

#include "base/utf8.h"
#include "data/normalise.h"
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

void MeasureOptions::fields(FieldVisitor& visit) {
  visit("lowercase", lowercase, "upper and lower case are the same to every metric");
  visit("tokenization", tokenization, "how BLEU cuts words; none: as they stand between spaces",
        one_of(word_cutters()));
  visit("each_line", each_line,
        "each line is asked for itself and only its own target is right, though others have the same source");
}

Measurement::Measurement(const MeasureOptions& options, const Tokenizer* tokenizer)
    : options_(options), cut_(word_cutter(options.tokenization)), tokenizer_(tokenizer) {
  for (const Metric* metric : metrics()) width_ += metric->statistics;
}

void Measurement::add(const Answered& answer) {
  if (options_.lowercase) {
    std::vector<std::string> references;
    for (const std::string& reference : answer.references) references.push_back(lower_case(reference));
    const std::string text = lower_case(answer.text);
    add(answer, references, text);
  } else {
    add(answer, answer.references, answer.text);
  }
}

void Measurement::add(const Answered& answer, std::span<const std::string> references, std::string_view text) {
  const std::string& reference = nearest_reference(references, text);
  const Judged judged = {.text = text,
                         .reference = reference,
                         .edits = reference == text ? 0 : edit_distance(reference, text),
                         .characters = std::ssize(characters(reference)),
                         .finished = answer.finished,
                         .cut = cut_,
                         .tokenizer = tokenizer_};
  several_ = several_ || references.size() > 1;
  statistics_.resize(statistics_.size() + width_);
  for_each_metric(std::span(statistics_).last(width_),
                  [&](const Metric& metric, std::span<double> own) { metric.count(judged, own); });
  lengths_.push_back(judged.characters);
  right_ += judged.edits == 0 && judged.finished;
  unfinished_ += !answer.finished;
  abstained_ += answer.abstained;
  lines_ += answer.lines;
}

std::string Measurement::signature(const Metric& metric) const {
  if (metric.signature.empty()) return {};
  return fmt::format("nrefs:{}|case:{}|", several_ ? "nearest" : "1", options_.lowercase ? "lc" : "mixed") +
         fmt::format(fmt::runtime(metric.signature), options_.tokenization);
}

std::vector<double> Measurement::values_of(std::span<const double> sums) {
  std::vector<double> values;
  for_each_metric(sums,
                  [&](const Metric& metric, std::span<const double> own) { values.push_back(metric.value(own)); });
  return values;
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
