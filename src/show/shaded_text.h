// A map too wide to be drawn as cells: the source as text, each token shaded by how much of it was read. Shades are
// relative to the most read token of a line, since in a long source all weights are small.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "show/heat_map.h"

namespace fovea {

struct ShadedLine {
  Label label;  // of the step; of all of them: coverage
  bool is_step = true;
  double probability = 0;       // of a step
  std::vector<double> weights;  // of each column
  double most = 0;              // the greatest of them
};

// One for each step if they are few, else one for their sum.
std::vector<ShadedLine> shaded_lines(const HeatMap& heat_map);

// Weight as a share of the line's greatest, from 0 to 1.
double relative(const ShadedLine& line, std::size_t column);

// Columns of a line of text, for each the number of its line and its place in it, in columns of a terminal. Sentences
// of a document begin lines, which leave room for their shares.
struct Wrapped {
  std::vector<std::size_t> line;
  std::vector<int> place;
  std::size_t lines = 0;
  int room = 0;  // the most that a column takes
};
Wrapped wrap(const HeatMap& heat_map, int width);

// Of a document: how much of a sentence was read, which is what its words add up to.
struct SentenceShare {
  std::size_t line = 0;  // of Wrapped, where it begins
  double weight = 0;     // mean over the steps
  double relative = 0;   // to the sentence that was read most
};
std::vector<SentenceShare> sentence_shares(const HeatMap& heat_map, const ShadedLine& line, const Wrapped& wrapped);

// What a column is in running text: its label, but a space is just a space.
std::string running_text(const Label& label);

}  // namespace fovea
