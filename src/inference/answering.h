// Answers to many sources: batched by length, spread over worker threads, returned in the order they came in. Many
// threads may ask at once, each with options of its own.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/threads.h"
#include "tasks/model.h"

namespace fovea {

struct AnswerOptions {
  SearchOptions search = {};
  int batch = 64;                // sources answered together
  std::int64_t first_line = 0;   // number of the first source: each line has draws of its own
  bool replace_unknown = false;  // the unknown symbol may be written, to be replaced
};

// What a picture can show, and what one of several on a page: more would make pages of gigabytes.
inline constexpr ExplanationLimits picture_limits = {.maps = 64, .steps = 100, .positions = 500, .cells = 1 << 16};
inline constexpr ExplanationLimits sample_limits = {.maps = 64, .steps = 100, .positions = 100, .cells = 1 << 14};

using SourceList = std::span<const Reading* const>;

// Which of the sources are answered together, at most `size` at a time, and fewer if workers would be left without any:
// the longest first, so that there is little padding and the work is spread evenly to the end. Those without symbols
// are in none. Where each source has a number of `cells`, their sum over a batch is at most `max_cells`, but one
// source is never too many.
std::vector<std::vector<std::size_t>> batches_by_length(SourceList sources, int size, int workers,
                                                        std::span<const std::size_t> cells = {},
                                                        std::size_t max_cells = 0);

// What else there is to know of sources.
struct GivenLines {
  std::int64_t first_line = 0;                   // counted from that of the options
  std::span<const Symbols* const> targets = {};  // of all of them: what is to be written
};

class Answering {
 public:
  Answering(const Model& model, Workers& workers) : Answering(std::vector<const Model*>{&model}, workers) {}
  // Several answer as one (models/ensemble.h). They must read sources alike and write the same symbols.
  Answering(std::vector<const Model*> models, Workers& workers);
  ~Answering();

  // Options made ready: what of them is read from files or looked up is so once, for all batches.
  struct Asked {
    AnswerOptions options;
    SearchSymbols symbols;
    Rules rules;
    std::vector<AttentionEdit> edits = {};
  };
  // Throws a usage_error where they and the model do not go together.
  Asked prepare(const AnswerOptions& options) const;

  // The best answers to each source, best first. A source without symbols has one empty answer, and the model is not
  // asked.
  std::vector<std::vector<Answer>> answer(SourceList sources, const AnswerOptions& options);

  // Which of them are answered together. Explanations are large: there are fewer where they are asked for.
  std::vector<std::vector<std::size_t>> batches(SourceList sources, const AnswerOptions& options) const;

  // Those to the sources of one batch, by this thread, as soon as fewer than there are workers answer others. Where
  // targets are given, nothing is searched for: they are the answers.
  std::vector<std::vector<Answer>> answer_batch(std::span<const std::size_t> batch, SourceList sources,
                                                const Asked& asked, const GivenLines& given = {});

  // work(task) for every task in [0, tasks), by all workers, or by this thread alone while another has them. A task
  // that is the only one, while nobody else answers, has its products shared out among the workers.
  void share(int tasks, const std::function<void(int)>& work);
  // The workers for something that is not an answer, as soon as no other has them.
  void lend(const std::function<void(Workers&)>& work);

 private:
  struct Scratch;
  class Lease;
  std::vector<std::vector<Answer>> answer_rows(std::span<const std::size_t> batch, SourceList sources,
                                               const Asked& asked, const GivenLines& given, Scratch& scratch) const;
  std::unique_ptr<StepModel> begin(SourceList rows, Scratch& scratch) const;

  std::vector<const Model*> models_;
  const Model& model_;  // the first
  Workers& workers_;
  std::mutex with_workers_;  // held by the thread that has them
  std::mutex mutex_;
  std::condition_variable given_back_;
  std::vector<std::unique_ptr<Scratch>> free_;  // as many as batches may be answered at once, and those on lease
};

}  // namespace fovea
