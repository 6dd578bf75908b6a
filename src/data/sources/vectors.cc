// vectors: rows of numbers, as they are written in the cell or in a file that it names (data/rows.h). Each column of
// numbers is brought to mean 0 and deviation 1 over the training data.
#include <cmath>

#include "base/as_size.h"
#include "base/error.h"
#include "base/json.h"
#include "base/utf8.h"
#include "data/named_parts.h"
#include "data/rows.h"
#include "data/source.h"

namespace fovea {

namespace {

class VectorSource : public Source {
 public:
  VectorSource(std::string folder, std::vector<float> means, std::vector<float> scales)
      : folder_(std::move(folder)), means_(std::move(means)), scales_(std::move(scales)) {}

  SourceData encode(const SourceCell& cell) const override {
    Rows rows = read_rows(cell, folder_);
    if (rows.width != width() && rows.count() > 0) {
      throw data_error("rows of {} numbers where the model reads {}: \"{}\"", rows.width, width(),
                       beginning(cell.text));
    }
    for (std::size_t i = 0; i < rows.values.size(); ++i) {
      const std::size_t column = i % means_.size();
      rows.values[i] = (rows.values[i] - means_[column]) * scales_[column];
    }
    const int length = rows.count();
    return {{}, std::move(rows.values), length};
  }

  std::vector<SourcePosition> positions(const SourceData& data, std::span<const Token>) const override {
    std::vector<SourcePosition> positions;
    for (int i = 1; i <= data.length; ++i) positions.push_back({std::to_string(i), i - 1, i});
    return positions;
  }

  SourceShape shape() const override { return SourceShape::of_rows(width()); }

  std::map<std::string, std::string> learned() const override {
    return {{"means", json_text(Json(means_))}, {"scales", json_text(Json(scales_))}};
  }

 private:
  int width() const { return static_cast<int>(means_.size()); }

  std::string folder_;
  std::vector<float> means_;   // of each column
  std::vector<float> scales_;  // 1 / deviation
};

SourcePtr learn_vectors(const SourceOptions& options, std::span<const SourceCell> cells, std::vector<int>& lengths) {
  std::vector<double> sums, squares;
  double count = 0;
  for (const SourceCell& cell : cells) {
    const Rows rows = read_rows(cell, options.folder);
    if (rows.count() == 0) {
      lengths.push_back(0);
      continue;
    }
    sums.resize(sums.empty() ? as_size(rows.width) : sums.size());
    squares.resize(sums.size());
    if (sums.size() != as_size(rows.width)) {
      throw data_error("rows of {} numbers where the first line has rows of {}: \"{}\"", rows.width, sums.size(),
                       beginning(cell.text));
    }
    for (std::size_t i = 0; i < rows.values.size(); ++i) {
      const auto value = static_cast<double>(rows.values[i]);
      sums[i % sums.size()] += value;
      squares[i % sums.size()] += value * value;
    }
    count += rows.count();
    lengths.push_back(rows.count());
  }
  if (sums.empty()) throw data_error("no line has a row of numbers");
  std::vector<float> means, scales;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const double mean = sums[i] / count;
    const double variance = std::max(0.0, squares[i] / count - mean * mean);
    means.push_back(static_cast<float>(mean));
    scales.push_back(variance > 1e-12 ? static_cast<float>(1 / std::sqrt(variance)) : 1.0F);
  }
  return std::make_shared<VectorSource>(options.folder, std::move(means), std::move(scales));
}

std::vector<float> read_numbers(const LearnedTexts& learned, std::string_view key) {
  const std::string* text = learned.find(key);
  const Json list = text ? parse_json(*text, 1) : Json();
  std::vector<float> numbers;
  if (list.is_array()) {
    for (const Json& number : list) {
      if (!number.is_number() || !std::isfinite(number.get<float>())) break;
      numbers.push_back(number.get<float>());
    }
  }
  if (numbers.empty() || numbers.size() != list.size()) {
    throw model_error("{} is not a list of numbers", learned.place(key));
  }
  return numbers;
}

SourcePtr restore_vectors(const SourceOptions& options, const LearnedTexts& learned) {
  std::vector<float> means = read_numbers(learned, "means"), scales = read_numbers(learned, "scales");
  if (means.size() != scales.size()) throw model_error("{} has not one number for each mean", learned.place("scales"));
  return std::make_shared<VectorSource>(options.folder, std::move(means), std::move(scales));
}

// Of two numbers it may be a text that says something of both.
bool has_rows(std::string_view cell) {
  if (names_files_like(cell, {".npy"})) return true;
  try {
    return parse_rows(cell).values.size() > 2;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

extern const SourceKind Source_vectors = {
    .name = "vectors",
    .description = "rows of numbers, or the name of a .npy or text file that has them",
    .learn = learn_vectors,
    .restore = restore_vectors,
    .symbols = false,
    .suits = has_rows};

}  // namespace fovea
