// A model with all it needs to answer: config, vocabularies and weights. One file holds it.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/files.h"
#include "base/safetensors.h"
#include "models/encoder_decoder.h"
#include "tasks/task.h"

namespace fovea {

class Model {
 public:
  // A new one; its weights are as the seed makes them.
  Model(const Config& config, Task task);
  // Throws a model_error unless everything in the file fits together.
  static std::unique_ptr<Model> decode(const ByteSource& source, std::string_view name);
  // All that metadata tell: one without memory for its weights.
  static std::unique_ptr<Model> described_by(const TensorHeader& header, std::string_view name);

  // All of a model file but the weights, and the weights under `prefix`.
  std::map<std::string, std::string> metadata() const;
  std::vector<NamedArray> arrays() const;

  const Config& config() const { return config_; }
  const Task& task() const { return task_; }
  Parameters& parameters() { return parameters_; }
  const Parameters& parameters() const { return parameters_; }
  const EncoderDecoder& network() const { return network_; }

  // Of a model trained in both directions together: one of the two, by itself.
  std::unique_ptr<Model> one_way(bool reverse) const;

 private:
  struct Unfilled {};
  Model(const Config& config, Task task, Unfilled);

  Config config_;
  Task task_;
  Parameters parameters_;
  EncoderDecoder network_;
};

// Values laid out like the weights (the weights themselves, or an optimizer's), as arrays named prefix + name.
std::vector<NamedArray> to_arrays(const Parameters& parameters, std::span<const Real> values, std::string_view prefix);

// The reverse. By array of a file, which of several groups of values it belongs to, each laid out like the weights, and
// where its numbers begin in there.
struct ArrayPlace {
  std::size_t group = 0;
  std::ptrdiff_t offset = 0;
};
// Throws a model_error unless the file has all weights, once for each prefix and of the right shape, and nothing else.
std::vector<ArrayPlace> place_arrays(const TensorHeader& header, const Parameters& parameters,
                                     const std::vector<std::string>& prefixes, std::string_view name);
TakeNumbers fill_groups(std::vector<ArrayPlace> places, std::vector<std::span<Real>> groups);

inline constexpr const char* model_file_name = "model.safetensors";
inline constexpr const char* reverse_file_name = "reverse.safetensors";        // of two that were trained together
inline constexpr const char* checkpoint_file_name = "checkpoint.safetensors";  // of the run that makes the model

// The settings of a model or a checkpoint, as to_json wrote them, with the names they have now.
Config read_config(const std::string& json, const std::string& where);

// A folder that holds a model, or the file itself.
std::filesystem::path find_model(const std::filesystem::path& path);
std::unique_ptr<Model> load_model(Files& files, const std::filesystem::path& path);

}  // namespace fovea
