#include "tasks/average.h"

#include <algorithm>

namespace fovea {

namespace {

// All of a model file but its weights and how they were found.
std::map<std::string, std::string> description(const Model& model) {
  auto all = model.metadata();
  Config config = model.config();
  config.training = {};
  all["config"] = to_json(config);
  all.erase("lengths");
  return all;
}

std::string first_difference(const Model& a, const Model& b) {
  const auto one = description(a), other = description(b);
  for (const auto& [key, value] : one) {
    const auto found = other.find(key);
    if (found == other.end() || found->second != value) return key;
  }
  return one.size() == other.size() ? "" : "metadata";
}

}  // namespace

std::unique_ptr<Model> average_models(Files& files, const std::vector<std::filesystem::path>& paths) {
  std::unique_ptr<Model> mean;
  std::vector<double> sums;
  for (const std::filesystem::path& path : paths) {
    std::unique_ptr<Model> model = load_model(files, path);
    if (!mean) {
      mean = std::move(model);
      sums.assign(mean->parameters().values().begin(), mean->parameters().values().end());
      continue;
    }
    if (const std::string key = first_difference(*mean, *model); !key.empty()) {
      throw usage_error("{} and {} cannot be averaged: their {} is not the same; take models of one run",
                        paths[0].string(), path.string(), key);
    }
    const auto values = std::as_const(*model).parameters().values();
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += static_cast<double>(values[i]);
  }
  check(mean != nullptr, "the mean of no models");
  std::ranges::transform(sums, mean->parameters().values().begin(),
                         [&](double sum) { return static_cast<Real>(sum / static_cast<double>(paths.size())); });
  mean->parameters().invalidate_packed();
  return mean;
}

}  // namespace fovea
