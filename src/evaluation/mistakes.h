// What went wrong: the wrong answers with their edits, which symbols are taken for which, and what kinds of sources are
// hard.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "inference/predictor.h"
#include "tasks/confusions.h"
#include "tasks/metrics/measurement.h"
#include "tasks/references.h"

namespace fovea {

struct Mistake {
  std::int64_t line = 0;  // the first that asks for it
  std::string source;     // all that was read
  std::string answer;
  std::string target;      // the right one nearest to it
  std::string marked;      // the target with its edits: sp[a>e]ll is what "spall" should have been, and
                           // spell[…>] what was cut before its end
  double score = 0;        // of the answer, log-probability by length
  std::int64_t edits = 0;  // of characters
};

struct SourceClass {
  std::string name;
  std::int64_t sources = 0;
  std::int64_t right = 0;
  std::int64_t among = 0;  // those with a right one among several answers
  double chance = 0;       // how many would be right by guessing, where an answer is a position
};

// A line of a model that answers nothing, as it finds it.
struct ScoredLine {
  std::int64_t line = 0;
  std::string text;
  double perplexity = 1;
  std::string hardest;     // the least probable of its symbols
  double probability = 1;  // of that
};

struct Mistakes {
  std::int64_t sources = 0;
  std::vector<ScoredLine> scored;      // where there are no sources, and so no answers: all lines, worst first
  std::vector<Mistake> wrong;          // worst first: those with most edits for their length
  std::vector<Confusion> confusions;   // of the model's symbols, commonest first; as many as are shown
  std::vector<SourceClass> by_length;  // of the source: symbols, or positions of a sound or a picture
  std::vector<SourceClass> by_rarest;  // the rarest symbol of the source, by its place among those of the training data
  std::vector<SourceClass> by_unseen;  // how many of its symbols the training data had not
  // Symbols of the targets, if a model knows a thousand or more, by their place among those of the training data; right
  // are those that the answer has, each as often as it is wanted.
  std::vector<SourceClass> by_wanted;
  int answers = 1;         // to each source
  bool positions = false;  // are what is answered
};

// The symbols that a target wants, each as often as it does, and whether the answer has them.
struct WantedSymbol {
  std::int32_t symbol = 0;  // among those of the target's vocabulary
  bool written = false;
};
std::vector<WantedSymbol> wanted_symbols(const Task& task, const std::string& target, const std::string& answer,
                                         bool lowercase);

// The right answer nearest to a text, as it was written.
const std::string& nearest_target(const Referenced& question, const std::string& answer, bool lowercase);

// Whether one of its right answers is among those that were found.
bool is_right_among(const Referenced& question, const Prediction& prediction, bool lowercase);

// One prediction for each example, whose target was scored. Those that were not are left out.
std::vector<ScoredLine> scored_lines(std::span<const Example> examples, std::span<const Prediction> predictions);

// One prediction for each question.
Mistakes find_mistakes(const Task& task, std::span<const Referenced> questions, std::span<const Prediction> predictions,
                       const MeasureOptions& options);

}  // namespace fovea
