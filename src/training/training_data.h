// What a run learns from: settings and lines that go together, the lines as examples, and the same on all ranks.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/ranks.h"
#include "data/batches.h"
#include "tasks/beginning.h"
#include "tasks/model.h"

namespace fovea {

struct TrainingData {
  std::vector<Example> training;
  std::vector<Example> held_out;
  std::shared_ptr<const Lexicon> lexicon = {};      // for generators that look symbols up
  std::shared_ptr<const Beginning> beginning = {};  // a model that is trained on; none: a new one
};

// Throw usage_errors and data_errors: settings that make no sense together, and lines that are missing.
void check_training(const Config& config);
void check_data(const TrainingData& data);

// Goes on from the hash of what came before.
std::uint64_t hash_examples(std::uint64_t hash, std::span<const Example> examples);

struct EncodedLines {
  std::vector<Encoding> examples;  // to train on
  std::vector<Length> lengths;     // of each
  std::vector<Encoding> held_out;
  std::uint64_t hash = 0;     // of all that was read, held-out lines and files that settings name included
  std::int64_t doubtful = 0;  // lines that can be read, and yet seem not to be whole
  std::string first_doubt;    // the first of them: where it stands, and why

  // What to tell of those; empty: there are none.
  std::string warning() const;
};
// Throws a data_error where the model cannot learn from the lines.
EncodedLines encode_lines(const Model& model, const TrainingData& data);
// All but the hash. What is wrong with a single line is told to `refuse`, which may throw it; else the line is left
// out.
EncodedLines encode_lines(const Task& task, const Config& config, const TrainingData& data,
                          const std::function<void(const Error&)>& refuse);

// An error on all of them if they differ in program, settings or data.
void check_same_on_all_ranks(Ranks& ranks, const Config& config, std::uint64_t data_hash);

}  // namespace fovea
