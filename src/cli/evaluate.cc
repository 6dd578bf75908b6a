#include <algorithm>
#include <charconv>
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/nearest.h"
#include "cli/commands.h"
#include "cli/out.h"
#include "data/pairs.h"
#include "predictor.h"
#include "tasks/metrics.h"

namespace fovea {

namespace {

struct Minimum {
  std::string metric;
  double value = 0;
};

Minimum parse_minimum(const std::string& text) {
  const std::size_t equals = text.find('=');
  Minimum minimum{text.substr(0, equals), 0};
  const char* start = text.data() + (equals == std::string::npos ? text.size() : equals + 1);
  const char* end = text.data() + text.size();
  const auto [rest, failure] = std::from_chars(start, end, minimum.value);
  if (failure != std::errc() || rest != end || minimum.metric.empty()) {
    throw usage_error("--min {}: wanted is metric=value, such as exact=0.99", text);
  }
  return minimum;
}

// For error rates less is better.
bool lower_is_better(const std::string& metric) { return metric == "cer" || metric == "edit_distance"; }

int check_minimums(const std::vector<Minimum>& minimums, const Metrics& metrics) {
  int status = 0;
  for (const Minimum& minimum : minimums) {
    for (const auto& [name, value] : metrics.values()) {
      if (name != minimum.metric) continue;
      const bool reached = lower_is_better(name) ? value <= minimum.value : value >= minimum.value;
      if (reached) continue;
      fmt::print(stderr, "missed: {} is {:.6g}, wanted {} {:.6g}\n", name, value,
                 lower_is_better(name) ? "at most" : "at least", minimum.value);
      status = static_cast<int>(ErrorKind::gate);
    }
  }
  return status;
}

void print_table(const Metrics& metrics) {
  for (const auto& [name, value] : metrics.values()) {
    if (name == "lines") {
      write_out(fmt::format("{:<14} {}\n", name, static_cast<std::int64_t>(value)));
    } else {
      write_out(fmt::format("{:<14} {:.4f}\n", name, value));
    }
  }
  write_out("\ntarget length    lines    exact      cer\n");
  for (const LengthRow& row : metrics.by_length()) {
    write_out(fmt::format("{:>6} - {:<6} {:>6}   {:.4f}   {:.4f}\n", row.shortest, row.longest, row.lines, row.exact,
                          row.cer));
  }
}

}  // namespace

int EvaluateCommand::run() const {
  std::vector<Minimum> wanted;
  for (const std::string& text : minimums) {
    wanted.push_back(parse_minimum(text));
    std::vector<std::string> known;
    for (const auto& [name, value] : Metrics().values()) known.push_back(name);
    if (std::ranges::find(known, wanted.back().metric) == known.end()) {
      throw usage_error("--min {}: no such metric; there are {}", text, fmt::join(known, ", "));
    }
  }
  Predictor predictor(model, threads > 0 ? threads : Workers::default_count());
  const Pairs pairs = read_pairs({.file = data,
                                  .source_file = source_file,
                                  .target_file = target_file,
                                  .bad_lines = parse_bad_lines(on_bad_line)});
  if (const std::string left_out = describe(pairs.report); !left_out.empty()) fmt::print(stderr, "{}\n", left_out);
  std::vector<std::string> sources;
  for (const Example& example : pairs.examples) sources.push_back(example.source);
  const auto predictions = predictor.predict(sources, {.answer = {.beam = beam, .length_power = length_power}});
  Metrics metrics;
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    metrics.add(pairs.examples[i].target, predictions[i].output.text);
  }
  if (json) {
    nlohmann::ordered_json object;
    for (const auto& [name, value] : metrics.values()) {
      if (name == "lines") {
        object[name] = static_cast<std::int64_t>(value);
      } else {
        object[name] = value;
      }
    }
    write_out(object.dump() + "\n");
  } else {
    print_table(metrics);
  }
  flush_out();
  return check_minimums(wanted, metrics);
}

}  // namespace fovea
