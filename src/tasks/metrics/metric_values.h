// What some answers reached, by the names of the metrics.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fovea {

class MetricValues {
 public:
  using Value = std::pair<std::string, double>;

  MetricValues() = default;
  MetricValues(std::initializer_list<Value> values) : values_(values) {}

  void add(std::string_view name, double value) { values_.emplace_back(name, value); }

  // Nothing if it was not measured, as by a version that did not know it yet.
  std::optional<double> find(std::string_view name) const {
    const auto found = std::ranges::find(values_, name, &Value::first);
    return found == values_.end() ? std::nullopt : std::optional(found->second);
  }

  bool empty() const { return values_.empty(); }
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }
  bool operator==(const MetricValues&) const = default;

 private:
  std::vector<Value> values_;  // in the order they are shown
};

}  // namespace fovea
