// One attention map of an Output, laid out as every picture needs it: labelled rows and columns of weights.
#pragma once

#include <cstddef>
#include <optional>
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
  std::vector<bool> spaced = {};      // [columns] whether the text has something between this one and the one before
  std::vector<bool> divided = {};     // [columns] whether another source begins here
  std::vector<int> sentences = {};    // [columns] of a document: which one each is of, -1 for none; else empty

  double weight(std::size_t row, std::size_t column) const { return weights[row * columns.size() + column]; }
};

// Columns carry the source tokens when there is a weight for each of them, else plain position numbers: a map over
// another memory than the source must not be drawn as if it were over the source.
HeatMap heat_map_of(const Output& output, std::size_t map);

// What gradients say instead (see Output): of each step the share of each position in the sum of absolute values.
// Without saliency it has no rows.
HeatMap saliency_map(const Output& output);

// How a part of the model attends to itself. Rows and columns are its positions; those of a decoder are the start
// symbol and what was written.
HeatMap own_map(const Output& output, std::size_t map);

// How alike two maps rank the positions of a step: Spearman's coefficient, its mean over the steps in which neither is
// all alike. Nothing if there is none.
std::optional<double> rank_correlation(const HeatMap& a, const HeatMap& b);

// The output with the maps, those of self-attention too, of one layer or head alone; -1: of all, and where the
// generator points. Throws a usage_error if there are none.
Output choose_maps(Output output, int layer, int head);

// The same for a picture: where no head is chosen, the map in front is where the generator points, if that alone
// chooses, or the mean of those of the last layer.
Output maps_to_draw(Output output, int layer, int head);

// "pointing" for the generator's, "attention" for the only other one, else layer, head and source, counted as in the
// JSON.
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
