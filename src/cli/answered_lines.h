// The lines of a file or of standard input on their way through a predictor to standard output, one out for each in,
// and at the end warnings about those that were not answered as they should be.
#pragma once

#include <array>
#include <functional>
#include <string>

#include "data/lines.h"
#include "inference/predictor.h"

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
  const Perplexity& perplexity() const { return perplexity_; }

 private:
  struct Seen {
    std::int64_t lines = 0;
    std::int64_t first = 0;

    bool count(std::int64_t line);  // whether it is the first
  };
  void count(const Written& written, std::int64_t line);

  LineReader reader_;
  bool explains_;
  std::function<std::string(const Prediction&)> line_;
  std::int64_t written_ = 0;
  std::array<Seen, line_statuses> statuses_;
  Seen unfinished_;
  Seen abstained_;
  Seen unknown_symbols_;
  Seen unknown_features_;
  std::string problem_;  // of the first that is unreadable
  std::string unknown_feature_;
  Perplexity perplexity_;
};

}  // namespace fovea
