// What is measured where an answer is one symbol, a label or a position: how many are right, how well each label is
// told from the others, and how many are right at the second look.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/threads.h"
#include "evaluation/figure.h"

namespace fovea {

// Of one answer: numbers of labels, which may be any.
struct Labelled {
  int wanted = 0;
  int given = 0;
};

// The mean, over all labels that are wanted or given, of F1 = 2 right / (wanted + given) (van Rijsbergen 1979): rare
// labels count as much as frequent ones. Each answer counts so many times; 0 of none.
double macro_f1(std::span<const Labelled> answers, std::span<const std::uint32_t> times);

// accuracy and, unless answers are positions, macro_f1.
std::vector<Figure> label_figures(std::span<const std::string> wanted, std::span<const std::string> given,
                                  bool positions, Workers& workers);

// How many answers may be looked at, and what the figure is called: top2.
std::vector<int> known_tops();
std::string top_name(int answers);

// All of these, without values.
std::vector<Figure> known_label_figures();

}  // namespace fovea
