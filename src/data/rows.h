// Rows of numbers, from text or from a file: NumPy's .npy, or one row a line.
#pragma once

#include <string_view>
#include <vector>

#include "data/named_file.h"

namespace fovea {

struct Rows {
  int width = 0;
  std::vector<float> values = {};  // row after row

  int count() const { return width == 0 ? 0 : static_cast<int>(values.size()) / width; }
};

// Numbers between spaces or commas, rows between semicolons or line ends. Throws a data_error: where a number is wanted
// and something else stands, where a row has another width than the first, where a number is not finite.
Rows parse_rows(std::string_view text);

// The bytes of a .npy file of one axis (rows of one number) or two: integers of 8 to 64 bits, or floating point of
// 32 or 64. Throws a data_error.
Rows parse_npy(std::string_view bytes);

// What a cell has: rows as they are, or the name of a file that has them (data/named_file.h). Throws a data_error.
Rows read_rows(const SourceCell& cell, std::string_view folder);

}  // namespace fovea
