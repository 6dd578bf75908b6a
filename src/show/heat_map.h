// One attention map of an Output, laid out as every picture needs it: labelled rows and columns of weights.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "show/label.h"
#include "tasks/output.h"

namespace fovea {

struct HeatMap {
  std::string title;
  std::vector<Label> columns;         // source positions
  std::vector<Label> rows;            // output steps
  std::vector<double> probabilities;  // [rows]
  std::vector<double> weights;        // [rows, columns]; not a number where the step has no weight

  double weight(std::size_t row, std::size_t column) const { return weights[row * columns.size() + column]; }
};

// Columns carry the source tokens when there is a weight for each of them, else plain position numbers: a map over
// another memory than the source must not be drawn as if it were over the source.
HeatMap heat_map_of(const Output& output, std::size_t map);

// "attention" for a single map, else layer, head and source, counted as in the JSON.
std::string map_title(const Output& output, std::size_t map);

// "Shown are the first 100 of 301 source positions and 4 of 16 maps." Empty if nothing was left out.
std::string left_out_note(const Output& output);

bool is_stop(const SourceToken& token);
bool is_stop(const OutputStep& step);

// Labels that know the stop symbol of the source and of the output.
Label source_label(const SourceToken& token);
Label output_label(const std::string& token);

// Sum of each column: how much of a position was read over all steps.
std::vector<double> coverage(const HeatMap& heat_map);

// "99.8%", always six columns wide; "     ?" when it is not a number.
std::string percent(double share);

}  // namespace fovea
