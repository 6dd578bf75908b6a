// The lines of a file or of standard input on their way through a predictor to standard output, one out for each in,
// and at the end warnings about those that were not answered as they should be.
#pragma once

#include <functional>
#include <string>

#include "data/lines.h"
#include "inference/line_report.h"

namespace fovea {

class AnsweredLines : public LineStream {
 public:
  // `line` is what is written for a prediction. Where that `explains`, few lines are taken at a time: explanations
  // grow with the square of a line's length.
  AnsweredLines(const std::string& file, bool explains, std::function<std::string(const Prediction&)> line);

  std::vector<std::string> read() override;
  bool ready() override { return reader_.ready(); }
  std::string render(const Prediction& prediction) const override { return line_(prediction) + "\n"; }
  void write(std::span<const Written> lines) override;

  void warn(const Columns& columns, std::int64_t max_length, bool scored) const;
  const Perplexity& perplexity() const { return report_.perplexity(); }

 private:
  LineReader reader_;
  bool explains_;
  std::function<std::string(const Prediction&)> line_;
  LineReport report_;
};

}  // namespace fovea
