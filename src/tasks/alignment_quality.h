// How well attention agrees with gold word alignments, and where it goes besides (Koehn & Knowles 2017, section 3.5).
// Weights are [steps, positions]: the last step writes the stop symbol of the target, the last position is that of the
// source, and neither is a word.
#pragma once

#include <cstdint>
#include <span>

#include "data/alignment.h"

namespace fovea {

class AlignmentQuality {
 public:
  // `links` are all links of the line; none at all means that no word of it has a partner.
  void add(std::span<const float> weights, int steps, int positions, std::span<const Link> links);
  // A line whose links are not known: it counts for entropy and stop mass alone.
  void add_unlinked(std::span<const float> weights, int steps, int positions);

  // All are 0 before there is anything to measure.

  // Alignment error rate (Och & Ney 2003), 1 - (|A and S| + |A and P|) / (|A| + |S|). A links each target word to the
  // source word it attends to most, the first of several; a step with no weight on any word adds nothing to A. S are
  // the sure links, P the sure and the possible ones.
  double aer() const { return at_word_.error(); }
  // The same with the weights of the step after a word, or before it: less than aer() where attention is off by one.
  // The first word has no step before it and is left out there, its links, too.
  double aer_next() const { return after_word_.error(); }
  double aer_previous() const { return before_word_.error(); }
  // Of which these are made. Both numbers add up over lines.
  struct Agreement {
    std::int64_t agreed = 0;  // |A and S| + |A and P|
    std::int64_t links = 0;   // |A| + |S|

    double error() const { return error_of(static_cast<double>(agreed), static_cast<double>(links)); }
    static double error_of(double agreed, double links) { return links == 0 ? 0.0 : 1 - agreed / links; }
  };
  const Agreement& at_word() const { return at_word_; }
  const Agreement& after_word() const { return after_word_; }
  const Agreement& before_word() const { return before_word_; }
  // Mean weight on the linked source words (P), over target words that have any.
  double mass() const { return mass_.mean(); }
  // The same with the weights of the step after a word, or before it: larger than mass() where attention is off by
  // one.
  double shifted_mass() const { return mass_after_.mean(); }
  double shifted_back_mass() const { return mass_before_.mean(); }
  // Mean over all steps, in nats.
  double entropy() const { return entropy_.mean(); }
  // Mean weight on the source's stop symbol, over the steps that write words.
  double stop_mass() const { return stop_mass_.mean(); }

 private:
  struct Mean {
    double sum = 0;
    std::int64_t count = 0;

    void add(double value) { sum += value, ++count; }
    double mean() const { return count == 0 ? 0.0 : sum / static_cast<double>(count); }
  };

  Agreement at_word_, after_word_, before_word_;
  Mean mass_, mass_after_, mass_before_, entropy_, stop_mass_;
};

}  // namespace fovea
