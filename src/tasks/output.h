// What a model answered and what it looked at on the way: the one structure behind JSON, pictures, reports and pages.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "decoding/attention_row.h"

namespace fovea {

struct SourceToken {
  std::string text;
  int start = 0;     // in characters of the source text
  int end = 0;       // one past the last; start == end for the stop symbol
  bool read = true;  // false if a model that chooses what it reads has left it out
  int source = 0;    // which of several it belongs to
};

struct Alternative {
  std::string token;
  double probability = 0;
};

struct OutputStep {
  std::string token;
  double probability = 0;
  std::vector<Alternative> alternatives;  // the best few, the chosen one among them
  std::vector<AttentionRow> looks;        // one per entry of Output::maps
  std::optional<double> copy_gate;
};

struct MapName {
  int layer = 0;
  int head = 0;
  std::string source;  // which source it looks at
};

struct Hypothesis {
  std::string text;
  double score = 0;      // log-probability, normalised by length
  bool finished = true;  // false if it was cut at the greatest length
};

// How much of each there is beyond what is kept of an explanation.
struct LeftOut {
  std::size_t maps = 0;
  std::size_t steps = 0;
  std::size_t positions = 0;

  bool any() const { return maps + steps + positions > 0; }
};

struct Output {
  std::string source_text;
  std::vector<std::string> other_sources = {};
  std::string features = {};        // as they were written; empty if the model reads none
  std::vector<SourceToken> source;  // the positions that can be attended to, of all sources
  std::string text;
  double score = 0;
  bool finished = true;           // false if it was cut at the greatest length
  bool abstained = false;         // the best was not good enough: there is no text, though `nbest` has it
  std::vector<MapName> maps;      // empty for a model without attention
  std::vector<OutputStep> steps;  // the last one is the stop symbol, unless it was cut or the task has one step
  LeftOut left_out = {};
  std::vector<Hypothesis> nbest;  // best first; the first is `text`, unless the model abstained

  // All that was read, for people.
  std::string read_text() const {
    std::string all = source_text;
    for (const std::string& other : other_sources) all += " | " + other;
    return features.empty() ? all : all + " " + features;
  }
};

}  // namespace fovea
