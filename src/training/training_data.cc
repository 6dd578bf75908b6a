#include "training/training_data.h"

#include <algorithm>
#include <bit>

#include <fmt/core.h>

#include "base/counted.h"
#include "kernels/instruction_set.h"
#include "tasks/criterion.h"

namespace fovea {

std::uint64_t hash_examples(std::uint64_t hash, std::span<const Example> examples) {
  for (const Example& example : examples) {
    for (const std::string* text : {&example.source, &example.target, &example.features, &example.alignment}) {
      hash = hash_text(hash, *text);
    }
    for (const std::string& other : example.others) hash = hash_text(hash, other);
  }
  return mix(hash, examples.size());
}

namespace {

std::uint64_t hash_of(const Model& model, const TrainingData& data, std::span<const Encoding> examples) {
  std::uint64_t hash = hash_examples(hash_examples(0, data.training), data.held_out);
  for (const auto& entries : model.task().lexicon()) {
    for (const auto& [symbol, share] : entries)
      hash = mix(hash, mix(static_cast<std::uint64_t>(symbol), std::bit_cast<std::uint32_t>(share)));
  }
  for (const auto& [key, text] : model.metadata()) {  // from files, maybe, that are not the same everywhere
    if (key.ends_with(".tokenizer")) hash = hash_text(hash, text);
  }
  for (const Encoding& example : examples) {
    for (const SourceData& source : example.source.sources) {
      for (const float value : source.rows) hash = mix(hash, std::bit_cast<std::uint32_t>(value));
    }
  }
  return hash;
}

void check_length(const Task& task, const Config& config, const Reading& source, const Example& example) {
  const int most = task.max_source_symbols();
  if (most == 0 || source.size() <= most) return;
  throw data_error(
      "{}: the source has {} symbols, but attention.score = {} knows {} positions (the stop symbol "
      "counted); set attention.positions higher, or leave longer lines out with `max_length`",
      place_of(example), source.size(), config.model.attention.score, most + 1);
}

}  // namespace

void check_training(const Config& config) {
  if (config.training.validate_every.unit != Period::Unit::updates &&
      config.training.validate_every.unit != Period::Unit::epochs) {
    throw usage_error(
        "training.validate_every is {}: a validation decides about the learning rate, so it must fall due after a "
        "number of updates (500u) or epochs (1e), or the same seed would not give the same model",
        to_string(config.training.validate_every));
  }
  if (config.training.decay == "cosine" && config.training.decay_updates == 0) {
    throw usage_error("training.decay = cosine needs training.decay_updates: after how many the rate is zero");
  }
  const Traits select = selects().find(config.model.attention.select).traits;
  if (config.training.scheduled_sampling > 0 && select.marginal) {
    throw usage_error(
        "training.scheduled_sampling with attention.select = {}: all steps are taken at once; set it to 0, or choose "
        "another selection",
        config.model.attention.select);
  }
  const Criterion criterion(config.training.metric);
  if (!task_kinds().find(config.task).traits.reads && criterion.metric()) {
    throw usage_error("task = {} with training.metric = {}: nothing is answered; set training.metric = {}", config.task,
                      criterion.name(), Criterion::loss_name);
  }
  if (config.training.weight_decay > 0 && (config.model.encoder.frozen || config.model.decoder.frozen)) {
    throw usage_error("training.weight_decay with frozen vectors: they would shrink at every update; leave one out");
  }
}

void check_data(const TrainingData& data) {
  if (data.training.empty()) throw data_error("no line to train on");
  if (data.held_out.empty()) throw data_error("no line to validate on; give a second file with `dev`");
}

std::string EncodedLines::warning() const {
  if (doubtful == 0) return {};
  return fmt::format("{} with a source that seems not to be whole (first: {})", counted(doubtful, "line"), first_doubt);
}

EncodedLines encode_lines(const Task& task, const Config& config, const TrainingData& data,
                          const std::function<void(const Error&)>& refuse) {
  EncodedLines lines;
  const auto encode = [&](const Example& example) -> std::optional<Encoding> {
    try {
      Encoding encoded = task.encode(example);
      check_length(task, config, encoded.source, example);
      const auto& read = encoded.source.sources;
      const auto doubtful = std::ranges::find_if(read, [](const SourceData& one) { return !one.doubt.empty(); });
      if (doubtful != read.end() && lines.doubtful++ == 0) {
        lines.first_doubt = fmt::format("{}: {}", place_of(example), doubtful->doubt);
      }
      return encoded;
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::data) throw;
      refuse(e);
      return {};
    }
  };
  for (const Example& example : data.training) {
    std::optional<Encoding> encoded = encode(example);
    if (!encoded) continue;
    lines.lengths.push_back({encoded->source.positions(), task.steps(encoded->target.size())});
    lines.examples.push_back(std::move(*encoded));
  }
  const ObjectiveSettings* taught = config.model.objective.asked(&ObjectiveTraits::needs_links);
  if (taught && std::ranges::all_of(lines.examples, [](const Encoding& encoded) { return encoded.links.empty(); })) {
    throw data_error(
        "objective.{} = {}, but no line to train on has an alignment; give links such as 0-0 1-2 in a column "
        "called alignment (`columns`) or in a file (`alignment_file`), or set it to 0",
        taught->kind->name, taught->weight);
  }
  for (const Example& example : data.held_out) {
    if (std::optional<Encoding> encoded = encode(example)) lines.held_out.push_back(std::move(*encoded));
  }
  return lines;
}

EncodedLines encode_lines(const Model& model, const TrainingData& data) {
  EncodedLines lines = encode_lines(model.task(), model.config(), data, [](const Error& e) { throw e; });
  lines.hash = hash_of(model, data, lines.examples);
  return lines;
}

void check_same_on_all_ranks(Ranks& ranks, const Config& config, std::uint64_t data_hash) {
  struct Hashes {
    std::uint64_t program, settings, data;
  };
  const std::vector<Hashes> all =
      ranks.all_gather(Hashes{hash_text(hash_text(sizeof(Real), FOVEA_VERSION), kernels::instruction_set()),
                              hash_text(0, to_json(config)), data_hash});
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    if (all[rank].program != all[0].program) {
      throw usage_error(
          "rank {} has another version of fovea or another instruction set than rank 0, so their sums would not be "
          "the same; use machines of one kind (fovea bench names the instruction set)",
          rank);
    }
    if (all[rank].settings != all[0].settings) {
      throw usage_error("rank {} has other settings than rank 0; give every rank the same `config_file`", rank);
    }
    if (all[rank].data != all[0].data) {
      throw data_error("rank {} read other data than rank 0; every machine must have the same files", rank);
    }
  }
}

}  // namespace fovea
