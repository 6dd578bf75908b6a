#include "training/checkpoint.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace fovea {

namespace {

using nlohmann::json;

constexpr const char* weights_prefix = "weights/";

// One list for both directions.
template <class Visitor>
void visit_progress(Progress& p, const Visitor& visit) {
  visit("update", p.update);
  visit("epoch", p.epoch);
  visit("batch", p.batch);
  visit("best", p.best);
  visit("best_cer", p.best_cer);
  visit("since_best", p.since_best);
  visit("rate_factor", p.rate_factor);
  visit("skipped", p.skipped);
  visit("skipped_in_a_row", p.skipped_in_a_row);
  visit("loss", p.loss);
  visit("symbols", p.symbols);
  visit("smoothed_loss", p.smoothed_loss);
  visit("validating", p.validating);
  visit("seconds", p.seconds);
  visit("finished", p.finished);
}

// The first checkpoints went without.
bool added_later(std::string_view key) { return key == "smoothed_loss" || key == "validating"; }

const std::string& entry(const TensorFile& file, const char* key, const std::string& name) {
  const auto found = file.metadata.find(key);
  if (found == file.metadata.end()) throw model_error("{}: no \"{}\" in it; is this a Fovea checkpoint?", name, key);
  return found->second;
}

// Names the first setting that differs.
void check_same_config(const Config& now, const std::string& saved_json, const std::string& name,
                       const std::string& folder) {
  Config saved;
  read_json(saved, saved_json, name + ": config");
  const auto mine = ConstFieldsRef(now).visit().fields(), theirs = ConstFieldsRef(saved).visit().fields();
  for (std::size_t i = 0; i < mine.size(); ++i) {
    if (value_text(mine[i]) == value_text(theirs[i])) continue;
    throw usage_error("{} holds a run with {} = {}, not {}; start over with --fresh, or choose another -o", folder,
                      mine[i].name, value_text(theirs[i]), value_text(mine[i]));
  }
}

}  // namespace

std::string progress_to_json(Progress progress) {
  json object;
  visit_progress(progress, [&](const char* name, const auto& value) { object[name] = value; });
  return object.dump();
}

Progress progress_from_json(const std::string& text, const std::string& name) {
  Progress progress;
  try {
    const json object = json::parse(text);
    visit_progress(progress, [&](const char* key, auto& value) {
      if (object.contains(key) || !added_later(key)) object.at(key).get_to(value);
    });
  } catch (const json::exception&) {
    throw model_error("{}: its progress cannot be read", name);
  }
  if (progress.update < 0 || progress.epoch < 0 || progress.batch < 0 || progress.skipped < 0) {
    throw model_error("{}: its progress has a negative count", name);
  }
  return progress;
}

void save_checkpoint(Files& files, const std::filesystem::path& folder, const Model& model, Optimizer& optimizer,
                     const Progress& progress, std::uint64_t data_hash) {
  TensorFile file{model.metadata(), to_arrays(model.parameters(), model.parameters().values(), weights_prefix)};
  for (const Optimizer::Memory& memory : optimizer.memories()) {
    std::ranges::move(to_arrays(model.parameters(), memory.values, memory.name + "/"), std::back_inserter(file.arrays));
  }
  file.metadata["progress"] = progress_to_json(progress);
  file.metadata["data"] = std::to_string(data_hash);
  files.write_atomically(folder / checkpoint_file_name, encode_safetensors(file));
}

void load_checkpoint(Files& files, const std::filesystem::path& folder, Model& model, Optimizer& optimizer,
                     Progress& progress, std::uint64_t data_hash) {
  const std::filesystem::path path = folder / checkpoint_file_name;
  const std::string name = path.string();
  const TensorFile file = decode_safetensors(files.read(path), name);
  check_same_config(model.config(), entry(file, "config", name), name, folder.string());
  if (entry(file, "data", name) != std::to_string(data_hash)) {
    throw usage_error("{} holds a run on other data; start over with --fresh, or choose another -o", folder.string());
  }
  progress = progress_from_json(entry(file, "progress", name), name);
  from_arrays(file, model.parameters(), weights_prefix, name, model.parameters().values());
  model.parameters().invalidate_packed();
  for (const Optimizer::Memory& memory : optimizer.memories()) {
    from_arrays(file, model.parameters(), memory.name + "/", name, memory.values);
  }
}

ModelFiles encode_model(const Model& model) {
  const auto encode = [](const Model& one) { return encode_safetensors({one.metadata(), one.arrays()}); };
  if (model.config().model.objective.agreement == 0) return {{model_file_name, encode(model)}};
  return {{model_file_name, encode(*model.one_way(false))}, {reverse_file_name, encode(*model.one_way(true))}};
}

void save_model(Files& files, const std::filesystem::path& folder, const ModelFiles& model) {
  for (const auto& [name, bytes] : model) files.write_atomically(folder / name, bytes);
}

}  // namespace fovea
