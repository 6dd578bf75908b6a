#include "inference/explanation.h"

#include <algorithm>
#include <cmath>

#include "base/as_size.h"
#include "models/decoder.h"
#include "models/join.h"
#include "tasks/batching.h"

namespace fovea {

namespace {

// Rows of the pass that finds gradients, one for each step.
constexpr std::size_t steps_together = 32;

// Sums of weights that are off by rounding alone are left as they are, so that a model's own change nothing.
constexpr double rounding = 1e-4;

// The map of the generator stands before those of the attention.
int first_attention(const Model& model) { return model.network().points() ? 1 : 0; }

void check_edits(const std::vector<AttentionEdit>& edits, const Model& model) {
  const ModelOptions& options = model.config().model;
  if (!attends(options) || !model.task().traits().reads) {
    throw usage_error("`edits`: this model has no attention to a source, so there are no weights to force");
  }
  if (selects().find(options.attention.select).traits.marginal) {
    throw usage_error(
        "`edits` with attention.select = {}: it sums over where each symbol may come from and reads by no weights; "
        "there are none to force",
        options.attention.select);
  }
  if (!model.task().keeps_positions()) {
    throw usage_error("`edits` with encoder.kind = {}: its columns are not the source's symbols", options.encoder.kind);
  }
  if (model.task().sources().size() > 1 && !joins().find(options.join).one_attention) {
    throw usage_error("`edits` with join = {}: each source has an attention of its own; only join = flat has one",
                      options.join);
  }
  for (const AttentionEdit& edit : edits) {
    if (edit.map < first_attention(model)) {
      throw usage_error(
          "`edits`: map {} is where the generator points, which is not forced; the attention's first is {}", edit.map,
          first_attention(model));
    }
    if (edit.map < maps_of(model)) continue;
    throw usage_error("`edits`: map {}, but this model has {}, counted from 0", edit.map, maps_of(model));
  }
}

}  // namespace

int maps_of(const Model& model) {
  const ModelOptions& options = model.config().model;
  const int layers = decoders().find(options.decoder.kind).recurrent ? 1 : options.decoder.layers;
  return first_attention(model) + options.attention.heads * layers;
}

std::vector<AttentionEdit> check_explanation(const ExplainOptions& options, std::span<const Model* const> models) {
  std::vector<AttentionEdit> edits = read_edits(options.edits);
  const auto refuse_several = [&](const char* name, bool asked) {
    if (asked && models.size() > 1) throw usage_error("{}: each of several models has its own; ask one", name);
  };
  refuse_several("`detail`", options.detail);
  refuse_several("`saliency`", options.saliency);
  refuse_several("`self_attention`", options.self_attention);
  refuse_several("`edits`", !edits.empty());
  const Model& model = *models[0];
  if (options.saliency && model.task().acts()) {
    throw usage_error("`saliency` with attention.select = {}: its steps are no symbols of the answer",
                      model.config().model.attention.select);
  }
  if (edits.empty()) return edits;
  check_edits(edits, model);
  if (!selects().find(model.config().model.attention.select).traits.sums_to_one) return edits;
  for (AttentionEdit& edit : edits) {
    double sum = 0;
    for (const float weight : edit.weights) sum += static_cast<double>(weight);
    if (std::abs(sum - 1) <= rounding) continue;
    for (float& weight : edit.weights) weight = static_cast<float>(static_cast<double>(weight) / sum);
  }
  return edits;
}

void check_positions(std::span<const Model* const> models, std::string_view option) {
  for (const Model* model : models) {
    if (model->task().keeps_positions()) continue;
    throw usage_error(
        "`{}`: the columns of encoder.kind = {} are not the source's symbols, so that nothing is known about one of "
        "them; leave it out",
        option, model->config().model.encoder.kind);
  }
}

void check_replacing(std::span<const Model* const> models, std::string_view option) {
  check_positions(models, option);
  for (const Model* model : models) {
    if (!attends(model->config().model)) {
      throw usage_error("`{}`: this model has no attention that would say what stands for a symbol; leave it out",
                        option);
    }
    for (const SourceOptions* source : model->config().sources()) {
      if (sources().find(source->kind).tokenized) continue;
      throw usage_error("`{}`: a source of kind {} has no words that could be written; leave it out", option,
                        source->kind);
    }
  }
}

std::vector<ForcedStep> forced_steps(std::span<const AttentionEdit> edits, const Model& model,
                                     std::span<const int> positions) {
  std::vector<ForcedStep> forced;
  for (const AttentionEdit& edit : edits) {
    for (const int wanted : positions) {
      if (std::ssize(edit.weights) == wanted) continue;
      throw usage_error("`edits`: {} weights for a source of {} positions, the one that closes it counted",
                        edit.weights.size(), wanted);
    }
    const int heads = model.config().model.attention.heads, map = edit.map - first_attention(model);
    forced.push_back({edit.step, {map / heads, map % heads, edit.weights}});
  }
  return forced;
}

void add_encoder_maps(const StepModel& model, std::span<const Reading* const> sources, const ExplanationLimits& limits,
                      std::span<std::vector<Answer>> answers) {
  for (const SelfMap& map : model.self_maps()) {
    for (std::size_t b = 0; b < sources.size(); ++b) {
      const auto& read = sources[b]->sources[as_size(map.source)];
      const std::size_t positions = std::min<std::size_t>(limits.positions, as_size(read.length) + 1);
      for (int head = 0; head < map.heads && answers[b][0].encoder_maps.size() < limits.maps; ++head) {
        EncoderMap& shown = answers[b][0].encoder_maps.emplace_back();
        shown = {map.source, map.layer, head, {}};
        for (const Tensor& weights : map.weights) {
          const Shape& shape = weights.shape();
          for (int q = 0; q < shape[0] && shown.weights.size() < positions; ++q) {
            const int row = (q * static_cast<int>(sources.size()) + static_cast<int>(b)) * map.heads + head;
            const Real* first = weights.data() + std::ptrdiff_t(row) * shape[2];
            const auto seen = std::min<std::ptrdiff_t>(shape[2], static_cast<std::ptrdiff_t>(positions));
            shown.weights.emplace_back(first, first + seen);
            shown.weights.back().resize(positions, 0);
          }
        }
      }
    }
  }
}

void add_saliency(const Model& model, const Reading& source, Answer& answer) {
  if (source.sources.empty()) return;
  const Encoding example = {source, answer.symbols};
  Arena arena;
  Batch batch;
  for (std::size_t first = 0; first < answer.steps.size(); first += steps_together) {
    std::vector<int> steps;
    for (std::size_t t = first; t < std::min(answer.steps.size(), first + steps_together); ++t) {
      steps.push_back(static_cast<int>(t));
    }
    const std::vector<const Encoding*> rows(steps.size(), &example);
    fill_batch(model.task(), rows, batch);
    Pass pass(model.parameters(), arena);
    const auto found = model.network().saliency(pass, batch, steps);
    for (std::size_t i = 0; i < steps.size(); ++i) answer.steps[first + i].saliency = found[i];
  }
}

}  // namespace fovea
