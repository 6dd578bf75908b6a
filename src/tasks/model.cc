#include "tasks/model.h"

#include <algorithm>
#include <charconv>

#include "base/as_size.h"
#include "base/json.h"
#include "base/utf8.h"
#include "models/generator.h"

namespace fovea {

namespace {

const std::string& required(const TensorHeader& file, const char* key, std::string_view name) {
  const auto found = file.metadata.find(key);
  if (found == file.metadata.end()) throw model_error("{}: no \"{}\" in it; is this a Fovea model?", name, key);
  return found->second;
}

// Until columns had names, a setting said what the third of them was.
struct WrittenConfig {
  Config config;
  std::string extra = "none";

  void fields(FieldVisitor& visit) {
    config.fields(visit);
    visit("extra", extra, "the third column", one_of({"none", "features", "alignment"}));
  }
};

// Flat: source, target, probability, and so on.
LexiconIds read_lexicon(const TensorHeader& file, std::string_view name, int source_symbols, int target_symbols) {
  LexiconIds lexicon;
  if (!file.metadata.contains("lexicon")) return lexicon;
  const auto refuse = [&] { throw model_error("{}: \"lexicon\" is not a flat list of id, id, probability", name); };
  const Json list = parse_json(file.metadata.at("lexicon"), 1);
  if (!list.is_array() || list.size() % 3 != 0) refuse();
  lexicon.resize(as_size(source_symbols));
  for (std::size_t i = 0; i < list.size(); i += 3) {
    if (!list[i].is_number_integer() || !list[i + 1].is_number_integer() || !list[i + 2].is_number()) refuse();
    const auto source = list[i].get<std::int64_t>(), target = list[i + 1].get<std::int64_t>();
    const auto share = list[i + 2].get<float>();
    if (source < 0 || source >= source_symbols || target < 0 || target >= target_symbols ||
        !(share > 0 && share <= 1)) {
      refuse();
    }
    lexicon[as_size(source)].emplace_back(static_cast<std::int32_t>(target), share);
  }
  return lexicon;
}

std::string write_lexicon(const LexiconIds& lexicon) {
  Json list = Json::array();
  for (std::size_t source = 0; source < lexicon.size(); ++source) {
    for (const auto& [target, share] : lexicon[source]) {
      list.push_back(source);
      list.push_back(target);
      list.push_back(share);
    }
  }
  return json_text(list);
}

std::optional<TrainedLengths> read_lengths(const TensorHeader& file, std::string_view name) {
  const auto found = file.metadata.find("lengths");
  if (found == file.metadata.end()) return {};
  const Json object = parse_json(found->second, 1);
  const auto number = [&](const char* key) {
    const bool there = object.is_object() && object.contains(key) && object[key].is_number();
    const double value = there ? object[key].get<double>() : -1;
    if (!(value >= 0 && value <= 1e6)) {
      throw model_error("{}: \"lengths\" has not source, target and ratio, numbers from 0 to 1000000", name);
    }
    return value;
  };
  return TrainedLengths{static_cast<int>(number("source")), static_cast<int>(number("target")), number("ratio")};
}

std::optional<int> read_first_rare(const TensorHeader& file, std::string_view name) {
  const auto found = file.metadata.find("target.first_rare");
  if (found == file.metadata.end()) return {};
  int symbol = 0;
  const char* end = found->second.data() + found->second.size();
  const auto [read, problem] = std::from_chars(found->second.data(), end, symbol);
  if (problem != std::errc() || read != end || symbol < Vocabulary::first_symbol) {
    throw model_error("{}: \"target.first_rare\" is not the number of a symbol", name);
  }
  return symbol;
}

std::string write_lengths(const TrainedLengths& lengths) {
  return json_text(
      Json{{"source", lengths.longest_source}, {"target", lengths.longest_target}, {"ratio", lengths.largest_ratio}});
}

// Of the other direction. Ratios that way are not known: any that these lengths allow.
std::optional<TrainedLengths> reversed(const std::optional<TrainedLengths>& lengths) {
  if (!lengths) return {};
  return TrainedLengths{lengths->longest_target, lengths->longest_source, double(lengths->longest_source)};
}

// A source that is text, as the target, and the other way round. A lexicon is good for one direction only.
Task::Learned learned_in_reverse(const Task::Learned& learned) {
  Task::Learned reverse;
  const auto* source = dynamic_cast<const TextSource*>(learned.sources[0].get());
  check(source, "only a text can be written");
  reverse.sources = {std::make_shared<TextSource>(learned.target_tokenizer, learned.target)};
  reverse.target_tokenizer = source->tokenizer();
  reverse.target = source->vocabulary();
  reverse.lengths = reversed(learned.lengths);
  return reverse;
}

bool same_shape(const TensorHeader::Array& array, const Shape& shape) {
  if (static_cast<int>(array.shape.size()) != shape.axes()) return false;
  for (int i = 0; i < shape.axes(); ++i) {
    if (array.shape[i] != shape[i]) return false;
  }
  return true;
}

}  // namespace

Config read_config(const std::string& json, const std::string& where) {
  // A setting that has another name now.
  constexpr std::string_view before = "\"most_skipped\":", now = "\"max_skipped\":";
  std::string renamed = json;
  if (const std::size_t at = renamed.find(before); at != renamed.npos) renamed.replace(at, before.size(), now);
  WrittenConfig written;
  read_json(written, renamed, where);
  if (written.extra != "none") written.config.columns = {"source", "target", written.extra};
  return written.config;
}

namespace {

EncoderDecoder::Symbols shapes_of(const Task& task) {
  EncoderDecoder::Symbols symbols = {{}, task.target().size(), task.reads_features() ? task.features().size() : 0};
  for (const SourcePtr& source : task.sources()) symbols.sources.push_back(source->shape());
  return symbols;
}

}  // namespace

Model::Model(const Config& config, Task task, Unfilled)
    : config_(config), task_(std::move(task)), network_(parameters_, config.model, shapes_of(task_)) {}

Model::Model(const Config& config, Task task) : Model(config, std::move(task), Unfilled()) {
  parameters_.allocate();
  parameters_.initialise(static_cast<std::uint64_t>(config.training.seed));
}

std::unique_ptr<Model> Model::described_by(const TensorHeader& file, std::string_view name) {
  const Config config = read_config(required(file, "config", name), std::string(name) + ": config");
  if (generators().find(config.model.generator.kind).traits.lexicon) required(file, "lexicon", name);
  try {
    const Columns columns(config.columns);
    Task::Learned learned;
    const auto options = config.sources();
    for (std::size_t i = 0; i < options.size(); ++i) {
      const LearnedTexts texts(file.metadata, columns.sources()[i] + ".", name);
      learned.sources.push_back(sources().find(options[i]->kind).restore(*options[i], texts));
    }
    const LearnedTexts target(file.metadata, "target.", name);
    learned.target = target.vocabulary();
    learned.target_tokenizer = target.tokenizer(config.target.tokenizer);
    if (columns.has("features")) {
      if (!file.metadata.contains("features.vocabulary")) {
        throw model_error("{}: it reads features before the source, as models did once; train it again", name);
      }
      learned.features = sources().find("features").restore({}, LearnedTexts(file.metadata, "features.", name));
    }
    const SymbolSource* first = learned.sources.empty() ? nullptr : learned.sources[0]->as_symbols();
    learned.lexicon = read_lexicon(file, name, first ? first->vocabulary().size() : 0, learned.target.size());
    learned.lengths = read_lengths(file, name);
    learned.first_rare = read_first_rare(file, name);
    Task task(config, std::move(learned));
    return std::unique_ptr<Model>(new Model(config, std::move(task), Unfilled()));
  } catch (const Error& e) {  // a config that no model can be made from
    if (e.kind() == ErrorKind::model) throw;
    throw model_error("{}: {}", name, e.what());
  }
}

std::unique_ptr<Model> Model::decode(const ByteSource& source, std::string_view name) {
  std::unique_ptr<Model> model;
  read_safetensors(source, name, [&](const TensorHeader& header) {
    model = described_by(header, name);
    std::vector<ArrayPlace> places = place_arrays(header, model->parameters_, {""}, name);
    model->parameters_.allocate();  // not before the file is known to have the numbers
    return fill_groups(std::move(places), {model->parameters_.values()});
  });
  model->parameters_.invalidate_packed();
  return model;
}

std::map<std::string, std::string> Model::metadata() const {
  std::map<std::string, std::string> all = {{"config", to_json(config_)},
                                            {"target.vocabulary", json_text(task_.target().to_json())}};
  const auto add = [&](const std::string& prefix, const Source& source) {
    for (auto& [key, text] : source.learned()) all[fmt::format("{}.{}", prefix, key)] = text;
  };
  const auto names = task_.columns().sources();
  for (std::size_t i = 0; i < names.size(); ++i) add(names[i], *task_.sources()[i]);
  if (task_.reads_features()) add("features", *task_.learned().features);
  if (std::string learned = task_.target_tokenizer().learned(); !learned.empty()) {
    all["target.tokenizer"] = std::move(learned);
  }
  if (task_.learned().lengths) all["lengths"] = write_lengths(*task_.learned().lengths);
  if (task_.learned().first_rare) all["target.first_rare"] = std::to_string(*task_.learned().first_rare);
  if (!task_.lexicon().empty()) all["lexicon"] = write_lexicon(task_.lexicon());
  return all;
}

std::unique_ptr<Model> Model::one_way(bool reverse) const {
  Config config = config_;
  config.model = reverse_options(config.model);
  Task::Learned learned = task_.learned();
  if (reverse) {
    const TextOptions target = config.target;
    config.target = config.source;
    static_cast<TextOptions&>(config.source) = target;
    learned = learned_in_reverse(learned);
    config.columns = Columns(config.columns).names();
    for (std::string& column : config.columns) {
      column = column == "source" ? "target" : column == "target" ? "source" : "skip";
    }
  }
  std::unique_ptr<Model> model(new Model(config, Task(config, std::move(learned)), Unfilled()));
  model->parameters_.allocate();
  for (const Parameters::Entry& entry : model->parameters_.entries()) {
    const std::string name = (reverse ? "reverse." : "") + entry.name;
    const auto found = std::ranges::find(parameters_.entries(), name, &Parameters::Entry::name);
    check(found != parameters_.entries().end(), "no weight {}", name);
    std::ranges::copy(parameters_.values(*found), model->parameters_.values(entry).begin());
  }
  model->parameters_.invalidate_packed();
  return model;
}

std::vector<NamedArray> Model::arrays() const { return to_arrays(parameters_, parameters_.values(), ""); }

std::vector<NamedArray> to_arrays(const Parameters& parameters, std::span<const Real> values, std::string_view prefix) {
  std::vector<NamedArray> arrays;
  for (const Parameters::Entry& entry : parameters.entries()) {
    NamedArray array{std::string(prefix) + entry.name, {}, {}};
    for (int i = 0; i < entry.shape.axes(); ++i) array.shape.push_back(entry.shape[i]);
    const auto part = values.subspan(as_size(entry.offset), as_size(entry.shape.count()));
    array.values.assign(part.begin(), part.end());
    arrays.push_back(std::move(array));
  }
  return arrays;
}

std::vector<ArrayPlace> place_arrays(const TensorHeader& header, const Parameters& parameters,
                                     const std::vector<std::string>& prefixes, std::string_view name) {
  std::vector<ArrayPlace> places(header.arrays.size());
  for (std::size_t group = 0; group < prefixes.size(); ++group) {
    for (const Parameters::Entry& entry : parameters.entries()) {
      const std::string full = prefixes[group] + entry.name;
      const auto found = std::ranges::lower_bound(header.arrays, full, {}, &TensorHeader::Array::name);
      if (found == header.arrays.end() || found->name != full) {
        throw model_error("{}: the weight \"{}\" is missing", name, full);
      }
      if (!same_shape(*found, entry.shape)) {
        throw model_error("{}: the weight \"{}\" has not the shape {} that the config asks for", name, full,
                          entry.shape.text());
      }
      places[as_size(found - header.arrays.begin())] = {group, entry.offset};
    }
  }
  const std::size_t wanted = prefixes.size() * parameters.entries().size();
  if (header.arrays.size() != wanted) {
    throw model_error("{}: {} weights where the config asks for {}", name, header.arrays.size(), wanted);
  }
  return places;
}

TakeNumbers fill_groups(std::vector<ArrayPlace> places, std::vector<std::span<Real>> groups) {
  return [places = std::move(places), groups = std::move(groups)](std::size_t array, std::size_t first,
                                                                  std::span<const float> numbers) {
    const auto [group, offset] = places[array];
    std::ranges::copy(numbers, groups[group].begin() + offset + static_cast<std::ptrdiff_t>(first));
  };
}

std::filesystem::path find_model(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored) ? path / model_file_name : path;
}

std::unique_ptr<Model> load_model(Files& files, const std::filesystem::path& path) {
  const std::filesystem::path file = find_model(path);
  try {
    return Model::decode(files.open(file), file.string());
  } catch (const Error& e) {
    std::error_code ignored;
    if (e.kind() == ErrorKind::model) throw;
    if (std::filesystem::exists(file, ignored)) throw model_error("{}", e.what());
    if (std::filesystem::exists(path / checkpoint_file_name, ignored)) {
      throw model_error(
          "{} has no model yet: its run was not validated so far; go on with it, or stop it with `stop_after`, which "
          "validates first",
          path.string());
    }
    if (std::filesystem::is_directory(path, ignored))
      throw model_error("{} is a folder without a model", path.string());
    throw model_error("{} (train one into the `folder` {})", e.what(), path.string());
  }
}

}  // namespace fovea
