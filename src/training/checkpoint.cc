#include "training/checkpoint.h"

#include <algorithm>
#include <type_traits>

#include "base/json.h"
#include "base/utf8.h"

namespace fovea {

namespace {

constexpr const char* weights_prefix = "weights/";
const std::string aside = "before-stop.";

// One list for both directions.
template <class Visitor>
void visit_progress(Progress& p, const Visitor& visit) {
  visit("update", p.update);
  visit("epoch", p.epoch);
  visit("batch", p.batch);
  visit("validations", p.validations);
  visit("metric", p.metric);
  visit("best", p.best);
  visit("best_loss", p.best_loss);
  visit("best_update", p.best_update);
  visit("since_best", p.since_best);
  visit("rate_factor", p.rate_factor);
  visit("skipped", p.skipped);
  visit("skipped_in_a_row", p.skipped_in_a_row);
  visit("loss", p.loss);
  visit("symbols", p.symbols);
  visit("smoothed_loss", p.smoothed_loss);
  visit("expected", p.expected);
  visit("validating", p.validating);
  visit("seconds", p.seconds);
  visit("finished", p.finished);
}

const std::string& entry(const TensorHeader& file, const char* key, const std::string& name) {
  const auto found = file.metadata.find(key);
  if (found == file.metadata.end()) throw model_error("{}: no \"{}\" in it; is this a Fovea checkpoint?", name, key);
  return found->second;
}

// A run may go on with another value of these: up to there nothing would have been different.
bool only_says_how_long(std::string_view setting) {
  return setting == "training.patience" || setting == "training.patience_updates" || setting == "training.max_skipped";
}

// Names the first setting that differs.
void check_same_config(const Config& now, const std::string& saved_json, const std::string& name,
                       const std::string& folder) {
  const Config saved = read_config(saved_json, name + ": config");
  const auto mine = ConstFieldsRef(now).visit().fields(), theirs = ConstFieldsRef(saved).visit().fields();
  for (std::size_t i = 0; i < mine.size(); ++i) {
    const bool of_neither = !mine[i].used && !theirs[i].used;  // such as of a second source: it is not saved either
    if (value_text(mine[i]) == value_text(theirs[i]) || only_says_how_long(mine[i].name) || of_neither) continue;
    throw usage_error("{} holds a run with {} = {}, not {}; start over with `fresh`, or choose another `folder`",
                      folder, mine[i].name, value_text(theirs[i]), value_text(mine[i]));
  }
}

// The same data gives the same vocabularies, unless the file was made by a version that counted symbols otherwise.
void check_same_symbols(const Model& model, const TensorHeader& file, const std::string& name) {
  for (const auto& [key, mine] : model.metadata()) {
    if (key == "config" || entry(file, key.c_str(), name) == mine) continue;
    throw model_error("{}: its \"{}\" is not that of the data; start over with `fresh`, or choose another `folder`",
                      name, key);
  }
}

// A count that no run comes near, and that is far from what its type can hold.
template <class Count>
bool is_count(const Json& value) {
  constexpr std::uint64_t most = std::is_same_v<Count, int> ? 1'000'000'000 : 1'000'000'000'000'000;
  return value.is_number_unsigned() && value.get<std::uint64_t>() <= most;
}

}  // namespace

std::string progress_to_json(Progress progress) {
  Json object;
  visit_progress(progress, [&](const char* name, const auto& value) { object[name] = value; });
  return json_text(object);
}

Progress progress_from_json(const std::string& text, const std::string& name) {
  Progress progress;
  try {
    const Json object = parse_json(text);
    visit_progress(progress, [&](const char* key, auto& value) {
      using Value = std::remove_reference_t<decltype(value)>;
      const Json& given = object.at(key);
      if (std::is_integral_v<Value> && !std::is_same_v<Value, bool> && !is_count<Value>(given)) {
        throw model_error("{}: its progress has an impossible {}: {}", name, key, beginning(json_text(given)));
      }
      given.get_to(value);
    });
  } catch (const Json::exception&) {
    throw model_error("{}: its progress cannot be read", name);
  }
  if (progress.skipped > progress.update || progress.skipped_in_a_row > progress.skipped) {
    throw model_error("{}: its progress has more skipped updates than updates", name);
  }
  const auto within = [](double low, double value, double high) { return low <= value && value <= high; };
  if (!within(-1e9, progress.best, 1e9) || !within(-1e9, progress.best_loss, 1e9) ||
      progress.best_update > progress.update || !within(0, progress.rate_factor, 1) ||
      !within(0, progress.seconds, 1e12)) {
    throw model_error("{}: its progress has an impossible score, rate or time", name);
  }
  return progress;
}

bool resumes(Files& files, const std::filesystem::path& folder, bool fresh) {
  return !fresh && files.exists(folder / checkpoint_file_name);
}

void save_checkpoint(Files& files, const std::filesystem::path& folder, const Model& model, Optimizer& optimizer,
                     const Progress& progress, std::uint64_t data_hash, const std::string& from) {
  TensorFile file{model.metadata(), to_arrays(model.parameters(), model.parameters().values(), weights_prefix)};
  for (const Optimizer::Slot& slot : optimizer.slots()) {
    std::ranges::move(to_arrays(model.parameters(), slot.values, slot.name + "/"), std::back_inserter(file.arrays));
  }
  file.metadata["progress"] = progress_to_json(progress);
  file.metadata["data"] = std::to_string(data_hash);
  if (!from.empty()) file.metadata["from"] = from;
  files.write_atomically(folder / checkpoint_file_name, encode_safetensors(file));
}

void load_checkpoint(Files& files, const std::filesystem::path& folder, Model& model, Optimizer& optimizer,
                     Progress& progress, std::uint64_t data_hash, const std::string& from) {
  const std::filesystem::path path = folder / checkpoint_file_name;
  const std::string name = path.string();
  std::vector<std::string> prefixes = {weights_prefix};
  std::vector<std::span<Real>> groups = {model.parameters().values()};
  for (const Optimizer::Slot& slot : optimizer.slots()) {
    prefixes.push_back(slot.name + "/");
    groups.push_back(slot.values);
  }
  read_safetensors(files.open(path), name, [&](const TensorHeader& file) {
    check_same_beginning(file, from, folder);
    check_same_config(model.config(), entry(file, "config", name), name, folder.string());
    if (entry(file, "data", name) != std::to_string(data_hash)) {
      throw usage_error("{} holds a run on other data; start over with `fresh`, or choose another `folder`",
                        folder.string());
    }
    check_same_symbols(model, file, name);
    progress = progress_from_json(entry(file, "progress", name), name);
    if (progress.validations > 0 && progress.metric != model.config().training.metric) {
      throw model_error("{}: its progress has a best {}, but training.metric is {}", name, beginning(progress.metric),
                        model.config().training.metric);
    }
    return fill_groups(place_arrays(file, model.parameters(), prefixes, name), groups);
  });
  model.parameters().invalidate_packed();
}

void check_same_beginning(const TensorHeader& checkpoint, const std::string& from,
                          const std::filesystem::path& folder) {
  const auto found = checkpoint.metadata.find("from");
  const std::string saved = found == checkpoint.metadata.end() ? "" : found->second;
  if (saved == from) return;
  const auto text = [](const std::string& name) { return name.empty() ? "anew" : "from " + printable(name); };
  throw usage_error(
      "{} holds a run that began {}, not {}; give the same `from`, start over with `fresh`, or choose "
      "another `folder`",
      folder.string(), text(saved), text(from));
}

ModelFiles encode_model(const Model& model) {
  const auto encode = [](const Model& one) { return encode_safetensors({one.metadata(), one.arrays()}); };
  if (!model.task().objective().asked(&ObjectiveTraits::both_directions)) return {{model_file_name, encode(model)}};
  return {{model_file_name, encode(*model.one_way(false))}, {reverse_file_name, encode(*model.one_way(true))}};
}

void save_model(Files& files, const std::filesystem::path& folder, const ModelFiles& model) {
  for (const auto& [name, bytes] : model) files.write_atomically(folder / name, bytes);
}

void set_best_aside(Files& files, const std::filesystem::path& folder, const ModelFiles& model) {
  for (const auto& [name, bytes] : model) files.write_atomically(folder / (aside + name), files.read(folder / name));
}

void forget_aside(Files& files, const std::filesystem::path& folder) {
  for (const std::string name : {model_file_name, reverse_file_name}) {
    if (files.exists(folder / (aside + name))) files.remove_file(folder / (aside + name));
  }
}

void restore_best(Files& files, const std::filesystem::path& folder) {
  for (const std::string name : {model_file_name, reverse_file_name}) {
    const std::filesystem::path kept = folder / (aside + name);
    if (files.exists(kept)) files.move(kept, folder / name);
  }
}

}  // namespace fovea
