#include "models/conflicts.h"

#include "attention/mechanism.h"
#include "models/decoder.h"
#include "models/decoders/bridge.h"
#include "models/generator.h"

namespace fovea {

namespace {

void check_plain(const ModelOptions& options) {
  if (attends(options)) return;
  const std::string& bridge = options.decoder.bridge;
  if (!bridge_reads_source(bridge)) {
    throw usage_error(
        "decoder.style = plain with decoder.bridge = {}: nothing of the source would reach the decoder; choose the "
        "bridge last or mean, or a style with attention",
        bridge);
  }
  if (encoders().find(options.encoder.kind).summarizes && bridge == "last") {
    throw usage_error(
        "decoder.style = plain with encoder.kind = {} and decoder.bridge = last: the last state is not of the "
        "summary, which nothing would read; choose the bridge mean, or a style with attention",
        options.encoder.kind);
  }
  if (generators().find(options.generator.kind).traits.reads_memory) {
    throw usage_error("decoder.style = plain with generator.kind = {}: it needs an attention; choose another style",
                      options.generator.kind);
  }
}

void check_marginal(const ModelOptions& options) {
  const std::string& select = options.attention.select;
  if (!attends(options) || !selects().find(select).traits.marginal) return;
  const auto refuse = [&](std::string_view what, std::string_view why) {
    throw usage_error("attention.select = {} with {}: {}", select, what, why);
  };
  const DecoderOptions& decoder = options.decoder;
  const bool recurrent = decoders().find(decoder.kind).recurrent;
  if (!recurrent || decoder.style != "luong" || decoder.feeding) {
    refuse(
        recurrent ? "decoder.style = " + decoder.style + (decoder.style == "luong" ? " and decoder.feeding" : "")
                  : "decoder.kind = " + decoder.kind,
        "it sums over where each symbol may come from, so the state must not read a context; set decoder.kind = rnn, "
        "decoder.style = luong and decoder.feeding = false");
  }
  if (generators().find(options.generator.kind).traits.reads_memory) {
    refuse("generator.kind = " + options.generator.kind, "it mixes outputs itself; set generator.kind = softmax");
  }
  if (options.attention.heads > 1 || options.attention.projections) {
    refuse("several heads or projections",
           "a symbol comes from one position; set attention.heads = 1 and "
           "attention.projections = false");
  }
  if (!reads().find(options.attention.read).traits.plain) {
    refuse("attention.read = " + options.attention.read,
           "outputs are mixed and no values read; set attention.read = sum");
  }
  const char* unknown = "where earlier symbols came from is summed over, not known; ";
  for (const std::string& bias : options.attention.bias) {
    if (biases().find(bias).traits.looks_back) {
      refuse("attention.bias = " + bias, std::string(unknown) + "leave it out");
    }
  }
  if (scores().find(options.attention.score).traits.looks_back) {
    refuse("attention.score = " + options.attention.score, std::string(unknown) + "choose another score");
  }
  if (options.objective.label_smoothing > 0) {
    refuse("objective.label_smoothing", "the sum over positions has no smoothed form; set it to 0");
  }
}

void check_positions_kept(const ModelOptions& options) {
  if (keeps_positions(options.encoder)) return;
  const auto refuse = [&](const std::string& what) {
    throw usage_error("encoder.kind = {} with {}: its columns do not stand for single symbols; choose another encoder",
                      options.encoder.kind, what);
  };
  if (generators().find(options.generator.kind).traits.reads_memory) {
    refuse("generator.kind = " + options.generator.kind);
  }
  if (const auto* asked = options.objective.asked(&ObjectiveTraits::by_position)) {
    refuse(fmt::format("objective.{}", asked->kind->name));
  }
}

// Generators that spread probability by the decoder's weights.
void check_shares(const ModelOptions& options) {
  const std::string &generator = options.generator.kind, &select = options.attention.select;
  const bool by_weights = generators().find(generator).traits.by_weights && !options.generator.own_attention;
  if (!by_weights || selects().find(select).traits.sums_to_one) return;
  throw usage_error(
      "generator.kind = {} with attention.select = {}: its weights are no shares of one; choose another "
      "selection, or a generator with weights of its own",
      generator, select);
}

void check_objectives(const ModelOptions& options, bool reads) {
  if (!(reads && attends(options)) && options.objective.asked(&ObjectiveTraits::holds_attention)) {
    throw usage_error("{} has no attention for an objective to hold; {}",
                      reads ? "decoder.style = plain" : "a model without a source",
                      reads ? "choose another style" : "leave it out");
  }
  for (const auto& settings : options.objective.members()) {
    if (settings->weight > 0) settings->check(options);
  }
  if (options.decoder.frozen && options.generator.tied) {
    throw usage_error(
        "decoder.frozen with generator.tied: the choice would teach the vectors that are to stay as they are; "
        "leave one out");
  }
  if (options.generator.own_attention && !generators().find(options.generator.kind).traits.may_attend) {
    throw usage_error("generator.own_attention with generator.kind = {}: it has none; choose pointer_generator",
                      options.generator.kind);
  }
}

// Scores with weights of their own for each position are for sources, whose length is known beforehand.
void check_known_positions(const ModelOptions& options) {
  const auto knows_few = [](const AttentionOptions& attention) {
    return scores().find(attention.score).traits.counts_positions;
  };
  for (const InnerAttention& inner :
       {encoders().find(options.encoder.kind).inner, decoders().find(options.decoder.kind).inner}) {
    if (!inner.options || !knows_few(options.*inner.options)) continue;
    throw usage_error(
        "{}.score = {}: it knows attention.positions places, a sequence may have more; choose another score",
        inner.name, (options.*inner.options).score);
  }
}

void check_actions(const ModelOptions& options) {
  if (!acts(options)) return;
  const auto refuse = [&](std::string_view what, std::string_view why) {
    throw usage_error("attention.select = {} with {}: {}", options.attention.select, what, why);
  };
  const auto name = [](const ObjectiveSettings& settings) { return fmt::format("objective.{}", settings.kind->name); };
  if (const auto* taught = options.objective.asked(&ObjectiveTraits::needs_links)) {
    refuse(name(*taught), "its own aligner says where to look; leave one out");
  }
  if (const auto* both = options.objective.asked(&ObjectiveTraits::both_directions)) {
    refuse(name(*both), "the other direction has no steps; leave one out");
  }
}

}  // namespace

void check_conflicts(const ModelOptions& options, bool reads) {
  if (reads) check_plain(options);
  check_marginal(options);
  check_positions_kept(options);
  check_shares(options);
  check_objectives(options, reads);
  check_known_positions(options);
  check_actions(options);
}

}  // namespace fovea
