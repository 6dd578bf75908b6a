#include "tasks/alignment_quality.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "base/as_size.h"
#include "base/error.h"

namespace fovea {

namespace {

enum class Linked : char { no, possible, sure };

// [target words, source words]; a link given twice counts once, as sure if either is.
std::vector<Linked> table_of(std::span<const Link> links, int target_words, int source_words) {
  std::vector<Linked> table(as_size(target_words) * as_size(source_words));
  for (const Link& link : links) {
    check(link.source >= 0 && link.source < source_words && link.target >= 0 && link.target < target_words,
          "alignment quality: link {}-{} between {} source and {} target words", link.source, link.target, source_words,
          target_words);
    Linked& linked = table[as_size(link.target) * as_size(source_words) + as_size(link.source)];
    linked = std::max(linked, link.sure ? Linked::sure : Linked::possible);
  }
  return table;
}

double linked_mass(std::span<const float> weights, std::span<const Linked> linked) {
  double mass = 0;
  for (std::size_t i = 0; i < linked.size(); ++i) mass += linked[i] == Linked::no ? 0.0 : double{weights[i]};
  return mass;
}

// What the weights of a step say a word comes from, beside what it is linked to.
void add_to(AlignmentQuality::Agreement& agreement, std::span<const float> weights, std::span<const Linked> linked) {
  agreement.links += std::count(linked.begin(), linked.end(), Linked::sure);
  const auto most = std::max_element(weights.begin(), weights.end());
  if (!(*most > 0)) return;
  const Linked attended = linked[as_size(most - weights.begin())];
  agreement.links += 1;
  agreement.agreed += (attended == Linked::sure) + (attended != Linked::no);
}

}  // namespace

void AlignmentQuality::add_unlinked(std::span<const float> weights, int steps, int positions) {
  check(steps > 0 && positions > 0 && std::ssize(weights) == std::ptrdiff_t{steps} * positions,
        "alignment quality: {} weights for {} steps and {} positions", weights.size(), steps, positions);
  const auto width = as_size(positions);
  for (int step = 0; step < steps; ++step) {
    const auto row = weights.subspan(as_size(step) * width, width);
    double entropy = 0;
    for (const double weight : row) entropy -= weight > 0 ? weight * std::log(weight) : 0.0;
    entropy_.add(entropy);
    if (step < steps - 1) stop_mass_.add(row.back());
  }
}

void AlignmentQuality::add(std::span<const float> weights, int steps, int positions, std::span<const Link> links) {
  add_unlinked(weights, steps, positions);
  const auto table = table_of(links, steps - 1, positions - 1);
  const auto source_words = as_size(positions - 1), words = as_size(steps - 1);
  const auto row_of = [&](std::size_t step) { return weights.subspan(step * (source_words + 1), source_words); };
  for (std::size_t word = 0; word < words && source_words > 0; ++word) {
    const auto linked = std::span<const Linked>(table).subspan(word * source_words, source_words);
    const auto row = row_of(word);
    add_to(at_word_, row, linked);
    add_to(after_word_, row_of(word + 1), linked);
    if (word > 0) add_to(before_word_, row_of(word - 1), linked);
    if (std::all_of(linked.begin(), linked.end(), [](Linked one) { return one == Linked::no; })) continue;
    mass_.add(linked_mass(row, linked));
    mass_after_.add(linked_mass(row_of(word + 1), linked));
    if (word > 0) mass_before_.add(linked_mass(row_of(word - 1), linked));
  }
}

}  // namespace fovea
