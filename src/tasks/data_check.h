// Data looked over before anything is learned from them: what training would refuse, what is suspicious, what the task
// seems to be.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/pairs.h"
#include "tasks/config.h"

namespace fovea {

struct Finding {
  enum class Weight { refused, warning, note };
  std::string what;  // encoding, columns, empty_side, ...
  Weight weight = Weight::note;
  std::int64_t lines = 0;  // 0: it is about all of them
  std::string text;
  std::string first = {};  // the first such line: its number, and what it says
};

// What the lines look as if they were for.
struct TaskGuess {
  std::string task;
  std::string reason;
};

// A source that is taken for text, and of which every line looks like something else.
struct SuitedKind {
  std::string source;  // source, source2, ...
  const SourceKind* kind;

  std::string text() const;  // for people
};
std::vector<SuitedKind> suited_kinds(std::span<const Example> training, const Config& config);

struct LookedOver {
  std::vector<Finding> findings;
  TaskGuess guess;
  std::vector<SuitedKind> kinds;

  bool refused() const;  // training would not begin
};

// Lines to train on, read with what is bad left out and counted; and those held out, none: training takes a part.
// The config says how texts are cut, and has the columns.
LookedOver look_over(const Pairs& training, const Pairs& held_out, const Config& config);

TaskGuess guess_task(const Pairs& training);

}  // namespace fovea
