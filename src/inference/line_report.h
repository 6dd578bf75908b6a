// What there is to tell about the lines of a stream that were not answered as they should be.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "inference/predictor.h"

namespace fovea {

class LineReport {
 public:
  // In the order of the lines.
  void add(const LineStream::Written& written);

  // One for each kind of trouble, with the first line that had it: "2 lines (first: in.txt:7) not UTF-8: ...". `name`
  // is where the lines come from; the others are as the predictor was asked.
  std::vector<std::string> warnings(const std::string& name, const Columns& columns, std::int64_t max_length,
                                    bool scored) const;
  const Perplexity& perplexity() const { return perplexity_; }  // of all that were scored

 private:
  struct Seen {
    std::int64_t lines = 0;
    std::int64_t first = 0;

    bool count(std::int64_t line);  // whether it is the first
  };

  std::int64_t lines_ = 0;
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
