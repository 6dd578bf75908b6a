// What the server counts and times, as Prometheus reads it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace fovea {

// How many values were at most each of some bounds.
class Histogram {
 public:
  explicit Histogram(std::span<const double> bounds) : bounds_(bounds) {}

  void add(double value);
  std::string text(const std::string& name, const std::string& labels) const;

 private:
  static constexpr std::size_t most = 16;

  std::span<const double> bounds_;
  std::array<std::int64_t, most> counts_ = {};  // of values up to that bound, and above the one before
  std::int64_t count_ = 0;
  double sum_ = 0;
};

// Called by many threads.
class ServerMetrics {
 public:
  ServerMetrics();

  // `path` is one of the routes, or "other": whoever asks must not make new ones.
  void answered(std::string_view path, int status, double seconds);
  void batch(std::size_t lines);
  void lines(std::string_view model, std::size_t count);

  // With what stands now: its name, its help and its value.
  struct Gauge {
    std::string name;
    std::string help;
    double value;
  };
  std::string text(std::span<const Gauge> gauges) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, int>, std::int64_t> requests_;
  std::map<std::string, Histogram> seconds_;
  std::map<std::string, std::int64_t> lines_;
  Histogram batches_;
};

}  // namespace fovea
