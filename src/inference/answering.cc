#include "inference/answering.h"

#include <algorithm>
#include <functional>

#include "tensor/share_products.h"

namespace fovea {

namespace {

// Rows of which there are too few to cut a batch of them, yet enough work in a product to share it.
constexpr std::size_t few_rows = 16;

// Of the maps of a batch: 8 bytes each, several times over on their way to be written.
constexpr std::size_t most_explained_cells = std::size_t(4) << 20;

}  // namespace

std::vector<std::vector<std::size_t>> batches_by_length(std::span<const SourceIds* const> sources, int size,
                                                        int workers, std::span<const std::size_t> cells,
                                                        std::size_t most_cells) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (!sources[i]->empty()) order.push_back(i);
  }
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return sources[i]->size(); });
  const auto most = static_cast<std::size_t>(size), sharing = static_cast<std::size_t>(workers);
  const std::size_t together = std::min(most, (order.size() + sharing - 1) / sharing);
  std::vector<std::vector<std::size_t>> batches;
  std::size_t sum = 0;  // of the last batch
  for (const std::size_t source : order) {
    const std::size_t more = cells.empty() ? 0 : cells[source];
    if (batches.empty() || batches.back().size() == together || sum + more > most_cells) {
      batches.emplace_back();
      sum = 0;
    }
    batches.back().push_back(source);
    sum += more;
  }
  return batches;
}

Answering::Answering(const Model& model, Workers& workers)
    : model_(model), workers_(workers), memories_(static_cast<std::size_t>(workers.count())) {}

SearchOptions Answering::search_options(const AnswerOptions& options) const {
  if (!keeps_positions(model_.config().model.encoder) && (options.coverage_penalty > 0 || options.write_unknown)) {
    throw usage_error(
        "{}: the columns of encoder.kind = {} are not the source's symbols, so that nothing is known about one of "
        "them; leave it out",
        options.write_unknown ? "--replace-unknown" : "--coverage-penalty", model_.config().model.encoder.kind);
  }
  SearchOptions search_options = model_.task().search_options();
  search_options.beam = options.beam;
  search_options.nbest = options.nbest;
  search_options.length_power = options.length_power;
  search_options.alternatives = options.alternatives;
  search_options.coverage_penalty = options.coverage_penalty;
  search_options.sampling_temperature = options.sampling_temperature;
  search_options.seed = options.seed;
  search_options.stop_signal = options.stop_signal;
  search_options.limits = options.limits;
  if (options.write_unknown) std::erase(search_options.never, Vocabulary::unknown);
  return search_options;
}

std::vector<std::vector<std::size_t>> Answering::batches(std::span<const SourceIds* const> sources,
                                                         const AnswerOptions& options) const {
  if (options.alternatives == 0) return batches_by_length(sources, options.batch, workers_.count());
  const ModelOptions& model = model_.config().model;
  const int maps = model.attention.heads * (model.decoder.kind == "transformer" ? model.decoder.layers : 1);
  const auto each = static_cast<std::size_t>(maps) * static_cast<std::size_t>(options.beam);
  std::vector<std::size_t> cells;  // of a map
  for (const SourceIds* source : sources) {
    const int steps = model_.task().most_steps(source->size(), options.max_output);
    cells.push_back(source->symbols.size() * static_cast<std::size_t>(steps));
  }
  return batches_by_length(sources, options.batch, workers_.count(), cells, most_explained_cells / each);
}

// Counts a batch while it is answered.
class Answering::Alone {
 public:
  explicit Alone(std::atomic<int>& batches) : batches_(batches), alone_(batches_++ == 0) {}
  ~Alone() { --batches_; }
  explicit operator bool() const { return alone_; }

 private:
  std::atomic<int>& batches_;
  bool alone_;  // when it began
};

std::vector<std::vector<Answer>> Answering::answer_batch(std::span<const std::size_t> batch,
                                                         std::span<const SourceIds* const> sources,
                                                         const AnswerOptions& options, int worker) {
  Memory& memory = memories_[static_cast<std::size_t>(worker)];
  const Alone alone(batches_);
  const bool few = batch.size() * static_cast<std::size_t>(options.beam) <= few_rows;
  if (!alone || !few || workers_.count() == 1) return answer_rows(batch, sources, options, memory);
  if (!helpers_) helpers_.emplace(workers_.count());
  const ShareProducts sharing(*helpers_);
  return answer_rows(batch, sources, options, memory);
}

std::vector<std::vector<Answer>> Answering::answer_rows(std::span<const std::size_t> batch,
                                                        std::span<const SourceIds* const> sources,
                                                        const AnswerOptions& options, Memory& memory) const {
  std::vector<const SourceIds*> rows;
  std::vector<int> most_steps, lengths;
  std::vector<std::int64_t> samples;
  for (const std::size_t index : batch) {
    rows.push_back(sources[index]);
    lengths.push_back(sources[index]->size() + 1);
    most_steps.push_back(model_.task().most_steps(sources[index]->size(), options.max_output));
    samples.push_back(options.first_line + static_cast<std::int64_t>(index));
  }
  model_.task().fill_source(rows, memory.side);
  Pass pass(model_.parameters(), memory.sources);
  const std::unique_ptr<StepModel> asked = model_.network().begin(pass, memory.side);
  auto answers =
      search(model_.parameters(), *asked, search_options(options), most_steps, memory.steps, lengths, samples);
  if (options.alternatives > 0 && model_.network().has_rationale()) {
    const Mask mask = model_.network().rationale(pass, memory.side);
    for (std::size_t b = 0; b < batch.size(); ++b) {
      for (int i = 0; i < lengths[b]; ++i) {
        answers[b][0].read.push_back(mask.data[static_cast<std::size_t>(i) * batch.size() + b]);
      }
    }
  }
  return answers;
}

std::vector<std::vector<Answer>> Answering::answer(std::span<const SourceIds* const> sources,
                                                   const AnswerOptions& options) {
  std::vector<std::vector<Answer>> out(sources.size());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (sources[i]->empty()) out[i] = {Answer{}};
  }
  const auto together = batches(sources, options);
  workers_.run(static_cast<int>(together.size()), [&](int task, int worker) {
    const std::vector<std::size_t>& batch = together[static_cast<std::size_t>(task)];
    auto answers = answer_batch(batch, sources, options, worker);
    for (std::size_t i = 0; i < batch.size(); ++i) out[batch[i]] = std::move(answers[i]);
  });
  return out;
}

}  // namespace fovea
