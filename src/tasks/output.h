// What a model answered and what it looked at on the way: the one structure behind JSON, pictures, reports and pages.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "data/source.h"
#include "decoding/attention_row.h"

namespace fovea {

struct SourceToken {
  std::string text;
  int start = 0;                // in characters of the source text; of a sound in milliseconds
  int end = 0;                  // one past the last; start == end for the stop symbol
  bool read = true;             // false if a model that chooses what it reads has left it out
  int source = 0;               // which of several it belongs to
  std::optional<Box> box = {};  // of a picture
  int sentence = -1;            // of a document, from 0; -1: of none
  bool named = false;           // the text is the name of a moment, a region or a row, and no part of the source's
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
  std::vector<float> saliency = {};  // of each source position, if asked for
};

struct MapName {
  int layer = 0;
  int head = 0;
  std::string source;        // which source it looks at
  int heads = 1;             // more than one: it is their mean, made for a picture
  bool one_of_many = false;  // others were left out on purpose
  bool pointing = false;     // the generator's, which chooses by it: of no layer or head
};

// How a part of the model attends to its own positions; row q is where position q looks.
struct OwnMap {
  std::string part;  // encoder, decoder
  int source = 0;    // which of several an encoder reads
  int layer = 0;
  int head = 0;
  std::vector<std::vector<float>> weights;
};

// A symbol that search could have written next.
struct OutputTreeNode {
  int parent = -1;  // its number among the nodes; -1: it is the first
  int step = 0;
  std::string token;
  double probability = 0;
  double score = 0;   // the log-probability of all up to here
  bool kept = false;  // search went on from it, or it ended an answer
};

struct OutputTree {
  std::vector<OutputTreeNode> nodes;  // a parent stands before its children
  std::size_t left_out = 0;
};

struct Hypothesis {
  std::string text;
  double score = 0;      // log-probability, normalised by length
  bool finished = true;  // false if it was cut at the greatest length
};

struct SourceMedia : Media {
  int source = 0;  // which of several it belongs to
};

// How much of each there is beyond what is kept of an explanation.
struct LeftOut {
  std::size_t maps = 0;
  std::size_t steps = 0;
  std::size_t positions = 0;

  bool any() const { return maps + steps + positions > 0; }
};

// What an explanation by words was put together from (tasks/fold_words.h).
struct Pieces {
  std::vector<SourceToken> source;
  std::vector<OutputStep> steps;
  std::vector<OwnMap> self_maps = {};
  std::optional<OutputTree> tree = {};
};

struct Output {
  std::string source_text;
  std::vector<std::string> other_sources = {};
  std::string features = {};        // as they were written; empty if the model reads none
  std::vector<SourceToken> source;  // the positions that can be attended to, of all sources, or of the model's own past
  std::string text;
  double score = 0;
  bool finished = true;           // false if it was cut at the greatest length
  bool abstained = false;         // the best was not good enough: there is no text, though `nbest` has it
  std::vector<MapName> maps;      // what chose the symbols first; empty without attention to positions of a source
  std::vector<OutputStep> steps;  // the last one is the stop symbol, unless it was cut or the task has one step
  LeftOut left_out = {};
  std::vector<Hypothesis> nbest;        // best first; the first is `text`, unless the model abstained
  std::vector<OwnMap> self_maps = {};   // if asked for
  std::optional<OutputTree> tree = {};  // likewise
  std::vector<SourceMedia> media = {};  // likewise
  std::optional<Pieces> pieces = {};    // if it is by words

  // One that was cut is not right, whatever it says up to there.
  bool is(std::string_view target) const { return finished && text == target; }

  // All that was read, for people.
  std::string read_text() const {
    std::string all = source_text;
    for (const std::string& other : other_sources) all += " | " + other;
    return features.empty() ? all : all + " " + features;
  }
};

}  // namespace fovea
