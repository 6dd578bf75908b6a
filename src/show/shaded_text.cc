#include "show/shaded_text.h"

#include <algorithm>
#include <cmath>

#include "base/utf8.h"

namespace fovea {

namespace {

constexpr std::size_t few_steps = 8;
constexpr int share_width = 8;  // of a sentence: percent() and two blanks

bool begins_sentence(const HeatMap& heat_map, std::size_t column) {
  const std::vector<int>& all = heat_map.sentences;
  return column < all.size() && (column == 0 || all[column] != all[column - 1]);
}

void find_most(ShadedLine& line) {
  for (const double weight : line.weights) {
    if (std::isfinite(weight)) line.most = std::max(line.most, weight);
  }
}

}  // namespace

std::vector<ShadedLine> shaded_lines(const HeatMap& heat_map) {
  std::vector<ShadedLine> lines;
  if (heat_map.rows.size() > few_steps) {
    ShadedLine all = {{"all", "all steps", 3}, false, 0, coverage(heat_map)};
    find_most(all);
    return {all};
  }
  for (std::size_t row = 0; row < heat_map.rows.size(); ++row) {
    ShadedLine line = {
        heat_map.rows[row], true, row < heat_map.probabilities.size() ? heat_map.probabilities[row] : 0, {}};
    for (std::size_t i = 0; i < heat_map.columns.size(); ++i) line.weights.push_back(heat_map.weight(row, i));
    find_most(line);
    lines.push_back(std::move(line));
  }
  return lines;
}

double relative(const ShadedLine& line, std::size_t column) {
  const double weight = line.weights[column];
  if (!std::isfinite(weight)) return weight;
  return line.most > 0 ? std::clamp(weight / line.most, 0.0, 1.0) : 0;
}

std::string running_text(const Label& label) { return label.text == "␣" ? " " : label.text; }

Wrapped wrap(const HeatMap& heat_map, int width) {
  Wrapped wrapped;
  const int margin = heat_map.sentences.empty() ? 0 : share_width;
  wrapped.room = std::max(width - margin, 1);
  int used = 0;
  std::size_t line = 0;
  for (std::size_t i = 0; i < heat_map.columns.size(); ++i) {
    const int space = i < heat_map.spaced.size() && heat_map.spaced[i] && used > 0 ? 1 : 0;
    const int own = std::min(heat_map.columns[i].width, wrapped.room);
    const bool begins = (i < heat_map.divided.size() && heat_map.divided[i]) || begins_sentence(heat_map, i);
    if (used > 0 && (begins || used + space + own > wrapped.room)) {
      ++line;
      used = 0;
    } else {
      used += space;
    }
    wrapped.line.push_back(line);
    wrapped.place.push_back(margin + used);
    used += own;
  }
  wrapped.lines = heat_map.columns.empty() ? 0 : line + 1;
  return wrapped;
}

std::vector<SentenceShare> sentence_shares(const HeatMap& heat_map, const ShadedLine& line, const Wrapped& wrapped) {
  std::vector<SentenceShare> all;
  const double steps = line.is_step ? 1 : static_cast<double>(heat_map.rows.size());
  for (std::size_t i = 0; i < heat_map.sentences.size(); ++i) {
    if (begins_sentence(heat_map, i)) all.push_back({wrapped.line[i]});
    if (std::isfinite(line.weights[i])) all.back().weight += line.weights[i] / steps;
  }
  double most = 0;
  for (const SentenceShare& sentence : all) most = std::max(most, sentence.weight);
  for (SentenceShare& sentence : all) sentence.relative = most > 0 ? std::clamp(sentence.weight / most, 0.0, 1.0) : 0;
  return all;
}

}  // namespace fovea
