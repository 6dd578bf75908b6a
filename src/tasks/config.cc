#include "tasks/config.h"

#include "data/columns.h"
#include "models/decoder.h"
#include "models/decoders/bridge.h"
#include "models/generator.h"
#include "tasks/criterion.h"
#include "tasks/task_kind.h"

namespace fovea {

void TrainingOptions::fields(FieldVisitor& visit) {
  visit("batch", batch, "examples of one update: 64 rows, or 4000t tokens");
  visit("optimizer", optimizer, "adam, or sgd with momentum", one_of({"adam", "sgd"}));
  visit("learning_rate", learning_rate, "size of an update", between(0, 1000));
  visit("momentum", momentum, "of sgd", between(0, 0.9999));
  visit("beta2", beta2, "of adam: how much of the mean square gradient stays", between(0, 0.9999999));
  visit("weight_decay", weight_decay, "times the learning rate, the share of each weight that an update takes away",
        between(0, 1));
  visit("average", average,
        "of the weights, over updates: how much of it stays at each; the averaged weights answer; 0: the last ones do",
        between(0, 0.9999999));
  visit("warmup", warmup, "updates over which the learning rate rises from zero", between(0, 1e9));
  visit("decay", decay,
        "how the learning rate falls: plateau halves it after decay_after validations without progress, inverse_sqrt "
        "with the updates, cosine to zero over decay_updates",
        one_of({"none", "plateau", "inverse_sqrt", "cosine"}));
  visit("decay_after", decay_after, "validations without a better score before plateau halves the learning rate",
        between(1, 1e6));
  visit("decay_updates", decay_updates, "updates after which cosine has reached zero", between(0, 1e9));
  visit("clip", clip, "longest gradient; a longer one is scaled down; 0: no limit", at_least(0));
  visit("dropout", dropout, "share of values dropped in training", between(0, 0.95));
  visit("scheduled_sampling", scheduled_sampling,
        "share of target inputs that are the model's own choice (Bengio 2015)", between(0, 1));
  visit("scheduled_sampling_warmup", scheduled_sampling_warmup, "updates over which that share rises from zero",
        between(0, 1e9));
  visit("metric", metric, "what decides, on the held-out part, which model is the best", one_of(Criterion::names()));
  visit("patience", patience, "validations without a better score before training stops", between(1, 1e6));
  visit("patience_updates", patience_updates, "and at least so many updates without one", between(0, 1e9));
  visit("validate_every", validate_every, "how often the held-out part is answered");
  visit("shards", shards, "parts of a batch that can be worked on at the same time", between(1, 64));
  visit("max_skipped", max_skipped, "updates in a row that may be not finite before training stops", between(1, 1e6));
  visit("seed", seed, "of every random choice", at_least(0));
}

void Config::fields(FieldVisitor& visit) {
  visit("task", task, "what is learned", one_of(task_kinds().names()));
  visit("columns", columns,
        "what each column of the data has; none named: source and target, and features if one "
        "looks like them",
        one_of(Columns::known()));
  visit("max_length", max_length, "longest source or target, in characters", between(1, 1'000'000));
  visit("shared_vocabulary", shared_vocabulary,
        "source and target have one tokenizer and one vocabulary, learned from both");
  visit.group("source", source, "what is read");
  const Columns named(columns);
  visit.group("source2", source2, "what is read beside it", named.has("source2"));
  visit.group("source3", source3, "and beside these", named.has("source3"));
  visit.group("target", target, "what is written");
  model.fields(visit);
  visit.group("training", training, "how it is learned");
}

std::vector<const SourceOptions*> Config::sources() const {
  std::vector<const SourceOptions*> all;
  const SourceOptions* const each[] = {&source, &source2, &source3};
  const std::size_t count = Columns(columns).sources().size();
  for (std::size_t i = 0; i < count; ++i) all.push_back(each[i]);
  return all;
}

namespace {

void check_shared_vocabulary(const Config& config) {
  if (!config.shared_vocabulary) return;
  const auto refuse = [](std::string_view why) { throw usage_error("shared_vocabulary = true: {}", why); };
  const auto sources = config.sources();
  if (sources.size() != 1) refuse("it is for one source and the target; leave it out");
  const SourceOptions& source = *sources[0];
  const TextOptions& target = config.target;
  if (!fovea::sources().find(source.kind).writable) {
    refuse(fmt::format("source.kind = {}, and only a text has what a target has", source.kind));
  }
  const auto compare = [&](std::string_view name, const auto& read, const auto& written) {
    if (read == written) return;
    refuse(fmt::format("source.{} = {}, but target.{} = {}; give both the same", name, read, name, written));
  };
  compare("tokenizer", source.tokenizer, target.tokenizer);
  compare("max_symbols", source.max_symbols, target.max_symbols);
  compare("min_count", source.min_count, target.min_count);
}

void check_sources(const Config& config) {
  const Columns columns(config.columns);
  const TaskKind& task = task_kinds().find(config.task);
  const auto sources = config.sources();
  const std::string& kind = config.model.generator.kind;
  const GeneratorTraits generator = generators().find(kind).traits;
  const ObjectiveSettings* both = config.model.objective.asked(&ObjectiveTraits::both_directions);
  if (task.traits.reads == sources.empty()) {
    throw usage_error("task = {} with columns {}: {}", task.name, columns.text(),
                      task.traits.reads ? "there is no source; name its column"
                                        : "it reads no source; call that column skip, or choose another task");
  }
  for (const SourceOptions* source : sources) {
    const SourceKind& read = fovea::sources().find(source->kind);
    if (!read.symbols && generator.copies && !task.traits.positions) {
      throw usage_error("generator.kind = {} with source.kind = {}: there are no symbols to copy; choose softmax", kind,
                        source->kind);
    }
    if (!read.symbols && generator.lexicon) {
      throw usage_error("generator.kind = {} with source.kind = {}: it looks up symbols; choose softmax", kind,
                        source->kind);
    }
    if (!read.writable && both) {
      throw usage_error("objective.{} with source.kind = {}: the source is written, too, and must be text",
                        both->kind->name, source->kind);
    }
  }
  if (both && columns.has("features")) {
    throw usage_error("objective.{} with a column of features: they are read in one direction only; leave one out",
                      both->kind->name);
  }
  if (sources.size() < 2) return;
  const auto refuse = [](std::string_view what) {
    throw usage_error("{} with several sources: it is for one; leave one out", what);
  };
  if (generator.lexicon) refuse("generator.kind = " + kind);
  if (both) refuse(fmt::format("objective.{}", both->kind->name));
  if (config.model.encoder.rationale) refuse("encoder.rationale");
  if (!keeps_positions(config.model.encoder)) refuse("encoder.kind = " + config.model.encoder.kind);
  if (acts(config.model)) refuse("attention.select = " + config.model.attention.select);
}

}  // namespace

void check_task(const Config& config) {
  check_sources(config);
  check_shared_vocabulary(config);
  const TaskKind& task = task_kinds().find(config.task);
  const auto refuse = [&](std::string_view what, std::string_view why) {
    throw usage_error("task = {} with {}: {}", task.name, what, why);
  };
  const ModelOptions& model = config.model;
  if (!task.target_tokenizer.empty() && config.target.tokenizer != task.target_tokenizer) {
    refuse("target.tokenizer = " + config.target.tokenizer,
           fmt::format("a target is one symbol; set target.tokenizer = {}", task.target_tokenizer));
  }
  if (task.traits.one_step) {
    const char* once = "there is one step only; choose another";
    if (acts(model)) refuse("attention.select = " + model.attention.select, once);
    for (const auto trait : {&ObjectiveTraits::both_directions, &ObjectiveTraits::needs_links}) {
      if (const auto* asked = model.objective.asked(trait)) {
        refuse(fmt::format("objective.{}", asked->kind->name), once);
      }
    }
  }
  if (!task.traits.reads) {
    const char* nothing = "there is no source; leave it out";
    if (model.encoder.rationale) refuse("encoder.rationale", nothing);
    if (acts(model)) refuse("attention.select = " + model.attention.select, nothing);
    if (Columns(config.columns).has("alignment")) refuse("a column of alignments", "there is no source; call it skip");
    if (config.training.scheduled_sampling > 0 && generators().find(model.generator.kind).traits.copies_past) {
      refuse("training.scheduled_sampling and generator.kind = " + model.generator.kind,
             "what it copies from is known only when all is written; leave one out");
    }
    const bool recurrent = decoders().find(model.decoder.kind).recurrent;
    if (recurrent && attends(model)) {
      refuse("decoder.style = " + model.decoder.style, "there is nothing to attend to; set decoder.style = plain");
    }
    const std::string& kind = model.generator.kind;
    const GeneratorTraits traits = generators().find(kind).traits;
    if (traits.reads_memory && !traits.copies_past) {
      refuse("generator.kind = " + kind,
             "it copies from a source; choose softmax, or sentinel, which copies from "
             "what was written before");
    }
    if (recurrent && bridge_reads_source(model.decoder.bridge)) {
      refuse("decoder.bridge = " + model.decoder.bridge, "there is no source to begin from; choose zero or learned");
    }
  }
}

}  // namespace fovea
