#include "tasks/config.h"

#include "data/columns.h"
#include "data/tokenizer.h"
#include "tasks/criterion.h"

namespace fovea {

void SideOptions::fields(FieldVisitor& visit) {
  visit("tokenizer", tokenizer, "what a symbol is",
        like(tokenizer_examples(), [](std::string_view setting) { tokenizer_kind(setting); }));
  visit("max_symbols", max_symbols, "the most frequent ones are kept", between(1, 10'000'000));
  visit("min_count", min_count, "what is seen less often in the training data stays unknown",
        between(1, 1'000'000'000));
}

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
  visit("most_skipped", most_skipped, "updates in a row that may be not finite before training stops", between(1, 1e6));
  visit("seed", seed, "of every random choice", at_least(0));
}

void Config::fields(FieldVisitor& visit) {
  visit("task", task, "what is learned", one_of({"transduce"}));
  visit("columns", columns,
        "what each column of the data has; none named: source and target, and features if one "
        "looks like them",
        one_of(Columns::known()));
  visit("max_length", max_length, "longest source or target, in characters", between(1, 1'000'000));
  visit.group("source", source, "what is read");
  visit.group("target", target, "what is written");
  model.fields(visit);
  visit.group("training", training, "how it is learned");
}

}  // namespace fovea
