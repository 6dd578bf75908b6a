#include "show/heat_map.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "base/error.h"
#include "base/utf8.h"

namespace fovea {
namespace {

// No character is spelled "</s>", and word and piece vocabularies reserve it.
bool is_stop_text(const std::string& token) { return token.empty() || token == "</s>"; }

const std::vector<float>* weights_of(const OutputStep& step, std::size_t map) {
  return map < step.looks.size() ? &step.looks[map].weights : nullptr;
}

void add_source_columns(const Output& output, HeatMap& heat_map) {
  for (std::size_t i = 0; i < output.source.size(); ++i) {
    const SourceToken& token = output.source[i];
    const bool divided = i > 0 && token.source != output.source[i - 1].source;
    heat_map.columns.push_back(source_label(token));
    heat_map.divided.push_back(divided);
    heat_map.spaced.push_back(i > 0 &&
                              (divided || output.source[i - 1].named || token.start > output.source[i - 1].end));
    heat_map.sentences.push_back(token.sentence);
  }
  if (std::ranges::none_of(heat_map.sentences, [](int sentence) { return sentence >= 0; })) heat_map.sentences.clear();
}

// 1 for the smallest; those that are equal share the mean of their ranks.
std::vector<double> ranks_of(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return values[i]; });
  std::vector<double> ranks(values.size());
  for (std::size_t i = 0, end = 0; i < order.size(); i = end) {
    for (end = i; end < order.size() && values[order[end]] == values[order[i]];) ++end;
    for (std::size_t k = i; k < end; ++k) ranks[order[k]] = 0.5 * static_cast<double>(i + 1 + end);
  }
  return ranks;
}

// Pearson's coefficient; nothing if one of them is all alike.
std::optional<double> correlation(std::span<const double> a, std::span<const double> b) {
  double mean_a = 0, mean_b = 0, ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    mean_a += a[i] / static_cast<double>(a.size());
    mean_b += b[i] / static_cast<double>(a.size());
  }
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean_a) * (b[i] - mean_b);
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
  }
  if (!(aa > 0 && bb > 0)) return {};
  return ab / std::sqrt(aa * bb);
}

}  // namespace

HeatMap saliency_map(const Output& output) {
  HeatMap heat_map;
  heat_map.title = "gradient times input, absolute shares";
  add_source_columns(output, heat_map);
  const std::size_t positions = heat_map.columns.size();
  for (const OutputStep& step : output.steps) {
    if (step.saliency.empty()) continue;
    heat_map.rows.push_back(output_label(step.token));
    heat_map.probabilities.push_back(step.probability);
    double sum = 0;
    for (const float value : step.saliency) sum += std::abs(static_cast<double>(value));
    for (std::size_t i = 0; i < positions; ++i) {
      const double value = i < step.saliency.size() ? std::abs(static_cast<double>(step.saliency[i])) : 0;
      heat_map.weights.push_back(sum > 0 ? value / sum : 0);
    }
  }
  return heat_map;
}

HeatMap own_map(const Output& output, std::size_t map) {
  const OwnMap& own = output.self_maps.at(map);
  HeatMap heat_map;
  heat_map.title = fmt::format("self-attention of the {}, layer {}, head {}", own.part, own.layer, own.head);
  const bool decoder = own.part == "decoder";
  std::vector<Label> names;
  if (decoder) {
    names.push_back(start_label());
    for (const OutputStep& step : output.steps) names.push_back(output_label(step.token));
  } else {
    for (const SourceToken& token : output.source) {
      if (token.source == own.source) names.push_back(source_label(token));
    }
  }
  std::size_t columns = 0;
  for (const auto& row : own.weights) columns = std::max(columns, row.size());
  const auto name = [&](std::size_t i, bool fits) { return fits ? names[i] : label_of(fmt::format("{}", i)); };
  for (std::size_t i = 0; i < columns; ++i) heat_map.columns.push_back(name(i, columns <= names.size()));
  for (std::size_t q = 0; q < own.weights.size(); ++q) {
    heat_map.rows.push_back(name(q, own.weights.size() <= names.size() && own.weights.size() == columns));
    for (std::size_t i = 0; i < columns; ++i) {
      heat_map.weights.push_back(i < own.weights[q].size() ? static_cast<double>(own.weights[q][i]) : 0);
    }
  }
  return heat_map;
}

std::optional<double> rank_correlation(const HeatMap& a, const HeatMap& b) {
  const std::size_t positions = a.columns.size();
  if (positions != b.columns.size() || a.rows.size() != b.rows.size()) return {};
  double sum = 0, steps = 0;
  for (std::size_t row = 0; row < a.rows.size(); ++row) {
    const auto of = [&](const HeatMap& map) {
      return ranks_of(std::span(map.weights).subspan(row * positions, positions));
    };
    if (const auto found = correlation(of(a), of(b))) sum += *found, ++steps;
  }
  if (steps == 0) return {};
  return sum / steps;
}

Output choose_maps(Output output, int layer, int head) {
  const auto wanted = [&](const auto& map) {
    return (layer < 0 || layer == map.layer) && (head < 0 || head == map.head);
  };
  const auto kept = [&](const MapName& map) { return wanted(map) && !(map.pointing && std::max(layer, head) >= 0); };
  const bool any = std::ranges::any_of(output.maps, kept) || std::ranges::any_of(output.self_maps, wanted);
  if (!any && !output.maps.empty() && output.maps.back().pointing) {
    throw usage_error("the only map of this model, where it points, is of no layer and head; leave them out");
  }
  if (!any && !output.maps.empty()) {
    throw usage_error("no map of this model is of that layer and head; the last is of layer {}, head {}",
                      output.maps.back().layer, output.maps.back().head);
  }
  for (OutputStep& step : output.steps) {
    std::vector<AttentionRow> looks;
    for (std::size_t map = 0; map < std::min(step.looks.size(), output.maps.size()); ++map) {
      if (kept(output.maps[map])) looks.push_back(std::move(step.looks[map]));
    }
    step.looks = std::move(looks);
  }
  if (std::erase_if(output.maps, [&](const MapName& map) { return !kept(map); }) > 0) {
    for (MapName& map : output.maps) map.one_of_many = true;
  }
  std::erase_if(output.self_maps, [&](const OwnMap& map) { return !wanted(map); });
  return output;
}

Output maps_to_draw(Output output, int layer, int head) {
  output = choose_maps(std::move(output), layer, head);
  if (head >= 0 || output.maps.size() < 2) return output;
  MapName mean = output.maps[0];
  const auto alike = [&](const MapName& map) { return map.source == mean.source && map.pointing == mean.pointing; };
  for (const MapName& map : output.maps) {
    if (alike(map)) mean.layer = std::max(mean.layer, map.layer);
  }
  std::vector<std::size_t> heads;
  for (std::size_t i = 0; i < output.maps.size(); ++i) {
    if (alike(output.maps[i]) && output.maps[i].layer == mean.layer) heads.push_back(i);
  }
  if (heads.size() == 1) {  // there is no mean: it comes to the front itself
    const auto lead = [&](auto& list) {
      const auto first = list.begin() + static_cast<std::ptrdiff_t>(heads[0]);
      if (heads[0] < list.size()) std::rotate(list.begin(), first, first + 1);
    };
    lead(output.maps);
    for (OutputStep& step : output.steps) lead(step.looks);
    return output;
  }
  mean.heads = static_cast<int>(heads.size());
  output.maps.insert(output.maps.begin(), mean);
  for (OutputStep& step : output.steps) {
    AttentionRow row;
    for (const std::size_t at : heads) {
      if (at >= step.looks.size()) continue;
      const std::vector<float>& weights = step.looks[at].weights;
      row.weights.resize(std::max(row.weights.size(), weights.size()));
      for (std::size_t i = 0; i < weights.size(); ++i) row.weights[i] += weights[i] / static_cast<float>(heads.size());
    }
    step.looks.insert(step.looks.begin(), std::move(row));
  }
  return output;
}

bool is_stop(const SourceToken& token) { return token.start == token.end && token.text == "</s>"; }

bool is_stop(const OutputStep& step) { return is_stop_text(step.token); }

Label source_label(const SourceToken& token) {
  const bool start = token.named && token.start == token.end && token.text == "<s>";  // of a model's own past
  return is_stop(token) ? stop_label() : start ? start_label() : label_of(token.text);
}
Label output_label(const std::string& token) { return is_stop_text(token) ? stop_label() : label_of(token); }

std::string map_title(const Output& output, std::size_t map) {
  const MapName& name = output.maps.at(map);
  const auto others = std::ranges::count(output.maps, false, &MapName::pointing);
  std::string title = name.pointing                      ? "pointing"
                      : others == 1 && !name.one_of_many ? "attention"
                      : name.heads > 1 ? fmt::format("layer {}, mean of {} heads", name.layer, name.heads)
                                       : fmt::format("layer {}, head {}", name.layer, name.head);
  if (!name.source.empty() && name.source != "source")
    title += (name.pointing ? " into " : " on ") + printable(repair_utf8(name.source));
  return title;
}

std::string left_out_note(const Output& output) {
  std::vector<std::string> parts;
  const auto add = [&](std::size_t shown, std::size_t left_out, const char* what) {
    if (left_out > 0) parts.push_back(fmt::format("{} of {} {}", shown, shown + left_out, what));
  };
  add(output.source.size(), output.left_out.positions, "source positions");
  add(output.steps.size(), output.left_out.steps, "output steps");
  add(output.maps.size(), output.left_out.maps, "maps");
  if (parts.empty()) return "";
  std::string note = "Shown are the first " + parts[0];
  for (std::size_t i = 1; i < parts.size(); ++i) note += (i + 1 < parts.size() ? ", " : " and ") + parts[i];
  return note + ".";
}

HeatMap heat_map_of(const Output& output, std::size_t map) {
  check(map < output.maps.size(), "map {} wanted, but the output has {}", map, output.maps.size());
  HeatMap heat_map;
  heat_map.title = map_title(output, map);
  std::size_t positions = 0;
  for (const OutputStep& step : output.steps) {
    if (const auto* weights = weights_of(step, map)) positions = std::max(positions, weights->size());
    heat_map.rows.push_back(output_label(step.token));
    heat_map.probabilities.push_back(step.probability);
  }
  if (output.steps.empty()) positions = output.source.size();
  const bool over_source = positions == output.source.size();
  if (over_source) {
    add_source_columns(output, heat_map);
  } else {
    for (std::size_t i = 0; i < positions; ++i) heat_map.columns.push_back(label_of(fmt::format("{}", i)));
  }
  heat_map.weights.assign(heat_map.rows.size() * positions, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t row = 0; row < heat_map.rows.size(); ++row) {
    if (const auto* weights = weights_of(output.steps[row], map)) {
      std::copy(weights->begin(), weights->end(),
                heat_map.weights.begin() + static_cast<std::ptrdiff_t>(row * positions));
    }
  }
  return heat_map;
}

std::vector<double> coverage(const HeatMap& heat_map) {
  std::vector<double> sums(heat_map.columns.size());
  for (std::size_t row = 0; row < heat_map.rows.size(); ++row) {
    for (std::size_t column = 0; column < sums.size(); ++column) {
      const double weight = heat_map.weight(row, column);
      if (std::isfinite(weight)) sums[column] += weight;
    }
  }
  return sums;
}

std::string percent(double share) {
  if (!std::isfinite(share)) return "     ?";
  return fmt::format("{:5.1f}%", 100 * std::clamp(share, 0.0, 1.0));
}

}  // namespace fovea
