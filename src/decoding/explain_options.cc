#include "decoding/explain_options.h"

#include <fmt/core.h>

#include <cmath>

#include "base/error.h"
#include "base/json.h"

namespace fovea {

namespace {

constexpr std::size_t max_edits = 1000;
constexpr std::size_t max_edit_bytes = std::size_t(1) << 22;

int whole_number(const Json& edit, const char* name, const std::string& where) {
  const auto found = edit.find(name);
  if (found == edit.end() || !found->is_number_unsigned() || found->get<std::uint64_t>() > 1'000'000) {
    throw usage_error("{}.{}: wants a whole number from 0 to 1000000", where, name);
  }
  return found->get<int>();
}

std::vector<float> weights_of(const Json& edit, const std::string& where) {
  const auto found = edit.find("weights");
  if (found == edit.end() || !found->is_array() || found->empty()) {
    throw usage_error("{}.weights: wants a list of numbers, one for each position of the source", where);
  }
  std::vector<float> weights;
  double sum = 0;
  for (const Json& value : *found) {
    const double weight = value.is_number() ? value.get<double>() : -1;
    if (!(weight >= 0) || !std::isfinite(static_cast<float>(weight))) {
      throw usage_error("{}.weights[{}]: wants a number that is finite and not below zero", where, weights.size());
    }
    weights.push_back(static_cast<float>(weight));
    sum += weight;
  }
  if (!(sum > 0)) throw usage_error("{}.weights: all are zero; one at least must be more", where);
  return weights;
}

}  // namespace

void ExplainOptions::fields(FieldVisitor& visit) {
  visit("detail", detail, "explain with the query and context vectors of each step");
  visit("saliency", saliency,
        "explain with how much each position changes the log-probability of each symbol: gradient times input");
  visit("self_attention", self_attention, "explain with the maps of encoder and decoder to themselves");
  visit("tree", tree, "explain with all that beam search looked at");
  visit("media", media, "explain with the picture that was read, or with the sound and its spectrogram");
  visit("edits", edits, "attention weights to be used instead: [{\"step\":0,\"map\":0,\"weights\":[0,1,...]}]",
        like({}, [](std::string_view text) { read_edits(text); }));
}

std::vector<AttentionEdit> read_edits(std::string_view text) {
  std::vector<AttentionEdit> edits;
  if (text.empty()) return edits;
  const std::string form = R"([{"step": 0, "map": 0, "weights": [...]}])";
  if (text.size() > max_edit_bytes) throw usage_error("`edits`: more than {} bytes", max_edit_bytes);
  const Json json = parse_json(text, 4);
  if (!json.is_array()) throw usage_error("`edits`: wants JSON like {}", form);
  if (json.size() > max_edits) throw usage_error("`edits`: {} of them; at most {} are taken", json.size(), max_edits);
  for (const Json& edit : json) {
    const std::string where = fmt::format("`edits` [{}]", edits.size());
    if (!edit.is_object()) throw usage_error("{}: wants an object; write {}", where, form);
    for (const auto& [name, value] : edit.items()) {
      if (name != "step" && name != "map" && name != "weights") {
        throw usage_error("{}: has something that is neither step nor map nor weights", where);
      }
    }
    edits.push_back({whole_number(edit, "step", where), edit.contains("map") ? whole_number(edit, "map", where) : 0,
                     weights_of(edit, where)});
  }
  return edits;
}

}  // namespace fovea
