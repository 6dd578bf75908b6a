#include "server/served_model.h"

#include <algorithm>

#include "attention/mechanism.h"
#include "base/json.h"
#include "base/utf8.h"
#include "tasks/model.h"
#include "training/journal.h"

namespace fovea {

namespace {

// The last part of its path; of a run's folder, if the file has the name that all of them have.
std::string name_of(const std::filesystem::path& path) {
  std::filesystem::path full = std::filesystem::absolute(path).lexically_normal();
  if (full.filename() == model_file_name) full = full.parent_path();
  if (!full.has_filename()) full = full.parent_path();  // a slash behind it
  const std::string name = (std::filesystem::is_directory(full) ? full.filename() : full.stem()).string();
  return name.empty() ? "model" : name;
}

template <class Kind>
OrderedJson mechanism(const Kind& kind) {
  return {{"name", kind.name}, {"formula", kind.formula}, {"paper", kind.paper}};
}

OrderedJson attention_of(const AttentionOptions& options) {
  OrderedJson all = {{"score", mechanism(scores().find(options.score))}, {"bias", OrderedJson::array()}};
  for (const std::string& bias : options.bias) all["bias"].push_back(mechanism(biases().find(bias)));
  all["select"] = mechanism(selects().find(options.select));
  all["read"] = mechanism(reads().find(options.read));
  all["heads"] = options.heads;
  return all;
}

std::string describe_model(const ServedModel& served, const std::filesystem::path& path) {
  const Model& model = served.predictor->model();
  const Config& config = model.config();
  const Task& task = model.task();
  OrderedJson object = {{"name", served.name},
                        {"path", repair_utf8(path.string())},
                        {"task", config.task},
                        {"weights", model.parameters().count()},
                        {"columns", task.columns().names()},
                        {"reads", task.columns().question_form()},
                        {"max_length", config.max_length}};
  auto& sources = object["sources"] = OrderedJson::array();
  const std::vector<std::string> names = task.columns().sources();
  const std::vector<const SourceOptions*> options = config.sources();
  for (std::size_t i = 0; i < task.sources().size(); ++i) {
    const SourceShape shape = task.sources()[i]->shape();
    OrderedJson source = {{"name", i < names.size() ? names[i] : "source"}};
    if (i < options.size()) source["kind"] = options[i]->kind;
    if (i < options.size() && fovea::sources().find(options[i]->kind).names_files) source["files"] = true;
    if (i < options.size() && shape.symbols > 0) source["tokenizer"] = options[i]->tokenizer;
    source[shape.symbols > 0 ? "symbols" : "width"] = shape.symbols > 0 ? shape.symbols : shape.width;
    sources.push_back(std::move(source));
  }
  object["target"] = {{"tokenizer", config.target.tokenizer}, {"symbols", task.target().size()}};
  object["attention"] = attends(config.model) ? attention_of(config.model.attention) : OrderedJson();
  object["run"] = served.journal != nullptr;
  object["settings"] = OrderedJson::parse(to_json(config));
  return json_text(object);
}

}  // namespace

std::vector<ServedModel> open_models(const std::vector<std::filesystem::path>& paths, int threads,
                                     Precision precision) {
  std::vector<ServedModel> all;
  for (const std::filesystem::path& path : paths) {
    ServedModel served;
    const std::string name = name_of(path);
    served.name = name;
    const auto taken = [&] { return std::ranges::find(all, served.name, &ServedModel::name) != all.end(); };
    for (int number = 2; taken(); ++number) served.name = name + "-" + std::to_string(number);
    served.predictor = std::make_unique<Predictor>(path, threads, precision);
    const std::filesystem::path folder = find_model(path).parent_path();
    const bool of_run = find_model(path).filename() == model_file_name;
    if (std::error_code none; of_run && std::filesystem::is_regular_file(folder / journal_file_name, none)) {
      served.journal = std::make_unique<RunJournal>(folder);
    }
    served.description = describe_model(served, path);
    all.push_back(std::move(served));
  }
  return all;
}

}  // namespace fovea
