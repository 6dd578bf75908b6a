// Outputs to draw, with weights made by hand.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/utf8.h"
#include "tasks/output.h"

namespace fovea {

// One token a character and a stop symbol on both sides. In step i most of the weight (0.9) lies on position
// peaks[i % size], the rest is spread evenly.
inline Output example(const std::string& source, const std::string& target, const std::vector<std::size_t>& peaks = {0},
                      std::size_t maps = 1) {
  Output output;
  output.source_text = source;
  output.text = target;
  output.score = -0.25;
  int at = 0;
  for (std::string_view part : characters(source)) {
    output.source.push_back({std::string(part), at, at + 1});
    ++at;
  }
  output.source.push_back({"</s>", at, at});
  for (std::size_t map = 0; map < maps; ++map) output.maps.push_back({0, static_cast<int>(map), "source"});
  const auto parts = characters(target);
  const std::size_t positions = output.source.size();
  for (std::size_t i = 0; i <= parts.size(); ++i) {
    OutputStep step;
    step.token = i < parts.size() ? std::string(parts[i]) : "</s>";
    step.probability = 0.5 + 0.25 * static_cast<double>(i % 2);
    step.alternatives = {{step.token, step.probability}, {"x", 0.125}};
    AttentionRow look;
    look.weights.assign(positions, positions > 1 ? 0.1f / static_cast<float>(positions - 1) : 0.f);
    look.weights[peaks[i % peaks.size()] % positions] = positions > 1 ? 0.9f : 1.f;
    look.scores.assign(positions, -1.5f);
    look.context_norm = 2.25;
    step.looks.assign(maps, look);
    output.steps.push_back(step);
  }
  output.nbest = {{target, -0.25}, {"another", -3.5}};
  return output;
}

inline Output date_example() {
  return example("3rd of May 1999", "1999-05-03", {11, 12, 13, 14, 10, 7, 9, 8, 0, 1, 15});
}

// What a page must never take for markup and a terminal never for a command.
inline std::vector<std::string> hostile_texts() {
  return {"<script>alert(1)</script>",
          "\"><svg onload=alert(1)>",
          "'/><img src=x onerror=alert(1)>",
          "]]></style></title><!-- &amp; &#x3c;",
          "\x1b[2J\x1b]0;title\x07",
          std::string("nul \0 bell \x07 del \x7f", 18),
          "c1 \u009b31m",
          "override \u202e txet \u202c \u2067 isolate",
          "lines \n\r\u2028\u2029 tab \t",
          "bytes \xff\xfe\xc0\x80 \xed\xa0\x80",
          "noncharacter \ufffe\uffff",
          "{} {0} %s"};
}

}  // namespace fovea
