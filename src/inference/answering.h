// Answers to many sources: batched by length, spread over worker threads, returned in the order they came in.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "base/threads.h"
#include "tasks/model.h"

namespace fovea {

struct AnswerOptions {
  int beam = 1;
  int nbest = 1;
  int max_output = 0;  // symbols of an answer; 0: what the training data say
  double length_power = 1;
  int batch = 64;        // sources answered together
  int alternatives = 0;  // > 0: explain each step, with that many of its best symbols
  double coverage_penalty = 0;
  double sampling_temperature = 0;                // > 0: draws instead of searching
  std::uint64_t seed = 1;                         // of those draws
  std::int64_t first_line = 0;                    // number of the first source: each line has draws of its own
  bool write_unknown = false;                     // the unknown symbol may be written, to be replaced
  const std::atomic<int>* stop_signal = nullptr;  // not 0: SearchStopped is thrown
  ExplanationLimits limits = {};
};

// What a picture can show, and what one of several on a page: more would make pages of gigabytes.
inline constexpr ExplanationLimits picture_limits = {.maps = 64, .steps = 100, .positions = 100, .cells = 1 << 16};
inline constexpr ExplanationLimits sample_limits = {.maps = 64, .steps = 100, .positions = 100, .cells = 1 << 14};

// Which of the sources are answered together, at most `size` at a time, and fewer if workers would be left without any:
// the longest first, so that there is little padding and the work is spread evenly to the end. Those without symbols
// are in none. Where each source has a number of `cells`, their sum over a batch is at most `most_cells`, but one
// source is never too many.
std::vector<std::vector<std::size_t>> batches_by_length(std::span<const SourceIds* const> sources, int size,
                                                        int workers, std::span<const std::size_t> cells = {},
                                                        std::size_t most_cells = 0);

class Answering {
 public:
  Answering(const Model& model, Workers& workers);

  // The best answers to each source, best first. A source without symbols has one empty answer, and the model is not
  // asked.
  std::vector<std::vector<Answer>> answer(std::span<const SourceIds* const> sources, const AnswerOptions& options);

  // Which of them are answered together. Explanations are large: there are fewer where they are asked for.
  std::vector<std::vector<std::size_t>> batches(std::span<const SourceIds* const> sources,
                                                const AnswerOptions& options) const;

  // Those to the sources of one batch, by this thread. `worker` has memory of its own. A small batch, when no other is
  // being answered, has its products shared out over as many threads as there are workers.
  std::vector<std::vector<Answer>> answer_batch(std::span<const std::size_t> batch,
                                                std::span<const SourceIds* const> sources, const AnswerOptions& options,
                                                int worker);

 private:
  struct Memory {
    Arena sources;
    SearchArenas steps;
    Side side;
  };
  class Alone;
  SearchOptions search_options(const AnswerOptions& options) const;
  std::vector<std::vector<Answer>> answer_rows(std::span<const std::size_t> batch,
                                               std::span<const SourceIds* const> sources, const AnswerOptions& options,
                                               Memory& memory) const;

  const Model& model_;
  Workers& workers_;
  std::vector<Memory> memories_;    // of each worker
  std::atomic<int> batches_ = 0;    // being answered
  std::optional<Workers> helpers_;  // made and used by the only one of them
};

}  // namespace fovea
