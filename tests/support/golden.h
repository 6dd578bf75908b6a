// Golden numbers: inputs, outputs and gradients that PyTorch computed (tests/golden/make_goldens.py says how).
//   const Golden golden("lstm.json");
//   golden.input("x").shape, golden.gradient("w_x").as<Real>()
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support/source_files.h"

namespace fovea {

struct GoldenArray {
  std::vector<std::int64_t> shape;  // empty for a single number
  std::vector<double> values;       // row-major

  template <class T>
  std::vector<T> as() const {
    std::vector<T> converted(values.size());
    std::transform(values.begin(), values.end(), converted.begin(), [](double value) { return static_cast<T>(value); });
    return converted;
  }
};

class Golden {
 public:
  explicit Golden(const std::string& name) : Golden(name, read_text(folder() / name)) {}
  Golden(const std::string& name, const std::string& json_text) : name_(name) {
    const auto sections = nlohmann::json::parse(json_text);
    for (const auto& [section, arrays] : sections.items()) {
      for (const auto& [key, array] : arrays.items()) {
        add(section + "/" + key,
            {array.at("shape").get<std::vector<std::int64_t>>(), array.at("values").get<std::vector<double>>()});
      }
    }
  }

  const GoldenArray& input(const std::string& key) const { return find("inputs/" + key); }
  const GoldenArray& output(const std::string& key) const { return find("outputs/" + key); }
  const GoldenArray& probe(const std::string& key) const { return find("probes/" + key); }
  const GoldenArray& gradient(const std::string& key) const { return find("gradients/" + key); }

  static std::filesystem::path folder() { return FOVEA_TEST_DATA; }

 private:
  void add(const std::string& key, GoldenArray array) {
    std::int64_t size = 1;
    for (const std::int64_t extent : array.shape) size *= extent;
    if (size != std::ssize(array.values)) {
      throw std::runtime_error(name_ + ": " + key + " has " + std::to_string(array.values.size()) +
                               " values, its shape wants " + std::to_string(size));
    }
    arrays_.emplace(key, std::move(array));
  }

  const GoldenArray& find(const std::string& key) const {
    const auto found = arrays_.find(key);
    if (found == arrays_.end()) throw std::runtime_error(name_ + " has no " + key);
    return found->second;
  }

  std::string name_;
  std::map<std::string, GoldenArray> arrays_;  // by section/key
};

}  // namespace fovea
