#include "server/metrics.h"

#include <algorithm>
#include <fmt/core.h>

#include "base/as_size.h"

namespace fovea {

namespace {

constexpr double second_bounds[] = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60};
constexpr double line_bounds[] = {1, 2, 4, 8, 16, 32, 64};

// A value of a label: the names of models come from the one who started the server.
std::string label_value(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return '"' + out + '"';
}

std::string heading(std::string_view name, std::string_view type, std::string_view help) {
  return fmt::format("# HELP {0} {2}\n# TYPE {0} {1}\n", name, type, help);
}

}  // namespace

void Histogram::add(double value) {
  const auto place = as_size(std::ranges::lower_bound(bounds_, value) - bounds_.begin());
  if (place < bounds_.size()) ++counts_[place];
  ++count_;
  sum_ += value;
}

std::string Histogram::text(const std::string& name, const std::string& labels) const {
  std::string out;
  const std::string comma = labels.empty() ? "" : labels + ",";
  const std::string all = labels.empty() ? "" : "{" + labels + "}";
  std::int64_t below = 0;
  for (std::size_t i = 0; i < bounds_.size(); ++i) {
    below += counts_[i];
    out += fmt::format("{}_bucket{{{}le=\"{}\"}} {}\n", name, comma, bounds_[i], below);
  }
  out += fmt::format("{}_bucket{{{}le=\"+Inf\"}} {}\n", name, comma, count_);
  return out + fmt::format("{0}_sum{1} {2}\n{0}_count{1} {3}\n", name, all, sum_, count_);
}

ServerMetrics::ServerMetrics() : batches_(line_bounds) {
  static_assert(std::size(second_bounds) <= 16 && std::size(line_bounds) <= 16);
}

void ServerMetrics::answered(std::string_view path, int status, double seconds) {
  const std::scoped_lock lock(mutex_);
  ++requests_[{std::string(path), status}];
  seconds_.try_emplace(std::string(path), second_bounds).first->second.add(seconds);
}

void ServerMetrics::batch(std::size_t lines) {
  const std::scoped_lock lock(mutex_);
  batches_.add(static_cast<double>(lines));
}

void ServerMetrics::lines(std::string_view model, std::size_t count) {
  const std::scoped_lock lock(mutex_);
  lines_[std::string(model)] += static_cast<std::int64_t>(count);
}

std::string ServerMetrics::text(std::span<const Gauge> gauges) const {
  const std::scoped_lock lock(mutex_);
  std::string out = heading("fovea_requests_total", "counter", "Requests by path and status.");
  for (const auto& [key, count] : requests_) {
    out += fmt::format("fovea_requests_total{{path={},code=\"{}\"}} {}\n", label_value(key.first), key.second, count);
  }
  out += heading("fovea_request_seconds", "histogram", "Time from a request to its reply, by path.");
  for (const auto& [path, seconds] : seconds_)
    out += seconds.text("fovea_request_seconds", "path=" + label_value(path));
  out += heading("fovea_lines_total", "counter", "Lines answered, by model.");
  for (const auto& [model, count] : lines_)
    out += fmt::format("fovea_lines_total{{model={}}} {}\n", label_value(model), count);
  out += heading("fovea_batch_lines", "histogram", "Lines answered together.");
  out += batches_.text("fovea_batch_lines", "");
  for (const Gauge& gauge : gauges) {
    out += heading(gauge.name, "gauge", gauge.help) + fmt::format("{} {}\n", gauge.name, gauge.value);
  }
  return out;
}

}  // namespace fovea
